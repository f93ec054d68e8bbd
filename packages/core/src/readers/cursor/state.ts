import type { EventDraft, SessionEvent, SourcePosition } from '../../session/event.ts'
import { toolKindOf } from '../../tools/tool-kind.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { createCallIds } from '../shared/call-ids.ts'

/** A call without a result so far. */
interface CursorCall {
  readonly callId: string
  readonly name: string
}

/** The state of reading one log. */
export type CursorState = ReturnType<typeof createCursorState>

/** The state before the first record. */
export function createCursorState(out: SessionWriter) {
  return {
    out,
    newCallId: createCallIds(),
    at: { file: 0, line: 1 } as SourcePosition,
    agent: 'main',
    /** When the record was written, if the log says so. */
    time: undefined as string | undefined,
    turns: 0,
    calls: 0,
    /** Calls that no result answered, oldest first. */
    open: [] as CursorCall[],
    /** Whether the log holds results at all. */
    results: false,
  }
}

/** Writes an event of the current agent. */
export function write(state: CursorState, draft: EventDraft, at: SourcePosition = state.at): SessionEvent {
  const { agent, time } = state
  return state.out.event({ agent, ...(time !== undefined && { time }), ...draft }, at)
}

/** Writes a call; most transcripts give it no id. */
export function writeCall(
  state: CursorState,
  name: string,
  input: unknown,
  id: unknown,
  at?: SourcePosition,
): void {
  state.calls++
  const callId = state.newCallId(id, `call-${state.calls}`)
  state.open.push({ callId, name })
  write(state, { type: 'tool_call', callId, name, kind: toolKindOf(name), input }, at)
}

/** Writes a result to the call with that id, or otherwise to the oldest open one, with that name if it is given. */
export function writeResult(
  state: CursorState,
  result: { readonly text: string; readonly images?: number; readonly failed?: boolean },
  { id, name }: { readonly id?: string | undefined; readonly name?: string | undefined },
  at?: SourcePosition,
): void {
  const { open, out } = state
  state.results = true
  const index = open.findIndex((call) =>
    id === undefined ? name === undefined || call.name === name : call.callId === id,
  )
  const [call] = index === -1 ? [] : open.splice(index, 1)
  if (call === undefined) out.note('result-without-call', 'a tool result answers no call of this log')
  const { text, images = 0, failed = false } = result
  const callId = call?.callId ?? id ?? state.newCallId(undefined, `result-${state.calls}`)
  const pictures = images > 0 ? { images } : {}
  write(state, { type: 'tool_result', callId, status: failed ? 'error' : 'ok', text, ...pictures }, at)
}

/** Notes at the end what the format leaves out. */
export function noteMissingResults({ calls, out, results }: CursorState): void {
  if (calls > 0 && !results)
    out.note('results-not-told', `the transcript holds no results of its ${calls} tool calls`)
}
