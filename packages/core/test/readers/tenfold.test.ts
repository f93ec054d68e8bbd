import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { repeats } from '../../../../test/support/repeats.ts'
import { seedOf } from '../../../../test/support/seed.ts'
import { emptySummary } from '../../src/bundle/section-contents.ts'
import { compressLog } from '../../src/compress-log.ts'
import { readSession } from '../../src/readers/read-session.ts'
import { createSessionWriter } from '../../src/readers/reader/session-builder.ts'
import { sessionToJsonl } from '../../src/readers/tenfold.ts'
import type { EventDraft } from '../../src/session/event.ts'
import { atOnce } from '../../src/session/pauses.ts'
import type { Session } from '../../src/session/session.ts'
import { jsonl, log, read } from './claude-code-log.ts'

const again = (session: Session) => readSession(Buffer.from([...sessionToJsonl(session)].join('')))
const odd = (...lines: unknown[]) =>
  readSession(Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')))
const withoutSource = ({ source: _, ...rest }: Session) => rest

const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }))
const draft = fc.oneof(
  fc.record({ type: fc.constant('user'), origin: fc.constantFrom('typed', 'queued', 'command'), text }),
  fc.record({
    type: fc.constant('context'),
    origin: fc.constantFrom('hook', 'agent'),
    name: text,
    text,
    images: fc.nat(9),
  }),
  fc.record({
    type: fc.constant('assistant'),
    text,
    model: fc.constantFrom('m1', 'm2'),
    copied: fc.constant(true),
  }),
  fc.record({ type: fc.constant('reasoning'), text, agent: fc.constantFrom('main', 'a', '__proto__') }),
  fc.record({
    type: fc.constant('tool_call'),
    callId: text,
    name: text,
    kind: fc.constantFrom('read', 'other'),
    input: fc.jsonValue(),
    time: fc.constantFrom('2026-01-01T00:00:00Z', '2025-01-01T00:00:00.123Z'),
  }),
  fc.record({
    type: fc.constant('tool_result'),
    callId: text,
    status: fc.constantFrom('ok', 'denied'),
    text,
    exitCode: fc.integer(),
    changes: fc.array(
      fc.record({ path: text, action: fc.constantFrom('created', 'modified'), added: fc.nat() }),
    ),
  }),
  fc.record({ type: fc.constant('subagent_start'), child: fc.constantFrom('a', 'b'), callId: text }),
  fc.record({ type: fc.constant('compaction'), text, trigger: text, tokensBefore: fc.nat() }),
  fc.record({ type: fc.constant('rewind'), turns: fc.nat(3) }),
  fc.record({ type: fc.constant('other'), name: text, raw: fc.jsonValue() }),
) as fc.Arbitrary<EventDraft>

describe("Tenfold's own session lines", () => {
  it('read back to the same session, except for the source', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(draft, { maxLength: 30 }), async (drafts) => {
        const out = createSessionWriter({ format: 'claude-code', files: ['a.jsonl', 'b.jsonl'] })
        for (const [index, item] of drafts.entries()) {
          out.begin({ file: index % 2, line: index + 1 })
          out.event(item)
          if (item.type === 'rewind') out.rewind(item.turns)
          if (index % 5 === 4) out.note('odd', 'something odd')
          out.usage(`r${index}`, 'main', 'm3', { inputTokens: index })
        }
        out.meta({ id: 'id', title: 'Title', cwd: '/w', commit: 'abc' })
        const session = atOnce(out.finish([]))
        // JSON has no -0.
        const written = JSON.parse(JSON.stringify(withoutSource(session)))
        expect(withoutSource(await again(session))).toEqual(written)
      }),
      { numRuns: repeats({ few: 60, all: 200 }), seed: seedOf(1) },
    )
  })

  it('keep more notes of a code than are shown singly', async () => {
    const records = [log().user('go')]
    const bytes = Buffer.concat([jsonl(records), Buffer.from('bad\n'.repeat(40))])
    const session = await readSession(bytes)
    expect((await again(session)).notes).toEqual(session.notes)
  })

  it('account for each line', async () => {
    const { user, call } = log()
    const session = await read([user('go'), call('c', 'Read')])
    expect((await again(session)).source.account).toMatchObject({
      lines: 3,
      events: 2,
      absorbed: [['session metadata', 1]],
    })
  })

  it('survive missing or odd lines', async () => {
    const { user, call } = log()
    const [header, , second] = [...sessionToJsonl(await read([user('go'), call('c', 'Read')]))]
    const odd = '{"id":"e9","type":"tool_result","callId":5}\n'
    const session = await readSession(Buffer.from([header, second, odd, '7\n'].join('')))
    expect(session.events).toMatchObject([
      { id: 'e1', type: 'tool_call', source: { file: 0, line: 2 } },
      { id: 'e2', type: 'other', name: 'tool_result' },
      { id: 'e3', type: 'other', name: 'unknown', raw: 7 },
    ])
    expect(session.notes).toMatchObject([{ code: 'renumbered' }])
    const newer = await readSession(Buffer.from('{"tenfold":"session","version":2}\n'))
    expect(newer.notes).toMatchObject([{ code: 'unknown-version' }])
  })
})

describe('odd values', () => {
  it('in ids, versions and agents are read without a crash, and agents become one word', async () => {
    const hostile = { toString: 1, valueOf: null }
    const session = await odd(
      {
        tenfold: 'session',
        version: hostile,
        id: hostile,
        agents: [{ id: 'sub agent', parent: 'ma\tin' }, hostile],
      },
      { type: 'user', origin: 'typed', text: 'go', id: hostile, agent: 'sub agent', turn: hostile },
      { type: 'assistant', text: 'ok', id: ['e9'], agent: ' \n', source: hostile },
      { type: 'subagent_start', child: 'x y', id: 'e3' },
    )
    expect(session.events.map(({ id, agent }) => [id, agent])).toEqual([
      ['e1', 'sub_agent'],
      ['e2', 'agent'],
      ['e3', 'main'],
    ])
    expect(session.agents.map(({ id }) => id)).toContain('sub_agent')
    expect(session.events[2]).toMatchObject({ child: 'x_y' })
    expect(session.notes).toMatchObject([{ code: 'unknown-version' }])
    const { bundle } = await compressLog(Buffer.from([...sessionToJsonl(session)].join('')), {
      summarizer: {
        name: 'none',
        summarize: async () => ({ summary: emptySummary(), calls: [] }),
      } as never,
    })
    expect(bundle.trail.map(({ agent }) => agent)).toContain('sub_agent')
  })
})
