import type { EventDraft, Session, SessionEvent } from '@tenfold/core'

/** A session of the events, numbered in order. */
export function sessionOf(drafts: readonly EventDraft[]): Session {
  const events = drafts.map(
    (draft, at) =>
      ({
        agent: 'main',
        turn: 1,
        source: { file: 0, line: at + 1 },
        ...draft,
        id: `e${at + 1}`,
      }) as SessionEvent,
  )
  const account = { lines: events.length, events: events.length, other: 0, notes: 0, blank: 0, absorbed: [] }
  return {
    id: 's1',
    format: 'tenfold',
    cwd: '/home/dev/kiln',
    models: [],
    agents: [{ id: 'main' }],
    events,
    usage: [],
    notes: [],
    source: { files: [], bytes: 0, sha256: '0'.repeat(64), images: 0, account },
  }
}

let calls = 0

/** A tool call and its result. */
export function call(
  name: string,
  kind: 'edit' | 'execute' | 'read',
  input: object,
  text: string,
  status: 'ok' | 'error' = 'ok',
): EventDraft[] {
  const callId = `c${++calls}`
  return [
    { type: 'tool_call', callId, name, kind, input },
    { type: 'tool_result', callId, status, text },
  ]
}
