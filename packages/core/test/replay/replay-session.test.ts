import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seedOf } from '../../../../test/support/seed.ts'
import { createEventLog, replaySession } from '../../src/entries/replay.ts'
import { redactSession, secretRedactor } from '../../src/index.ts'
import type { EventDraft } from '../../src/session/event.ts'
import { arbitrarySession } from '../support/arbitrary-session.ts'
import { expectCpuBelow } from '../support/cpu-time.ts'
import { assistant, makeSession, shell, toolCall, user } from '../support/session.ts'

const at = (second: number, draft: EventDraft): EventDraft => ({
  ...draft,
  time: new Date(Date.UTC(2026, 0, 2, 3, 0, second)).toISOString(),
})

describe('replay of a session', () => {
  it('returns marked messages and tool calls, and leaves the rest out', () => {
    const session = makeSession([
      { type: 'context', origin: 'harness', text: 'rules of the house' },
      at(1, user('Fix the parser.')),
      { type: 'reasoning', text: 'hm' },
      { type: 'assistant', text: 'I read it.', model: 'model-1' },
      ...toolCall('c1', 'Read', { file_path: 'src/a.ts' }, { text: 'const a = 1' }),
      ...shell('c2', 'npm test', '1 failed', { status: 'error', exitCode: 1 }),
      { type: 'subagent_start', child: 'sub' },
      { ...assistant('from the subagent'), agent: 'sub' },
      { type: 'compaction', text: 'so far' },
      { type: 'rewind', turns: 0 },
      { type: 'other', name: 'odd', raw: {} },
      { type: 'tool_result', callId: 'c0', status: 'ok', text: 'of a call before the log' },
      ...toolCall('c3', 'Read', { file_path: 'src/b.ts' }, null),
    ])
    const events = replaySession(session)
    const shared = { replayed: true, session: 'session-1', agent: 'main', id: expect.any(String) }
    expect(events).toEqual([
      { ...shared, type: 'user', text: 'Fix the parser.', time: '2026-01-02T03:00:01.000Z', event: 'e2' },
      { ...shared, type: 'assistant', text: 'I read it.', model: 'model-1', event: 'e4' },
      {
        ...shared,
        type: 'tool_progress',
        callId: 'c1',
        name: 'Read',
        kind: 'read',
        text: 'file_path: src/a.ts',
        event: 'e5',
      },
      {
        ...shared,
        type: 'tool_summary',
        callId: 'c1',
        name: 'Read',
        status: 'ok',
        text: 'const a = 1',
        event: 'e6',
      },
      {
        ...shared,
        type: 'tool_progress',
        callId: 'c2',
        name: 'Bash',
        kind: 'execute',
        text: 'command: npm test',
        event: 'e7',
      },
      {
        ...shared,
        type: 'tool_summary',
        callId: 'c2',
        name: 'Bash',
        status: 'error',
        exitCode: 1,
        text: '1 failed',
        event: 'e8',
      },
      { ...shared, type: 'assistant', agent: 'sub', text: 'from the subagent', event: 'e10' },
      {
        ...shared,
        type: 'tool_summary',
        callId: 'c0',
        status: 'ok',
        text: 'of a call before the log',
        event: 'e14',
      },
      {
        ...shared,
        type: 'tool_progress',
        callId: 'c3',
        name: 'Read',
        kind: 'read',
        text: 'file_path: src/b.ts',
        event: 'e15',
      },
    ])
  })

  it('gives the same ids for the same log, and keeps them as it grows', () => {
    fc.assert(
      fc.property(arbitrarySession, fc.nat(), (session, cut) => {
        const before = structuredClone(session)
        const all = replaySession(session)
        expect(session).toEqual(before)
        expect(replaySession(structuredClone(session))).toEqual(all)
        expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
        const part = { ...session, events: session.events.slice(0, cut % session.events.length) }
        const some = replaySession(part)
        expect(some).toEqual(all.slice(0, some.length))
      }),
      { numRuns: 20, seed: seedOf(1) },
    )
  })

  it('keeps the id of a call and its result if their times become known only later', () => {
    const calls = toolCall('c1', 'Read', { file_path: 'a' }, { text: 'A' })
    const ids = (drafts: EventDraft[]) => replaySession(makeSession(drafts)).map(({ id }) => id)
    expect(ids(calls.map((draft) => at(3, draft)))).toEqual(ids(calls))
  })

  it('keeps ids if the reader derives the id of the session from the bytes of the log', () => {
    const drafts = [at(1, user('Go.')), at(2, assistant('Done.'))]
    const of = (sha256: string) => {
      const session = makeSession(drafts, { id: sha256.slice(0, 16) })
      return replaySession({ ...session, source: { ...session.source, sha256 } }).map(({ id }) => id)
    }
    expect(of('a'.repeat(64))).toEqual(of('b'.repeat(64)))
  })

  it('keeps ids of timed events whatever is redacted', () => {
    const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
    const session = makeSession([at(1, user(`Use ${token}.`)), at(2, assistant('Done.'))])
    const clean = redactSession(session, [secretRedactor()])
    expect(replaySession(clean)[0]?.text).not.toContain(token)
    expect(replaySession(clean).map(({ id }) => id)).toEqual(replaySession(session).map(({ id }) => id))
  })

  it('merges agents by time and keeps the order of each, even if its clock goes back', () => {
    const sub = (draft: EventDraft): EventDraft => ({ ...draft, agent: 'sub' })
    const session = makeSession([
      at(1, user('one')),
      at(9, assistant('three')),
      at(2, assistant('four')),
      assistant('five'),
      at(20, assistant('eight')),
      sub(assistant('two')),
      sub(at(5, assistant('two and a half'))),
      sub(at(15, assistant('six'))),
      sub(assistant('seven')),
    ])
    expect(replaySession(session).map(({ text }) => text)).toEqual([
      'one',
      'two',
      'two and a half',
      'three',
      'four',
      'five',
      'six',
      'seven',
      'eight',
    ])
  })

  it('returns only what comes after an event, and reports an unknown event', () => {
    const session = makeSession(['a', 'b', 'c'].map(user))
    const [first, , last] = replaySession(session)
    expect(replaySession(session, { after: first?.id ?? '' }).map(({ text }) => text)).toEqual(['b', 'c'])
    expect(replaySession(session, { after: last?.id ?? '' })).toEqual([])
    expect(() => replaySession(session, { after: 'nonsense' })).toThrow(
      expect.objectContaining({ code: 'unknown-event', message: expect.stringContaining('"nonsense"') }),
    )
  })

  it('marks history of another session and what was withdrawn', () => {
    const session = makeSession([
      { ...user('of the parent'), copied: true },
      { ...user('taken back'), inContext: false },
    ])
    expect(replaySession(session)).toMatchObject([{ copied: true }, { inContext: false }])
  })

  it('replays 20,000 events in seconds, twice into a log without duplicates', async () => {
    const drafts = Array.from({ length: 5000 }, (_, index) => [
      at(index, user('Go on.')),
      assistant(`Step ${index}: ${'word '.repeat(50)}`),
      ...shell(`c${index}`, 'npm test', 'x'.repeat(2000)),
    ]).flat()
    const session = makeSession(drafts)
    await expectCpuBelow(30_000, () => {
      const log = createEventLog()
      for (const event of replaySession(session)) log.add(event)
      const again = replaySession(session).filter((event) => log.add(event))
      expect(again).toEqual([])
      expect(log.size).toBe(20_000)
    })
  })
})
