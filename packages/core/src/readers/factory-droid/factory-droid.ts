import { asCount, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import type { LogHead, LogRecord, Reader, SessionMeta } from '../reader/reader.ts'
import { droidLogs, settingsFile } from './folder.ts'
import { createDroidState, type DroidState, readMessage, write } from './messages.ts'

/**
 * Reads sessions of Factory's Droid, `~/.factory/sessions/<project>/<id>.jsonl`, with the model and the usage from
 * `<id>.settings.json` next to them.
 */
export const factoryDroidReader: Reader = {
  name: 'factory-droid',
  framing: ({ document }: LogHead) => (isSettings(document) ? 'document' : 'lines'),
  detect,
  logsInFolder: droidLogs,
  sessionFiles: settingsFile,
  async read(records, out) {
    const state = createDroidState(out)
    for await (const record of records) readRecord(state, record)
  },
}

function detect({ records }: LogHead): number {
  let score = 0
  for (const value of records) {
    const record = asObject(value)
    if (record?.type === 'session_start' && asText(record.id) !== undefined) {
      const marks = [record.sessionTitle, record.owner, record.version, record.cwd, record.title]
      if (marks.filter((mark) => mark !== undefined).length >= 2) return 1
    }
    const role = asObject(record?.message)?.role
    const isMessage =
      record?.type === 'message' && asText(record.id) !== undefined && !('uuid' in (record ?? {}))
    // pi writes the same kind of record, in a session with another beginning.
    if (record?.type === 'session') return 0
    if (isMessage && (role === 'user' || role === 'assistant')) score = 0.55
  }
  return score
}

function isSettings(value: unknown): value is JsonObject {
  const object = asObject(value)
  return object !== undefined && object.type === undefined && ('tokenUsage' in object || 'model' in object)
}

function readRecord(state: DroidState, { value }: LogRecord): void {
  const { out } = state
  const record = asObject(value)
  state.time = asText(record?.timestamp)
  state.hidden = false
  if (record !== undefined && readKnown(state, record)) return
  if (isSettings(value)) readSettings(state, value)
  else out.event({ type: 'other', name: asText(record?.type) ?? 'unknown', raw: value })
}

function readKnown(state: DroidState, record: JsonObject): boolean {
  const { out } = state
  switch (record.type) {
    case 'session_start':
      readStart(state, record)
      return true
    case 'message':
      return readMessage(state, record)
    case 'todo_state':
      out.absorb('task list, as the call before it wrote it')
      return true
    case 'session_event':
    case 'session_end':
      out.absorb('session metadata')
      return true
    case 'compaction_state':
    case 'compaction': {
      const text = asText(record.summaryText) ?? asText(record.summary)
      const tokensBefore = asCount(record.tokensBefore) ?? asCount(record.removedTokens)
      if (text === undefined) return false
      write(state, { type: 'compaction', text, ...(tokensBefore !== undefined && { tokensBefore }) })
      return true
    }
  }
  return false
}

const untitled = 'New Session'

function readStart({ out }: DroidState, record: JsonObject): void {
  const titles = [record.sessionTitle, record.title].map(asText)
  const title = titles.find((text) => text !== undefined && text !== untitled)
  out.meta(known<SessionMeta>({ id: asText(record.id), title, cwd: asText(record.cwd) }))
  out.absorb('session metadata')
}

/**
 * `{model, tokenUsage: {inputTokens, outputTokens, cacheCreationTokens, cacheReadTokens, thinkingTokens}}`; input
 * excludes the cache.
 */
function readSettings(state: DroidState, settings: JsonObject): void {
  const { out } = state
  const model = asText(settings.model)
  if (model !== undefined) out.meta({ models: [model] })
  const usage = asObject(settings.tokenUsage)
  const input = asCount(usage?.inputTokens)
  const outputTokens = asCount(usage?.outputTokens)
  const read = asCount(usage?.cacheReadTokens)
  const written = asCount(usage?.cacheCreationTokens)
  const reasoningTokens = asCount(usage?.thinkingTokens)
  if (!state.counted && usage !== undefined)
    out.usage('session', 'main', model ?? 'unknown', {
      ...(input !== undefined && { inputTokens: input + (read ?? 0) + (written ?? 0) }),
      ...(outputTokens !== undefined && { outputTokens }),
      ...(read !== undefined && { cacheReadTokens: read }),
      ...(written !== undefined && { cacheWriteTokens: written }),
      ...(reasoningTokens !== undefined && { reasoningTokens }),
    })
  out.absorb('settings and usage of the session')
}
