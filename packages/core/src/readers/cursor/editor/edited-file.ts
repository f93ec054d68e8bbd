import type { FileChange } from '../../../session/event.ts'
import { asCount, asObject, asText, type JsonObject, objectsIn } from '../../../session/json-values.ts'
import { changedRegion, diffCounts } from '../../shared/diff-counts.ts'

/** What an edit did to its file. */
export interface EditedFile {
  /** The lines that changed, under the names that arguments of edits have. */
  readonly input?: JsonObject
  readonly change?: FileChange
}

/** Hash of the empty text, under which a file that did not exist is kept. */
const empty = 'composer.content.e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/**
 * What an edit changed: between the contents that its result refers to, or otherwise from the diff in the result or the
 * text in the arguments.
 */
export function editedFile(
  params: JsonObject,
  result: JsonObject,
  contents: ReadonlyMap<string, string>,
): EditedFile | undefined {
  const path = asText(params.relativeWorkspacePath)
  if (path === undefined) return undefined
  const before = asText(result.beforeContentId) ?? empty
  const [old, text] = [
    before === empty ? '' : (contents.get(before) ?? asText(result.contentsBeforeEdit)),
    contents.get(asText(result.afterContentId) ?? '') ?? asText(result.contentsAfterEdit),
  ]
  if (old !== undefined && text !== undefined) return betweenContents(path, old, text)
  const diff = fromDiff(path, result)
  const streamed = asText(params.streamingContent) ?? asText(params.contentsAfterEdit)
  return streamed === undefined ? diff : { input: { patch: streamed }, ...diff }
}

function betweenContents(path: string, before: string, after: string): EditedFile {
  const { added, removed } = changedRegion(before.replace(/\n$/, ''), after.replace(/\n$/, ''))
  const action = before === '' ? 'created' : 'modified'
  return {
    input: { old_string: removed.join('\n'), new_string: added.join('\n') },
    change: { path, action, added: added.length, removed: removed.length },
  }
}

/** The chunks of a result's diff, whose lines are counted there or in their text. */
function fromDiff(path: string, result: JsonObject): EditedFile | undefined {
  const chunks = objectsIn(asObject(result.diff)?.chunks)
  if (chunks.length === 0) return undefined
  const sum = (name: 'added' | 'removed', field: string): number =>
    chunks.reduce((total, chunk) => total + (asCount(chunk[field]) ?? countIn(chunk, name)), 0)
  const action = result.fileWasCreated === true ? 'created' : 'modified'
  return {
    change: { path, action, added: sum('added', 'linesAdded'), removed: sum('removed', 'linesRemoved') },
  }
}

function countIn({ diffString }: JsonObject, name: 'added' | 'removed'): number {
  const text = asText(diffString) ?? ''
  return diffCounts(text.startsWith('@@') ? text : `@@\n${text}`)?.[name] ?? 0
}
