import { asCount, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import type { LogRecord, SessionWriter } from '../reader/reader.ts'
import { isSettings } from './detect.ts'
import { createDroidState, type DroidState, droidUsage, readMessage, write } from './messages.ts'

/** Reads the records of a session, and its settings. */
export async function readDroid(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  const state = createDroidState(out)
  for await (const record of records) readRecord(state, record)
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
  out.meta({ id: asText(record.id), title, cwd: asText(record.cwd) })
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
  if (!state.counted && usage !== undefined) {
    const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens, thinkingTokens } = usage
    const counts = droidUsage(inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens)
    out.usage('session', 'main', model ?? 'unknown', { ...counts, reasoningTokens: asCount(thinkingTokens) })
  }
  out.absorb('settings and usage of the session')
}
