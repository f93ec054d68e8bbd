import { asCount, asObject, asText, type JsonObject, objectsIn } from '../../session/json-values.ts'
import { textOf } from '../../session/plain-value.ts'
import { pathOfUri } from '../shared/path-of-uri.ts'
import { timeOfMillis } from '../shared/time.ts'
import type { Writer } from '../shared/writer.ts'
import { type ChatTool, invocationTool, kindOfTool, roundTool } from './tools.ts'

export function readRequest(writer: Writer, request: JsonObject, index: number): void {
  const started = timeOfMillis(request.timestamp)
  writer.time = started
  readQuestion(writer, request)
  const result = asObject(request.result)
  const metadata = asObject(result?.metadata)
  const model = asText(metadata?.resolvedModel) ?? asText(request.modelId)?.replace(/^copilot\//, '')
  writer.model = model
  const rounds = objectsIn(metadata?.toolCallRounds)
  const response = objectsIn(request.response)
  if (rounds.length === 0) readResponse(writer, response)
  else {
    const results = asObject(metadata?.toolCallResults) ?? {}
    const shown = shownTerminals(rounds, response)
    let said = false
    for (const round of rounds) {
      writer.time = timeOfMillis(round.timestamp) ?? started
      writer.model = asText(round.modelId) ?? model
      const thought = asObject(round.thinking)?.text
      writer.think(Array.isArray(thought) ? thought.map(textOf).join('\n') : textOf(thought))
      if (writer.say(textOf(round.response))) said = true
      writer.model = model
      for (const call of objectsIn(round.toolCalls))
        writeTool(writer, roundTool(call, results, shown.get(call)))
    }
    writer.time = started
    if (!said) readResponse(writer, response, true)
  }
  writer.context('harness', 'error', asText(asObject(result?.errorDetails)?.message) ?? '')
  if (request.isCanceled === true) writer.context('harness', 'interrupted', 'The user stopped the answer.')
  const inputTokens = asCount(metadata?.promptTokens) ?? asCount(request.promptTokens)
  const outputTokens = asCount(metadata?.outputTokens) ?? asCount(request.completionTokens)
  if (inputTokens !== undefined || outputTokens !== undefined)
    writer.usage(`answer-${index + 1}`, { inputTokens, outputTokens })
}

function readQuestion(writer: Writer, request: JsonObject): void {
  const message = asObject(request.message)
  const parts = objectsIn(message?.parts).map((part) => textOf(part.text))
  const variables = objectsIn(asObject(request.variableData)?.variables)
  const images = variables.filter(({ kind }) => kind === 'image').length
  writer.ask(asText(message?.text) ?? asText(request.message) ?? parts.join(''), { images })
  const files = variables.flatMap(({ value }) => pathOfUri(asObject(value)?.uri ?? value) ?? [])
  writer.context('attachment', 'attached', [...new Set(files)].join('\n'))
}

/** The terminal commands of the rounds, with what VS Code shows of each: it has ids of its own, but the same order. */
function shownTerminals(
  rounds: readonly JsonObject[],
  response: readonly JsonObject[],
): Map<JsonObject, JsonObject> {
  const ran = rounds
    .flatMap((round) => objectsIn(round.toolCalls))
    .filter(({ name }) => name === 'run_in_terminal')
  const shown = response.filter((part) => asObject(part.toolSpecificData)?.kind === 'terminal')
  if (ran.length !== shown.length) return new Map()
  return new Map(ran.map((call, index) => [call, shown[index] ?? {}]))
}

function writeTool(writer: Writer, { id, name, input, result }: ChatTool): void {
  const call = writer.call({ id, name, input, kind: kindOfTool(name) })
  if (result !== undefined) writer.result(call, result)
}

/**
 * Writes the texts and tools in what VS Code shows of an answer, in order. Parts of a text come one by one, with
 * references between.
 */
function readResponse(writer: Writer, response: readonly JsonObject[], onlyAnswer = false): void {
  let text = ''
  let thought = ''
  const flush = (): void => {
    if (!onlyAnswer) writer.think(thought)
    writer.say(text)
    text = ''
    thought = ''
  }
  for (const part of response) {
    const { kind } = part
    if (kind === undefined || kind === 'markdownContent') text += markdownOf(part)
    else if (kind === 'inlineReference') text += `\`${referenceOf(part)}\``
    else if (kind === 'thinking') {
      if (text !== '') flush()
      thought += Array.isArray(part.value) ? part.value.map(textOf).join('') : textOf(part.value)
    } else if (kind === 'toolInvocationSerialized' || kind === 'textEditGroup') {
      flush()
      if (!onlyAnswer) writeTool(writer, invocationTool(part))
    }
  }
  flush()
}

function markdownOf({ value, content }: JsonObject): string {
  return asText(value) ?? asText(asObject(value)?.value) ?? asText(asObject(content)?.value) ?? ''
}

/** The name or path of a file or symbol within a text. */
function referenceOf({ name, inlineReference }: JsonObject): string {
  const reference = asObject(inlineReference)
  const place = asObject(reference?.location)?.uri ?? reference?.uri ?? inlineReference
  return asText(name) ?? asText(reference?.name) ?? pathOfUri(place) ?? ''
}
