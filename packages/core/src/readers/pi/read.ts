import type { SourcePosition } from '../../session/event.ts'
import { asObject, asText, asTime, type JsonObject } from '../../session/json-values.ts'
import { byWord } from '../../tools/by-word.ts'
import type { LogRecord, SessionWriter } from '../reader/reader.ts'
import { readCustom, readMessage, readSummary, readUsage } from './messages.ts'
import { createPiState, type PiState, write } from './state.ts'
import { enterEntry } from './tree.ts'

export async function readPi(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  const state = createPiState(out)
  const history = holdHistory(state)
  for await (const { value, file, line } of records) history.read(value, { file, line })
  history.finish()
}

/**
 * Holds back the history at the beginning of a session that was branched from another one: a copy, older than the
 * session itself. It waits until the session says something of its own; a copy with nothing after it is read as a
 * session.
 */
function holdHistory(state: PiState): {
  read(value: unknown, at: SourcePosition): void
  finish(): void
} {
  const held: { value: unknown; at: SourcePosition }[] = []
  let since: number | undefined

  function flush(copied: boolean): void {
    state.copied = copied
    for (const { value, at } of held.splice(0)) readRecord(state, value, at)
    state.copied = false
    since = undefined
  }

  return {
    read(value, at) {
      const record = asObject(value)
      if (record?.type === 'session') since ??= branchedAt(record)
      else if (since !== undefined && record !== undefined) {
        const time = Date.parse(asText(record.timestamp) ?? '')
        if (time < since || record.type !== 'message') {
          held.push({ value, at })
          state.out.absorb('history copied from another session')
          return
        }
        flush(true)
      }
      readRecord(state, value, at)
    },
    finish() {
      if (!held.some(({ value }) => asObject(value)?.type === 'message')) {
        flush(false)
        return
      }
      state.out.note(
        'copied-history',
        'this session only copies another one; the copy is read as its own history',
      )
      flush(false)
    },
  }
}

function branchedAt({ branchedFrom, parentSession, timestamp }: JsonObject): number | undefined {
  if (asText(branchedFrom) === undefined && asText(parentSession) === undefined) return undefined
  const time = asTime(timestamp)
  return time === undefined ? undefined : Date.parse(time)
}

function readRecord(state: PiState, value: unknown, at: SourcePosition): void {
  state.at = at
  const record = asObject(value)
  const time = asText(record?.timestamp)
  state.time = time
  if (record !== undefined) enterEntry(state, record)
  if (record !== undefined && readEntry(state, record)) return
  write(state, { type: 'other', name: asText(record?.type) ?? 'unknown', raw: value })
}

/** Entries that say nothing about the conversation. */
const passing = byWord({
  progress:
    'agent_start agent_end turn_start turn_end message_start message_update tool_execution_start tool_execution_update tool_execution_end',
  settings: 'thinking_level_change',
  'change of what the model sees of an entry': 'context_edit',
  'label of an entry': 'label',
  'state of an extension': 'custom',
})

/** Reads an entry; returns `false` if its kind is not known. */
function readEntry(state: PiState, record: JsonObject): boolean {
  const { out, at } = state
  const type = asText(record.type) ?? ''
  switch (type) {
    case 'session':
      readHeader(state, record, out)
      return true
    case 'message':
    // A complete message of `pi --mode json`.
    case 'message_end': {
      const message = asObject(record.message)
      const key = asText(record.id) ?? `${at.file}:${at.line}`
      return message !== undefined && readMessage(state, message, key)
    }
    case 'usage':
      readUsage(state, record, asText(record.id) ?? `${at.file}:${at.line}`)
      return true
    case 'compaction':
      readSummary(state, 'compactionSummary', record)
      return true
    case 'branch_summary':
      readSummary(state, 'branchSummary', record)
      return true
    case 'custom_message':
      readCustom(state, record)
      return true
    case 'model_change':
      state.model = asText(record.modelId) ?? state.model
      out.absorb('settings')
      return true
    case 'session_info':
      out.meta({ title: asText(record.name) })
      out.absorb('session metadata')
      return true
  }
  const reason = passing.get(type)
  if (reason !== undefined) out.absorb(reason)
  return reason !== undefined
}

function readHeader(state: PiState, header: JsonObject, out: SessionWriter): void {
  state.model = asText(header.modelId) ?? state.model
  out.meta({ id: asText(header.id), cwd: asText(header.cwd) })
  out.absorb('session metadata')
}
