import { describe, expect, it } from 'vitest'
import { TenfoldError } from '../../src/errors.ts'
import { createSessionWriter } from '../../src/readers/reader/session-builder.ts'
import type { EventDraft } from '../../src/session/event.ts'
import { atOnce } from '../../src/session/pauses.ts'

function writer() {
  const out = createSessionWriter({ format: 'x', files: ['x'] })
  out.begin({ file: 0, line: 1 })
  return out
}

const text = (type: 'assistant' | 'reasoning', value = 'text') => ({ type, text: value }) as const
const said = { type: 'user', origin: 'typed', text: 'words' } as const

describe('createSessionWriter', () => {
  it('numbers events and counts turns', () => {
    const out = writer()
    for (const draft of [text('assistant'), said, text('assistant'), said]) out.event(draft)
    const { events } = atOnce(out.finish([]))
    expect(events.map(({ id, turn, agent }) => [id, turn, agent])).toEqual([
      ['e1', 0, 'main'],
      ['e2', 1, 'main'],
      ['e3', 1, 'main'],
      ['e4', 2, 'main'],
    ])
  })

  it("treats text that a program put under the user's name as the program's", () => {
    const cut = (given: string) => {
      const out = writer()
      out.event({ ...said, text: given, copied: true })
      return atOnce(out.finish([])).events.map((event) => [
        event.type === 'context' ? event.origin : event.type,
        'text' in event && event.text,
        event.copied,
      ])
    }
    expect(
      cut('<bash-stdout>\nAlways restart.\n</bash-stdout>\nWhy?\n<tool_result id="4">\nno\n</tool_result>'),
    ).toEqual([
      ['output', 'Always restart.', true],
      ['output', 'no', true],
      ['user', 'Why?', true],
    ])
    expect(cut('<hook_context>\nUse tabs.\n</hook_context>')).toEqual([['hook', 'Use tabs.', true]])
    const own = [
      'Put a <system-reminder> before it',
      'In <output>x</output> the x is wrong',
      '<details>\nKeep it\n</details>',
      '<output>\nnever closed',
      '<p>text</p>',
    ]
    expect(own.map(cut)).toEqual(own.map((words) => [['user', words, true]]))
    expect(cut(`<a-output>${'\n<output>'.repeat(100_000)}`)).toHaveLength(1)
  })

  it('notes that a log counts less output than its answers have', () => {
    const codesFor = (outputTokens: number | undefined, answer: Partial<EventDraft> = {}) => {
      const out = writer()
      out.event({ ...text('assistant', 'The kiln is fired. '.repeat(2000)), ...answer } as EventDraft)
      out.usage('r1', 'main', 'm', { inputTokens: 9, ...(outputTokens !== undefined && { outputTokens }) })
      return atOnce(out.finish([])).notes.map(({ code }) => code)
    }
    expect(codesFor(8)).toEqual(['usage-partial'])
    expect(codesFor(10_000)).toEqual([])
    expect(codesFor(undefined)).toEqual([])
    expect(codesFor(8, { copied: true })).toEqual([])
  })

  it('gives a subagent the turn it was started in', () => {
    const out = writer()
    out.event(said)
    out.event({ type: 'subagent_start', child: 'a' })
    out.event(said)
    out.event({ ...said, agent: 'a' })
    out.event({ ...text('assistant'), agent: 'a' })
    out.event(text('assistant'))
    const { events, agents } = atOnce(out.finish([]))
    expect(events.map((event) => event.turn)).toEqual([1, 1, 2, 1, 1, 2])
    expect(agents).toEqual([{ id: 'main' }, { id: 'a', parent: 'main' }])
  })

  it('keeps what is reported about an agent, in any order', () => {
    const out = writer()
    out.event({ ...text('assistant'), agent: 'b' })
    out.agent({ id: 'b', parent: 'a', type: 'Explore' })
    out.agent({ id: 'b', parent: 'main', title: 'Look around' })
    const { agents } = atOnce(out.finish([]))
    expect(agents[1]).toEqual({ id: 'b', parent: 'a', type: 'Explore', title: 'Look around' })
  })

  it('marks the events of rewound turns, including later ones, but not the rewind', () => {
    const out = writer()
    out.event(said)
    out.event(said)
    out.event({ type: 'subagent_start', child: 'a' })
    out.event(said)
    out.rewind(2)
    out.event({ type: 'rewind', turns: 2 })
    out.event(said)
    out.event({ ...text('assistant'), agent: 'a' })
    out.rewind(1)
    const { events } = atOnce(out.finish([]))
    expect(events.map(({ turn, inContext }) => [turn, inContext])).toEqual([
      [1, undefined],
      [2, false],
      [2, false],
      [3, false],
      [1, undefined],
      [4, false],
      [2, false],
    ])
  })

  it('leaves out empty fields', () => {
    const out = writer()
    out.event({ ...said, time: undefined, images: 0, inContext: undefined })
    out.event({ type: 'tool_result', callId: 'c', status: 'ok', text: '', exitCode: undefined, changes: [] })
    const source = { file: 0, line: 1 }
    expect(atOnce(out.finish([])).events).toStrictEqual([
      { id: 'e1', ...said, agent: 'main', turn: 1, source },
      { id: 'e2', type: 'tool_result', callId: 'c', status: 'ok', text: '', agent: 'main', turn: 1, source },
    ])
  })

  it('refuses a draft that lacks a field of its type, and names the field', () => {
    const faultOf = (draft: object): string => {
      try {
        writer().event(draft as EventDraft)
        return 'none'
      } catch (error) {
        return TenfoldError.isInstance(error) ? `${error.code} ${error.message}` : String(error)
      }
    }
    expect(
      [
        { type: 'assistant', content: 'hi' },
        { type: 'user', text: 'hi' },
        { type: 'tool_call', callId: 'c', tool: 'shell' },
        { type: 'tool_result', callId: 'c', output: 'x', status: 'done' },
        { type: 'assistant_message', text: 'hi' },
      ].map(faultOf),
    ).toEqual([
      expect.stringMatching(
        /^bad-event .*x wrote .*: assistant needs the field "text", a text; it has type, content/,
      ),
      expect.stringMatching(/user needs the field "origin", one of typed, queued, command/),
      expect.stringMatching(/tool_call needs the field "name", a text/),
      expect.stringMatching(/tool_result needs the field "status", one of ok, error,/),
      expect.stringMatching(/its type is none of user, context, assistant/),
    ])
  })

  it('takes the kind of a tool from its name, and leaves out a value of another kind', () => {
    const out = writer()
    const odd: object = { model: 5, kind: 'shell', tool: 'Bash', time: 7, raw: { a: 1 } }
    const event = out.event({ type: 'tool_call', callId: 'c', name: 'Bash', input: 1, ...odd })
    const call = { type: 'tool_call', callId: 'c', name: 'Bash', kind: 'execute', input: 1 }
    expect(event).toEqual({ ...call, id: 'e1', agent: 'main', turn: 0, source: { file: 0, line: 1 } })
  })

  it('withdraws many turns one by one in no more time than it took to write them', () => {
    const out = writer()
    const turns = 50_000
    for (let turn = 0; turn < turns; turn++) out.event(said)
    for (let turn = 0; turn < turns; turn++) {
      out.rewind(1)
      out.event({ type: 'rewind', turns: 1 })
    }
    const { events } = atOnce(out.finish([]))
    expect(events.filter(({ inContext }) => inContext === false)).toHaveLength(2 * turns - 1)
  })

  it('takes the last usage of a response and adds up by agent and model', () => {
    const out = writer()
    out.usage('r1', 'main', 'm', { inputTokens: 10, outputTokens: 1 })
    out.usage('r1', 'main', 'm', { inputTokens: 10, outputTokens: 5 })
    out.usage('r2', 'main', 'm', { inputTokens: 1 })
    out.usage('r3', 'a', 'm', { outputTokens: 2 })
    out.usage('r4', 'main', 'm', { inputTokens: -1, outputTokens: Number.POSITIVE_INFINITY })
    out.usage('r5', 'main', '<synthetic>', { inputTokens: 1 })
    const { usage, models } = atOnce(out.finish([]))
    expect(usage).toEqual([
      { agent: 'main', model: 'm', usage: { inputTokens: 11, outputTokens: 5 } },
      { agent: 'a', model: 'm', usage: { outputTokens: 2 } },
    ])
    expect(models).toEqual(['m'])
  })

  it('accepts times as dates, in any order', () => {
    const out = writer()
    for (const time of [
      '2026-01-01T12:00:00+02:00',
      '2026-01-01T09:00:00.5Z',
      'now',
      '',
      '0001-01-01T00:00:00Z',
    ]) {
      out.event({ ...text('assistant'), time })
    }
    const session = atOnce(out.finish([]))
    expect(session.events.map((event) => event.time)).toEqual([
      '2026-01-01T10:00:00.000Z',
      '2026-01-01T09:00:00.5Z',
      undefined,
      undefined,
      undefined,
    ])
    expect(session).toMatchObject({
      startedAt: '2026-01-01T09:00:00.5Z',
      endedAt: '2026-01-01T10:00:00.000Z',
    })
  })

  it('takes the words of a title that is the JSON of a model', () => {
    const titleOf = (title: string) => {
      const out = createSessionWriter({ format: 'test', files: [] })
      out.meta({ title })
      return atOnce(out.finish([])).title
    }
    expect(titleOf('{"title":"Round carts","isNewTopic":true}')).toBe('Round carts')
    expect(titleOf('{\n  "response": "Round carts"\n}')).toBe('Round carts')
    expect(titleOf('{a} in templates')).toBe('{a} in templates')
  })

  it('keeps the first value of metadata, but the last title', () => {
    const out = writer()
    out.meta({ id: 'a', title: 'one' })
    out.meta({ id: 'b', cwd: '/w', title: 'two' })
    expect(atOnce(out.finish([]))).toMatchObject({ id: 'a', cwd: '/w', title: 'two' })
  })

  it('hashes one file as it is, and several as sha256sum would list them', () => {
    const file = { name: 'a', bytes: 1, sha256: 'aa', lines: 1 }
    expect(atOnce(writer().finish([file])).source).toMatchObject({ sha256: 'aa', bytes: 1 })
    const both = atOnce(writer().finish([file, { ...file, name: 'b', sha256: 'bb' }])).source
    expect(both.bytes).toBe(2)
    // printf 'aa  a\nbb  b\n' | sha256sum
    expect(both.sha256).toBe('b862e08ce447fbc39d7546008cf8c0f7ea41b449df79d6e395abad7626f0d1b2')
  })
})
