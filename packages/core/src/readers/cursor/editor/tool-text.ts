import { asList, asObject, asText, type JsonObject, objectsIn } from '../../../session/json-values.ts'
import { textOf } from '../../../session/plain-value.ts'
import { parseShallow } from '../../log/parse-line.ts'
import { treeText } from '../turns/search-text.ts'

/** Fields that hold the text of a result, the first one that is there. */
const textFields = 'contents output outputRaw markdown text content stdout resultForModel result'.split(' ')

/** Fields that say nothing to a reader: pointers, flags, and what other events hold. */
const ownFields =
  /^(?:totalLinesInFile|numCharactersInRequestedRange|beforeContentId|afterContentId|contentsBeforeEdit|contentsAfterEdit|agentId|isBackground|isFinal|rejected|notInterrupted|exitCode|exitCodeV2|endedReason|resultingWorkingDirectory|effectiveSandboxPolicy|terminalInstanceId|isApplied|finalTodos|initialTodos|readyTaskIds|wasMerge|needsInProgressTodos)$/

/** The readable text of a tool's result: `raw` as the log has it, `result` as an object. */
export function resultText(bare: string, raw: unknown, result: JsonObject, params: JsonObject): string {
  if (Object.keys(result).length === 0) return textOf(raw).replace(/^\{\}$/, '')
  if (bare === 'ask_question') return answersText(result, params)
  if (bare === 'glob_file_search') return filesText(result) ?? restText(result)
  const field = textFields.find((name) => asText(result[name]) !== undefined)
  if (field !== undefined) return unpackedText(textOf(result[field]))
  return diffText(result) ?? treeText(result) ?? restText(result)
}

/** What an MCP server returned, which is JSON with content blocks. */
function unpackedText(text: string): string {
  if (!text.startsWith('{"content":[')) return text
  const texts = objectsIn(asObject(parseShallow(text))?.content).flatMap((block) => asText(block.text) ?? [])
  return texts.length === 0 ? text : texts.join('\n')
}

/** The answers by the id of their question, as other agents report them. */
function answersText(result: JsonObject, params: JsonObject): string {
  const questions = objectsIn(params.questions)
  const answers = objectsIn(result.answers).flatMap(({ questionId, selectedOptionIds, freeformText }) => {
    const options = objectsIn(questions.find(({ id }) => id === questionId)?.options)
    const chosen = asList(selectedOptionIds).map(
      (id) => asText(options.find((each) => each.id === id)?.label) ?? textOf(id),
    )
    const words = [...chosen, asText(freeformText)].filter((part) => part !== undefined)
    return words.length === 0 ? [] : [[textOf(questionId), words.join('; ')] as const]
  })
  return answers.length === 0 ? restText(result) : JSON.stringify({ answers: Object.fromEntries(answers) })
}

/** The files that a pattern found, a path a line. */
function filesText(result: JsonObject): string | undefined {
  if (!Array.isArray(result.directories)) return undefined
  const paths = objectsIn(result.directories).flatMap(({ absPath, files }) =>
    objectsIn(files).map(({ relPath }) => [asText(absPath), textOf(relPath)].filter(Boolean).join('/')),
  )
  return paths.join('\n')
}

function diffText(result: JsonObject): string | undefined {
  const chunks = objectsIn(asObject(result.diff)?.chunks).flatMap((chunk) => asText(chunk.diffString) ?? [])
  return chunks.length === 0 ? undefined : chunks.join('\n')
}

function restText(result: JsonObject): string {
  const rest = Object.entries(result).filter(([name]) => !ownFields.test(name))
  return rest.length === 0 ? '' : textOf(Object.fromEntries(rest))
}
