import { asCount, asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { type QwenState, write } from './state.ts'

/** Kinds that hold no words: what other records report in full, and the harness's own state. */
const passing = new Map([
  ['ui_telemetry', 'usage and calls, as other records report them'],
  ['attribution_snapshot', "state of the harness's files"],
  ['file_history_snapshot', "state of the harness's files"],
  ['session_model', 'session metadata'],
  ['parent_session', 'session metadata'],
  ['turn_result', 'session metadata'],
])

/** Reads a `system` record. Returns `false` if its kind is not known. */
export function readSystem(state: QwenState, record: JsonObject): boolean {
  const { out } = state
  const kind = asText(record.subtype) ?? ''
  const payload = asObject(record.systemPayload) ?? {}
  const reason = passing.get(kind)
  if (reason !== undefined) {
    out.absorb(reason)
    return true
  }
  switch (kind) {
    case 'custom_title': {
      const title = asText(payload.customTitle) ?? asText(payload.title)
      if (title !== undefined) out.meta({ title })
      out.absorb('session metadata')
      return true
    }
    case 'slash_command': {
      const text = asText(payload.rawCommand)
      if (payload.phase === 'invocation' && text !== undefined)
        write(state, { type: 'user', origin: 'command', text })
      else out.absorb('end of a command')
      return true
    }
    case 'rewind':
      rewind(state, asText(record.parentUuid))
      return true
    case 'chat_compression': {
      const tokensBefore = asCount(asObject(payload.info)?.originalTokenCount)
      const text = summaryOf(payload.compressedHistory)
      write(state, { type: 'compaction', text, ...(tokensBefore !== undefined && { tokensBefore }) })
      return true
    }
  }
  return false
}

/** Takes back what follows the record that a rewind continues; everything if it continues none. */
function rewind(state: QwenState, parent: string | undefined): void {
  const { out, turns, turnsAfter } = state
  const kept = parent === undefined ? 0 : turnsAfter.get(parent)
  if (kept === undefined)
    out.note('rewind-unknown', 'a rewind names no record of this log: all messages were taken back')
  const taken = turns - (kept ?? 0)
  if (taken <= 0) {
    out.absorb('rewind without effect')
    return
  }
  out.rewind(taken)
  write(state, { type: 'rewind', turns: taken })
  state.turns -= taken
}

/** The first message of the new history is the summary of what it replaces. */
function summaryOf(history: unknown): string {
  const parts = asList(asObject(asList(history)[0])?.parts)
  return parts.flatMap((part) => asText(asObject(part)?.text) ?? []).join('\n')
}
