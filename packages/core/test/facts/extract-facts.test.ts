import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { repeats } from '../../../../test/support/repeats.ts'
import { seedOf } from '../../../../test/support/seed.ts'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import type { EventDraft } from '../../src/session/event.ts'
import { emptyFacts } from '../../src/testing/empty-facts.ts'
import { makeSession, shell, toolCall, user } from '../support/session.ts'

const text = fc.oneof(
  fc.string(),
  fc.constantFrom(
    'Exit code 1',
    '*** Begin Patch\n*** Add File: a\n+b',
    '[main abc1234] x',
    'Task #1 created',
    'cd "',
    'git status',
    'rm -rf a && mv b c/',
    '<<EOF',
    'you must',
  ),
)
const key = fc.constantFrom(
  'command',
  'cmd',
  'file_path',
  'path',
  'todos',
  'plan',
  'edits',
  'old_string',
  'new_string',
  'content',
  'status',
  'action',
  '__proto__',
  'taskId',
)
const input = fc.oneof(
  fc.jsonValue(),
  text,
  fc.dictionary(key, fc.oneof(fc.jsonValue(), text, fc.array(text))),
)
const name = fc.constantFrom(
  'Bash',
  'shell',
  'PowerShell',
  'Read',
  'Write',
  'Edit',
  'MultiEdit',
  'apply_patch',
  'TodoWrite',
  'update_plan',
  'TaskCreate',
  'TaskUpdate',
  'BashOutput',
  'exec_command',
  'write_stdin',
  '__proto__',
)
const kind = fc.constantFrom('read', 'edit', 'delete', 'move', 'search', 'execute', 'other')
const status = fc.constantFrom('ok', 'error', 'denied', 'cancelled')
const callId = fc.constantFrom('1', '2', '3', 'constructor')
const draft = fc.oneof(
  fc.record({ type: fc.constant('tool_call'), callId, name, kind, input }),
  fc.record(
    { type: fc.constant('tool_result'), callId, status, text, exitCode: fc.integer() },
    { requiredKeys: ['type', 'callId', 'status', 'text'] },
  ),
  fc.record({ type: fc.constantFrom('user', 'assistant', 'reasoning', 'context', 'compaction'), text }),
) as fc.Arbitrary<EventDraft>

describe('extractFacts', () => {
  it('never throws and never changes its input', () => {
    fc.assert(
      fc.property(fc.array(draft, { maxLength: 30 }), fc.option(text, { nil: undefined }), (drafts, cwd) => {
        const session = makeSession(drafts, cwd === undefined ? {} : { cwd })
        const before = structuredClone(session)
        const facts = extractFacts(session)
        expect(session).toEqual(before)
        expect(extractFacts(session)).toEqual(facts)
      }),
      { numRuns: repeats({ few: 100, all: 300 }), seed: seedOf(1) },
    )
  })

  it('cites only events that exist', () => {
    fc.assert(
      fc.property(fc.array(draft, { maxLength: 30 }), (drafts) => {
        const session = makeSession(drafts)
        const ids = new Set(session.events.map(({ id }) => id))
        const { files, commands, errors, tasks, git, constraints, identifiers } = extractFacts(session)
        const cited = [
          ...files.flatMap(({ evidence }) => evidence),
          ...commands.flatMap(({ call, result }) => (result === undefined ? [call] : [call, result])),
          ...errors.flatMap(({ event, resolvedBy }) =>
            resolvedBy === undefined ? [event] : [event, resolvedBy],
          ),
          ...[...tasks, ...git.commits, ...constraints].map(({ event }) => event),
          ...[...identifiers.values()].flatMap(({ first, last }) => [first, last]),
        ]
        expect(cited.filter((id) => !ids.has(id))).toEqual([])
      }),
      { seed: seedOf(2) },
    )
  })

  it('joins a result with the latest call of its id', () => {
    const drafts = [
      ...shell('1', 'npm test', 'FAIL', { status: 'error', exitCode: 1 }),
      ...shell('1', 'npm run lint'),
    ]
    expect(extractFacts(makeSession(drafts)).commands.map(({ result }) => result)).toEqual(['e2', 'e4'])
  })

  it('finds nothing in an empty session', () => {
    expect(extractFacts(makeSession([]))).toEqual(emptyFacts)
  })

  it('accepts deeply nested input', () => {
    let deep: unknown = 'src/a.ts'
    for (let depth = 0; depth < 5000; depth += 1) deep = [deep]
    const facts = extractFacts(
      makeSession([
        user('x'),
        ...toolCall('1', 'mcp', deep),
        ...toolCall('2', 'mcp', deep, { status: 'error' }),
      ]),
    )
    expect(facts.identifiers.get('src/a.ts')?.count).toBe(2)
  })
})
