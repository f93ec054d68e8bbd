import { eventIndex, type SessionEvent, type ToolCallEvent, type ToolResultEvent } from '../session/event.ts'
import * as json from '../session/json.ts'

export interface ToolUse {
  readonly call: ToolCallEvent
  readonly result?: ToolResultEvent
  /** `unknown` if the log holds no result, or one that does not show how the command ended. */
  readonly outcome: ToolResultEvent['status']
  /** The log records no results at all (transcripts of Cursor), and the session went on after the call. */
  readonly unreported?: true
}

/**
 * Returns each tool call of a session in order, with its result. Skips copied history unless `copied` is set. If a call
 * id is reused, a result belongs to the latest call before it, or to the next if there is none; the last of several
 * results counts.
 */
export function joinToolUses(events: readonly SessionEvent[], copied = false): ToolUse[] {
  const uses: { call: ToolCallEvent; result?: ToolResultEvent }[] = []
  const open = new Map<string, { call?: ToolCallEvent; result?: ToolResultEvent }>()
  for (const event of events) {
    if (event.copied === true && !copied) continue
    if (event.type === 'tool_call') {
      const early = open.get(event.callId)
      const use = Object.assign(early?.call === undefined ? (early ?? {}) : {}, { call: event })
      uses.push(use)
      open.set(event.callId, use)
    } else if (event.type === 'tool_result') {
      open.set(event.callId, Object.assign(open.get(event.callId) ?? {}, { result: event }))
    }
  }
  const unreported = uses.every(({ result }) => result === undefined)
  const last = unreported ? events.findLastIndex(({ type }) => type !== 'tool_call') : -1
  return uses.map(({ call, result }): ToolUse => {
    if (result === undefined) {
      return { call, outcome: 'unknown', ...(eventIndex(call.id) < last ? { unreported: true } : {}) }
    }
    const failed = result.status === 'ok' && (result.exitCode ?? 0) !== 0
    return { call, result, outcome: failed ? 'error' : result.status }
  })
}

/** Whether a call ended without a reported failure. */
export function isDone({ outcome, result, unreported }: ToolUse): boolean {
  return outcome === 'ok' || unreported === true || (outcome === 'unknown' && result !== undefined)
}

/** The value of the first key that holds a non-empty text. */
export function textAt(input: unknown, ...keys: readonly string[]): string | undefined {
  const record = json.fields(input)
  for (const key of keys) {
    const value = json.text(Object.hasOwn(record, key) ? record[key] : undefined)
    if (value !== undefined) return value
  }
  return undefined
}
