import type { Session, SessionEvent } from '@tenfold/core'
import type { EventDraft } from '@tenfold/core/readers'

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

/** A session with two edits, a check that failed, a push and a rule of the user. */
export const kilnSession = sessionOf([
  { type: 'user', origin: 'typed', text: 'Please build the glaze scheduler for kiln 48213.' },
  { type: 'assistant', text: 'I will start with src/scheduler/index.ts and run npm test after it.' },
  ...call(
    'Write',
    'edit',
    { file_path: '/home/dev/kiln/src/scheduler/index.ts', content: 'export function planGlaze() {}' },
    'File created',
  ),
  ...call(
    'Edit',
    'edit',
    { file_path: '/home/dev/kiln/src/furnace.ts', old_string: 'a', new_string: 'heatCurve' },
    'updated',
  ),
  ...call(
    'Bash',
    'execute',
    { command: 'cd src && npm test -- --run' },
    'TypeError: heatCurve is not callable',
    'error',
  ),
  ...call('Bash', 'execute', { command: 'rm src/draft.ts; git push origin main' }, 'ok'),
  {
    type: 'user',
    origin: 'typed',
    text: 'Never touch the porcelain archive, see https://kiln.example/rules please.',
  },
])
