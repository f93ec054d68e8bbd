import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { repeats } from '../../../../test/support/repeats.ts'
import { seedOf } from '../../../../test/support/seed.ts'
import { formatTrail } from '../../src/bundle/markdown-trail.ts'
import { excerptsOf } from '../../src/plan/excerpts.ts'
import { trailFiller } from '../../src/plan/fill.ts'
import { sentenceScorer } from '../../src/plan/score-sentence.ts'
import { capsWithin, sizeExcerpts } from '../../src/plan/trail-caps.ts'
import { cleanText } from '../../src/session/clean-text.ts'
import { atOnce } from '../../src/session/pauses.ts'
import { emptyFacts } from '../../src/testing/empty-facts.ts'
import { tiktokenCounter } from '../../src/tokens/tiktoken-counter.ts'
import { arbitrarySession } from '../support/arbitrary-session.ts'
import { assistant, makeSession, shell, toolCall, user } from '../support/session.ts'

const counter = tiktokenCounter()
const trailOf = (session: ReturnType<typeof makeSession>, budget: number) =>
  atOnce(
    trailFiller([...excerptsOf(session, emptyFacts, counter)], counter, sentenceScorer(emptyFacts))(budget),
  )

const long = (start: string, words: number) =>
  Array.from({ length: words }, (_, index) => `${start}${index}`).join(' ')

describe('trailFiller', () => {
  const session = makeSession([
    user(long('ask', 80)),
    assistant(long('think', 200)),
    ...toolCall('1', 'Read', { file_path: '/repo/src/a.ts' }, { text: long('line', 2000) }),
    ...shell('2', 'npm test', `${long('noise', 500)}\nError: boom at a.ts:3`, {
      exitCode: 1,
      status: 'error',
    }),
    assistant(long('answer', 100)),
  ])

  it('keeps user messages whole while tool output is cut or left out', () => {
    const trail = trailOf(session, 700)
    expect(trail.find((entry) => entry.label === 'user')?.text).toBe(long('ask', 80))
    expect(trail.find((entry) => entry.label === 'Read')?.text).toBe('/repo/src/a.ts')
  })

  it('keeps one line for each tool call, with its outcome', () => {
    const bash = trailOf(session, 700).find((entry) => entry.label === 'Bash')
    expect(bash?.text.split('\n')[0]).toBe('npm test -> exit 1')
    expect(bash?.text).toContain('Error: boom at a.ts:3')
  })

  it('names the files of a patch as SpecStory shows it', () => {
    const patch =
      '**Update: `src/lamp.ts`**\n\n```diff\n@@\n-on\n+off\n```\n**Add: `docs/lamp.md`**\n\n```diff\n+# Lamp\n```'
    const session = makeSession([
      user('turn it off'),
      ...toolCall('1', 'apply_patch', { patch }),
      assistant('Done.'),
    ])
    expect(trailOf(session, 400).find((entry) => entry.label === 'apply_patch')?.text).toMatch(
      /^update src\/lamp\.ts, add docs\/lamp\.md/,
    )
  })

  it('never shows the output of a call without its line', () => {
    for (const budget of [60, 120, 250, 500, 900]) {
      const bash = trailOf(session, budget).find((entry) => entry.label === 'Bash')
      if (bash !== undefined) expect(bash.text).toMatch(/^npm test -> exit 1/)
    }
  })

  it('keeps the line about the failure if an error has hardly any room', () => {
    const output = `${'Running the next one of the cases.\n'.repeat(8)}TypeError: total is undefined in cart.ts\n1 of 9 did not pass`
    const failed = makeSession([
      user('go'),
      ...shell('1', 'npm test', output, { exitCode: 1, status: 'error' }),
      assistant(long('answer', 40)),
    ])
    expect(trailOf(failed, 150).find((entry) => entry.label === 'Bash')?.text).toContain(
      'TypeError: total is undefined in cart.ts',
    )
  })

  it('names what an edit defines if there is no room for more', () => {
    const tests = ['rings', 'rests', 'waits'].map(
      (name) => `func Test_${name}(t *testing.T) {\n${long(`\tstep_${name}.run(`, 30)}\n}`,
    )
    const session = makeSession([
      user('test the bell'),
      ...toolCall('1', 'Write', { file_path: 'bell_test.go', content: tests.join('\n') }),
      assistant('Done.'),
    ])
    const write = trailOf(session, 260).find((entry) => entry.label === 'Write')?.text
    expect(write?.match(/Test_\w+/g)).toEqual(['Test_rings', 'Test_rests', 'Test_waits'])
  })

  it('keeps the findings of all consecutive turns that were cut off', () => {
    const look = (id: string, found: string) =>
      shell(id, `cat ${id}.log`, `${found}\n${long(id, 60)}`, { exitCode: 0 })
    const session = makeSession([
      user('build it'),
      ...look('early', 'early found 11'),
      assistant('It is built.'),
      user('count the rows'),
      ...look('late', 'late found 22'),
      user('stop, wrong table'),
    ])
    const text = trailOf(session, 180)
      .map((entry) => entry.text)
      .join('\n')
    expect(text).toContain('late found 22')
    expect(text).not.toContain('early found 11')
  })

  it('names whole targets of a run of calls, and counts the rest', () => {
    const reads = Array.from({ length: 12 }, (_, index) =>
      toolCall(`${index}`, 'Read', { file_path: `/repo/src/part-${index}/index-file.ts` }),
    ).flat()
    const run = makeSession([user('go'), ...reads, assistant(long('answer', 60))])
    const text = trailOf(run, 150).find((entry) => entry.label === 'Read')?.text
    expect(text).toMatch(/^x12 (?:\S+\/index-file\.ts, )+\d+ more$/)
  })

  it('shows everything if the budget has room for it', () => {
    expect(trailOf(session, 100_000).find((entry) => entry.label === 'Read')?.text).toContain('line1999')
  })

  it('fills its budget without exceeding it much', () => {
    fc.assert(
      fc.property(arbitrarySession, fc.integer({ min: 200, max: 5000 }), (any, budget) => {
        const sizeAt = (limit: number) => counter.count([...formatTrail(trailOf(any, limit))].join('\n'))
        const size = sizeAt(budget)
        expect(size).toBeLessThanOrEqual(budget * 1.25 + 20)
        const whole = sizeAt(1_000_000)
        expect(whole).toBeGreaterThan(0)
        expect(size).toBeGreaterThanOrEqual(Math.min(budget, whole) * 0.7 - 60)
      }),
      { numRuns: repeats({ few: 10, all: 60 }), seed: seedOf(5) },
    )
  })

  it('returns the same trail for a budget, whatever budgets were tried before', () => {
    const fill = trailFiller(
      [...excerptsOf(session, emptyFacts, counter)],
      counter,
      sentenceScorer(emptyFacts),
    )
    for (const budget of [120, 300, 310, 120, 700, 305])
      expect(atOnce(fill(budget))).toEqual(trailOf(session, budget))
  })

  it('takes no room from a text if a budget grows, except for words of the user, the last ones first', () => {
    // `words`, `lastWords`, `rest`
    const rankOfLevel = [1, 0, 2]
    const numberOf = (event: string) => Number(event.slice(1))
    fc.assert(
      fc.property(arbitrarySession, fc.integer({ min: 100, max: 3000 }), (any, budget) => {
        const excerpts = [...excerptsOf(any, emptyFacts, counter)]
        const sized = atOnce(sizeExcerpts(excerpts))
        const rankOf = (part: number) => rankOfLevel[sized.level[part] ?? 0] ?? 0
        const [few, many] = [budget, budget * 2].map((size) => [...atOnce(capsWithin(sized, size))])
        const roomBefore = (caps: number[] = [], rank: number) =>
          caps.reduce((sum, cap, part) => sum + (rankOf(part) < rank ? cap : 0), 0)
        const fell = new Set<number>()
        for (const [part, cap] of few?.entries() ?? [])
          if (cap > (many?.[part] ?? 0)) {
            expect(roomBefore(many, rankOf(part))).toBeGreaterThan(roomBefore(few, rankOf(part)))
            fell.add(part)
          }
        const large = trailOf(any, budget * 2)
        const lost = trailOf(any, budget).filter(
          ({ event }) =>
            !large.some(
              (entry) =>
                numberOf(entry.event) <= numberOf(event) &&
                numberOf(event) <= numberOf(entry.until ?? entry.event),
            ),
        )
        const parts = new Map(
          excerpts.map(({ event }, at) => [event, [sized.ends[at - 1] ?? 0, sized.ends[at] ?? 0] as const]),
        )
        for (const { event } of lost) {
          const [start, end] = parts.get(event) ?? [0, 0]
          expect(
            [...fell].some((part) => start <= part && part < end),
            event,
          ).toBe(true)
        }
      }),
      { numRuns: repeats({ few: 10, all: 60 }), seed: seedOf(6) },
    )
  })
})

it('leaves out a repetition of a text that has no room', () => {
  const script = `${long('deploy', 40)} now`
  const told = makeSession([
    assistant(long('first', 300)),
    ...toolCall('1', 'Read', { file_path: '/repo/src/a.ts' }),
    assistant(script),
    ...toolCall('2', 'Read', { file_path: '/repo/src/b.ts' }),
    assistant(script),
    user('Thanks, now add the test for the gateway.'),
    assistant(long('answer', 60)),
  ])
  for (const budget of [60, 90, 120, 200, 400, 800]) {
    const trail = trailOf(told, budget)
    const shown = new Set<string>(trail.map(({ event }) => event))
    for (const { text } of trail) {
      const first = /^same as (e\d+)$/.exec(text)?.[1]
      if (first !== undefined) expect(shown).toContain(first)
    }
  }
  expect(trailOf(told, 800).map(({ text }) => text)).toContain('same as e4')
})

it('folds calls with equal cut lines', () => {
  const asked = makeSession([
    user('go'),
    ...Array.from({ length: 6 }, (_, index) => [
      assistant(long(`think${index}x`, 60)),
      ...shell(
        `${index}`,
        `curl -X POST -d "name=${long(`field${index}x`, 90)}" http://localhost/${index}`,
        '',
      ),
    ]).flat(),
    assistant(long('answer', 60)),
  ])
  const calls = trailOf(asked, 200).filter(({ label }) => label === 'Bash')
  expect(calls).toMatchObject([
    { event: 'e9', until: 'e18', text: expect.stringMatching(/^x4 curl .*\[…\d+\]/) },
  ])
  expect(trailOf(asked, 100_000).filter(({ label }) => label === 'Bash')).toHaveLength(6)
})

describe('excerptsOf', () => {
  it('refers a repeated text to the event that had it first', () => {
    const text = long('same', 100)
    const session = makeSession([user(text), assistant('ok'), user(text)])
    const excerpts = [...excerptsOf(session, emptyFacts, counter)]
    expect(excerpts.at(-1)?.parts[0]?.text).toBe('same as e1')
  })

  it('folds a run of like calls into one line, but not over a failure', () => {
    const read = (name: string, status: 'ok' | 'error' = 'ok') =>
      toolCall(name, 'Read', { file_path: `/repo/${name}` }, { status })
    const session = makeSession(
      [user('go'), ...read('a'), ...read('b'), ...read('c', 'error'), ...read('d')],
      { cwd: '/repo' },
    )
    const excerpts = [...excerptsOf(session, emptyFacts, counter)]
    expect(excerpts.map((excerpt) => `${excerpt.parts[0]?.text}${excerpt.parts[0]?.suffix ?? ''}`)).toEqual([
      'go',
      'x2 a, b',
      'c -> error',
      'd',
    ])
    expect(excerpts[1]).toMatchObject({ event: 'e2', until: 'e4' })
  })

  it('leaves out copied history', () => {
    const session = makeSession([{ ...user('old'), copied: true }, user('new')])
    expect([...excerptsOf(session, emptyFacts, counter)].map((excerpt) => excerpt.event)).toEqual(['e2'])
  })

  it('leaves out what the user withdrew', () => {
    const session = makeSession([
      user('paint it red'),
      { ...user('no, paint it blue'), inContext: false },
      { type: 'rewind', turns: 1 },
    ])
    expect(
      [...excerptsOf(session, emptyFacts, counter)].map((excerpt) => [excerpt.event, excerpt.parts[0]?.kind]),
    ).toEqual([
      ['e1', 'last-user'],
      ['e3', 'line'],
    ])
  })

  it('returns only clean text, whatever a log contains', () => {
    const dirty = fc
      .array(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.constantFrom('\ufeff', '\u001b[31m', '\r\n', '\t', '\u0085', '\u2028', '\ud800', ' '),
        ),
      )
      .map((parts) => parts.join(''))
    const names = fc.constantFrom(
      'Bash',
      'Task',
      'spawn_agent',
      'ExitPlanMode',
      'AskUserQuestion',
      'Edit',
      'TodoWrite',
      'mcp: odd name',
      '',
      'apply_patch',
    )
    const kinds = fc.constantFrom(
      'execute' as const,
      'switch_mode' as const,
      'edit' as const,
      'think' as const,
      'other' as const,
    )
    const inputs = fc.oneof(
      dirty,
      fc.dictionary(
        fc.constantFrom('command', 'prompt', 'plan', 'message', 'new_string', 'todos', 'x'),
        fc.oneof(dirty, fc.jsonValue()),
      ),
    )
    const drafts = fc
      .tuple(names, kinds, inputs, dirty, fc.constantFrom('ok' as const, 'error' as const))
      .map(([name, kind, input, text, status]) => [
        { type: 'tool_call' as const, callId: 'c', name, kind, input },
        { type: 'tool_result' as const, callId: 'c', status, text },
        { type: 'assistant' as const, text },
        user(text),
      ])
    let shown = 0
    fc.assert(
      fc.property(
        fc.array(drafts, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 20, max: 2000 }),
        (list, budget) => {
          for (const entry of trailOf(makeSession(list.flat()), budget)) {
            shown += 1
            expect(cleanText(entry.text).trim()).toBe(entry.text)
            expect(cleanText(cleanText(entry.text))).toBe(cleanText(entry.text))
            expect(entry.label).toMatch(/^[^\s:]+$/)
          }
        },
      ),
      { numRuns: repeats({ few: 60, all: 400 }), seed: seedOf(11) },
    )
    expect(shown).toBeGreaterThan(repeats({ few: 200, all: 1000 }))
  })

  it('strips terminal escapes and control characters from what it shows', () => {
    const [excerpt] = excerptsOf(
      makeSession([user('a\u001b[31mred\u001b[0m\u0007 b\u202e')]),
      emptyFacts,
      counter,
    )
    expect(excerpt?.parts[0]?.text).toBe('ared b\\u{202e}')
  })
})
