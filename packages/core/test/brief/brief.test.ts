import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { repeats } from '../../../../test/support/repeats.ts'
import { seedOf } from '../../../../test/support/seed.ts'
import { briefSteps, type CountedBriefOptions } from '../../src/brief/brief.ts'
import type { ContextBundle, TrailEntry } from '../../src/bundle/schema.ts'
import type { EventId } from '../../src/session/event.ts'
import { atOnce } from '../../src/session/pauses.ts'
import { sampleBundle } from '../../src/testing/sample-bundle.ts'
import { tiktokenCounter } from '../../src/tokens/tiktoken-counter.ts'

const counter = tiktokenCounter()
const renderBrief = (bundle: ContextBundle, options: CountedBriefOptions) =>
  atOnce(briefSteps(bundle, options))
const filler = (count: number) => 'It then looked around a little more. '.repeat(count).trim()

/** A session of many turns: everything that matters is in the first ones, and the last ones are small talk. */
const trail: TrailEntry[] = Array.from({ length: 60 }, (_, index): TrailEntry[] => {
  const entry = (offset: number, label: string, text: string): TrailEntry => ({
    event: `e${index * 3 + offset}`,
    agent: 'main',
    label,
    text,
  })
  return [
    entry(
      1,
      'user',
      index === 2 ? 'Bind the gateway to port 40961, please.' : `Please go on with part ${index}.`,
    ),
    entry(2, 'Read', `src/part-${index}.ts`),
    entry(
      3,
      'assistant',
      index === 4 ? `${filler(6)} We chose RETRY_LIMIT=7 for the gateway. ${filler(6)}` : filler(12),
    ),
  ]
}).flat()

/** The lines of a brief's trail. */
function trailOf(brief: string): string[] {
  return brief.split('## What happened, oldest first\n')[1]?.trimEnd().split('\n') ?? []
}

describe('a session that was cut off', () => {
  const pasted = Array.from(
    { length: 40 },
    (_, line) => `Concern ${line}: the token of store ${line} is stale.`,
  )
  const brief = renderBrief(
    sampleBundle({
      state: 'interrupted',
      nextSteps: [{ action: 'Run it', command: 'grep "a | b" x', evidence: ['e1'] }],
      trail: [
        { event: 'e1', agent: 'main', label: 'user', text: pasted.join('\n> ') },
        { event: 'e2', agent: 'main', label: 'assistant', text: 'All concerns are addressed.' },
        { event: 'e3', agent: 'main', label: 'user', text: '/model' },
        { event: 'e4', agent: 'main', label: 'user', text: 'Lint fails.' },
        { event: 'e5', agent: 'main', label: 'user', text: 'Implement the following plan:' },
        { event: 'e6', agent: 'main', label: 'plan', text: 'Wrap the error of push.go.' },
        { event: 'e7', agent: 'main', label: 'Bash', text: 'lint -> exit 1\npush.go:289 wrapcheck' },
        { event: 'e8', agent: 'main', label: 'Edit', text: 'push.go +4 -1' },
      ],
    }),
    { maxTokens: 700, counter },
  )

  it('shows the unanswered request, then what the turn found and did, before older text', async () => {
    const text = await brief
    expect(text).toContain(
      '## Last words of the user\n- e4 user: Lint fails.\n- e5 user: Implement the following plan:\n> Wrap the error of push.go.\n',
    )
    expect(trailOf(text).join('\n')).toContain('push.go:289 wrapcheck')
    expect(trailOf(text).join('\n')).toContain('push.go +4 -1')
    expect(text).not.toContain('/model')
  })

  it('writes a command so that it can be copied', async () => {
    expect(await brief).toContain('- Run it | run: grep "a | b" x [e1]')
  })
})

describe('the trail of a brief', () => {
  const bundle = sampleBundle({ trail })
  const text = trailOf(renderBrief(bundle, { maxTokens: 2100, counter })).join('\n')

  it('contains the best of the first half and the newest events, oldest first', () => {
    expect(text).toContain('- e7 user: Bind the gateway to port 40961, please.')
    expect(text).toContain('We chose RETRY_LIMIT=7 for the gateway.')
    expect(renderBrief(bundle, { maxTokens: 2100, counter })).toContain(
      '## Last answer\n- e180 assistant: It then looked',
    )
    const events = [...text.matchAll(/^- e(\d+)/gm)].map(([, event]) => Number(event))
    expect(events).toEqual(events.toSorted((a, b) => a - b))
  })

  it('grows with the size of the brief, but never exceeds it', () => {
    const sizes = [300, 500, 900, 2100, 100_000].map((maxTokens) => {
      const brief = renderBrief(bundle, { maxTokens, counter })
      expect(counter.count(brief)).toBeLessThanOrEqual(maxTokens)
      return trailOf(brief).length
    })
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
    // Each turn but the last has words of the user and a call; what the agent says again and again is said once.
    expect(sizes.at(-1)).toBe(2 * 60)
    expect(() => renderBrief(bundle, { maxTokens: 99, counter })).toThrow(
      'expected maxTokens of at least 100, got 99',
    )
  })

  it('names the target of a call before its findings', () => {
    const target = 'what the billing service holds for the gateway and for the ledger of the last month'
    const looked = trail.flatMap((entry, index): TrailEntry[] =>
      entry.label === 'Read'
        ? [{ ...entry, label: 'Ask', text: `${target}\nLEDGER_${index} and RETRY_LIMIT are held` }]
        : [entry],
    )
    const lines = trailOf(renderBrief(sampleBundle({ trail: looked }), { maxTokens: 2100, counter }))
    const calls = lines.filter((line) => / Ask: /.test(line))
    expect(calls.length).toBeGreaterThan(0)
    for (const call of calls) expect(call).toContain(`Ask: ${target}`)
  })

  it('leaves the last words of the user to their separate block', () => {
    expect(text).not.toContain('Please go on with part 59.')
    expect(renderBrief(bundle, { maxTokens: 3000, counter })).toContain(
      '## Last words of the user\n- e178 user: Please go on with part 59.',
    )
  })

  it('shows what a mere yes answers, as the current task does', () => {
    const reply: TrailEntry = { event: 'e900', agent: 'main', label: 'user', text: 'yes' }
    const wordsAt = (currentTask: string) => {
      const { workflow, ...rest } = sampleBundle({ trail: [...trail, reply] })
      return renderBrief({ ...rest, workflow: { ...workflow, currentTask } }, { maxTokens: 3000, counter })
    }
    const task = 'yes (the agent asked: Shall I add the retry to push.go?)'
    expect(wordsAt(task)).toContain(`## Last words of the user\n- e900 user: ${task}\n`)
    for (const other of ['yes (about: add the retry to push.go)', 'yesterday: nothing'])
      expect(wordsAt(other)).toContain('## Last words of the user\n- e900 user: yes\n')
  })

  it('puts the last request before a farewell into the block of the last words', () => {
    const left = (text: string): TrailEntry => ({ event: 'e900', agent: 'main', label: 'user', text })
    const exit = renderBrief(sampleBundle({ trail: [...trail, left('/exit')] }), { maxTokens: 3000, counter })
    expect(exit).toContain('## Last words of the user\n- e178 user: Please go on with part 59.\n\n')
    expect(exit).not.toContain('/exit')
    for (const text of ['Thanks, bye!', 'hello']) {
      const brief = renderBrief(sampleBundle({ trail: [...trail, left(text)] }), { maxTokens: 3000, counter })
      expect(brief).toContain(
        `## Last words of the user\n- e178 user: Please go on with part 59.\n- e900 user: ${text}\n`,
      )
      expect(trailOf(brief).join('\n')).not.toContain('part 59.')
    }
    const asked = renderBrief(sampleBundle({ trail: [...trail, left('Now push it.')] }), { counter })
    expect(asked).toContain('## Last words of the user\n- e900 user: Now push it.\n')
    const only = renderBrief(sampleBundle({ trail: [left('hello')] }), { counter })
    expect(only).toContain('## Last words of the user\n- e900 user: hello\n')
  })

  it('marks each gap once, also one in the bundle', () => {
    const cut = `Opening words. […700] ${Array.from({ length: 40 }, (_, at) => `Part ${at} names the gateway of port ${40_000 + at}.`).join(' ')} […12]`
    const long = sampleBundle({
      trail: [
        { event: 'e1', agent: 'main', label: 'reasoning', text: cut },
        { event: 'e2', agent: 'main', label: 'user', text: 'Go on.' },
      ],
    })
    const [line = ''] = trailOf(renderBrief(long, { maxTokens: 400, counter }))
    expect(line).toMatch(/^- e1 reasoning: Opening words\. … Part \d+ names .* …$/)
    expect(line).not.toMatch(/\[…|… …/)
  })

  it('prefers the answers of the agent to output that the user pasted', () => {
    const frames = Array.from({ length: 80 }, (_, at) => `    at part${at} (http://localhost/app.js:${at}:7)`)
    const told = sampleBundle({
      trail: [
        {
          event: 'e1',
          agent: 'main',
          label: 'user',
          text: `The tree breaks.\n${frames.join('\n')}\nPlease fix it.`,
        },
        {
          event: 'e2',
          agent: 'main',
          label: 'assistant',
          text: `${filler(3)}\n- \`buildTree()\` drops the second of two equal paths\n${filler(3)}`,
        },
        { event: 'e3', agent: 'main', label: 'user', text: 'Now label the nodes.' },
        { event: 'e4', agent: 'main', label: 'assistant', text: `The nodes have labels. ${filler(9)}` },
      ],
    })
    const brief = trailOf(renderBrief(told, { maxTokens: 900, counter })).join('\n')
    expect(brief).toContain('The tree breaks.')
    expect(brief).toContain('Please fix it.')
    expect(brief).toContain('`buildTree()` drops the second of two equal paths')
    expect(brief).not.toContain('at part79 ')
  })

  it('shows the rows of a table whole, and an item with its number', () => {
    const row = '| **A. At once** | Costs one call. Blocks the commit. |'
    const text = `${filler(9)}\n${row}\n|---|---|\n\`\`\`go\n${filler(9)}\n4. Call \`condense()\` before the write. ${filler(9)}`
    const table = sampleBundle({ trail: [{ event: 'e1', agent: 'main', label: 'assistant', text }] })
    for (let maxTokens = 300; maxTokens <= 700; maxTokens += 20) {
      const brief = renderBrief(table, { maxTokens, counter })
      expect(brief.split('Blocks the commit.').length).toBe(brief.split(row).length)
      expect(brief.split('Call `condense()`').length).toBe(brief.split('4. Call `condense()`').length)
    }
    expect(renderBrief(table, { maxTokens: 480, counter })).toContain('4. Call `condense()`')
  })

  it('prefers texts with names to small talk between two calls', () => {
    const talk = sampleBundle({
      trail: Array.from({ length: 80 }, (_, index): TrailEntry[] => [
        {
          event: `e${index * 2 + 1}`,
          agent: 'main',
          label: 'assistant',
          text: 'Now let me run the tests again:',
        },
        {
          event: `e${index * 2 + 2}`,
          agent: 'main',
          label: 'Bash',
          text: `pytest tests/test_part_${index}.py -> ok`,
        },
      ]).flat(),
    })
    const lines = trailOf(renderBrief(talk, { maxTokens: 1000, counter }))
    expect(lines.filter((line) => line.includes('Bash: pytest')).length).toBeGreaterThan(20)
    expect(lines.filter((line) => line.includes('Now let me run')).length).toBeLessThan(5)
  })
})

describe('a brief', () => {
  const command = `POSTGRES_URL=postgres://test@localhost:5433/db ./run --shard 3 ${'--exclude legacy/suite '.repeat(12)}--seed 7177`

  it('is in the order of what to do, what binds, what the user decided, what happened', () => {
    const brief = renderBrief(
      sampleBundle({
        trail,
        state: 'in-progress',
        projectRules: [{ text: 'No ad-hoc SQL', source: 'CLAUDE.md', evidence: ['e4'] }],
        decisions: [{ choice: 'SQLite', alternatives: ['a flat file'], by: 'user', evidence: [] }],
        errors: [{ message: 'ENOENT: no such file', evidence: ['e5'] }],
      }),
      { maxTokens: 1500, counter },
    )
    expect([...brief.matchAll(/^## (.*)/gm)].map(([, title]) => title)).toEqual([
      'State',
      'Last answer',
      'Next steps',
      'Last words of the user',
      'Constraints',
      'Decisions of the user',
      'How to resume',
      'Summary',
      'Open errors',
      'Project rules, quoted',
      'Files changed',
      'Findings',
      'Commands',
      'What happened, oldest first',
    ])
    expect(brief).toContain('- SQLite | over: a flat file | by: user\n')
  })

  it('cuts nothing of an earlier part while something of a later part is left', () => {
    const some = (name: string) =>
      Array.from(
        { length: 3 },
        (_, index) => `${name} number ${index} of the work on the parser and its tests`,
      )
    const items = (name: string) => some(name).map((text) => ({ text, evidence: [] }))
    const choices = (by: 'user' | 'agent') =>
      some(`Choice of the ${by}`).map((choice) => ({ choice, by, alternatives: [], evidence: [] }))
    const bundle = sampleBundle({
      state: 'waiting',
      summary: 'The summary of the session, which is long enough to be one line of the brief',
      nextSteps: some('Step').map((action) => ({ action, evidence: [] })),
      constraints: items('Constraint'),
      openQuestions: items('Question'),
      decisions: [...choices('agent'), ...choices('user')],
      projectRules: some('Project rule').map((text) => ({ text, source: 'CLAUDE.md', evidence: [] })),
      validation: { status: 'failed', command: 'npm test -- the parser', evidence: ['e5'] },
      trail: [{ event: 'e2', agent: 'main', label: 'user', text: 'Last words: go on with the parser' }],
    })
    const order = [
      [/waiting for the user/, 1],
      [/- Step number/g, 3],
      [/Last words: go on/, 1],
      [/- failed: npm test/, 1],
      [/- Constraint number/g, 3],
      [/- Question number/g, 3],
      [/- Choice of the user number/g, 3],
      [/The summary of the session/, 1],
      [/- Choice of the agent|- Project rule/, 0],
    ] as const
    const cutAt = new Set<number>()
    for (let maxTokens = 120; maxTokens < 900; maxTokens += 10) {
      const brief = renderBrief(bundle, { maxTokens, counter })
      const kept = order.map(([pattern]) => brief.match(pattern)?.length ?? 0)
      const cut = order.findIndex(([, all], at) => (kept[at] ?? 0) < all)
      cutAt.add(cut)
      if (cut >= 0)
        expect([maxTokens, ...kept.slice(cut + 1)].slice(1), brief).toEqual(kept.slice(cut + 1).fill(0))
    }
    expect(cutAt.size).toBeGreaterThan(5)
  })

  it('shows a command whole or not at all', () => {
    const bundle = sampleBundle({
      trail: [
        ...trail,
        { event: 'e900', agent: 'main', label: 'Bash', text: `${command} -> ok` },
        { event: 'e901', agent: 'main', label: 'assistant', text: `Run \`${command}\` next.` },
      ],
      nextSteps: [{ action: 'Run the third shard', command, evidence: ['e901'] }],
    })
    for (let maxTokens = 200; maxTokens <= 4000; maxTokens += 100) {
      const brief = renderBrief(bundle, { maxTokens, counter })
      const starts = brief.split('POSTGRES_URL=').length
      expect(brief.split(command).length, `of ${maxTokens} tokens`).toBe(starts)
    }
    expect(renderBrief(bundle, { maxTokens: 1000, counter })).toContain(`run: ${command} [e901]`)
    const steps = ['Make it pass: npm test', 'Run `npm test` again', 'Run `npm test -- a`'].map((action) => ({
      ...{ action, command: 'npm test', evidence: [] },
    }))
    expect(renderBrief(sampleBundle({ nextSteps: steps }), { maxTokens: 1000, counter })).toContain(
      `${steps.map(({ action }) => `- ${action}`).join('\n')} | run: npm test\n`,
    )
  })

  it('shows content of several sections once', () => {
    const text = 'Write the docs of the gateway'
    const evidence: EventId[] = ['e9']
    const brief = renderBrief(
      sampleBundle({
        trail: [
          { event: 'e1', agent: 'main', label: 'user', text: 'Bind the gateway to the loopback address.' },
          {
            event: 'e5',
            agent: 'main',
            label: 'user',
            text: 'Now log every refused request, with its path.',
          },
        ],
        summary:
          'Asked (e1): Bind the gateway to the loopback address.\nLast asked (e5): Now log every refused request, with its path.\nDone: 2 files modified.',
        nextSteps: [{ action: text, evidence }],
        workflow: { tasksCompleted: [], tasksRemaining: [{ text, evidence }], blockers: [] },
        decisions: [
          {
            choice: 'SQLite',
            alternatives: [],
            by: 'agent',
            at: '2026-05-12T07:00:00.000Z',
            evidence: ['e3'],
          },
        ],
        git: { commits: [{ sha: 'abc1234', subject: 'Bind to the loopback address', evidence: ['e4'] }] },
      }),
      { maxTokens: 3000, counter },
    )
    expect(brief.split(text)).toHaveLength(2)
    expect(brief.split('log every refused request')).toHaveLength(2)
    expect(brief).toContain('Done: 2 files modified.')
    expect(brief).toContain('- SQLite | by: agent [e3]\n')
    expect(brief).toContain('- abc1234 | subject: Bind to the loopback address [e4]')
  })

  it('shows a sentence that the user pasted repeatedly only once, before all others', () => {
    const warning = 'Keys should be unique so that components keep their identity across updates.'
    const words = Array.from({ length: 40 }, (_, at) => `${warning} Seen by reader ${at} of the page.`)
    const brief = renderBrief(
      sampleBundle({ trail: [{ event: 'e1', agent: 'main', label: 'user', text: words.join('\n') }] }),
      { maxTokens: 560, counter },
    )
    expect(brief.split(warning)).toHaveLength(2)
    expect(brief.split('Seen by reader').length).toBeGreaterThan(8)
  })

  it('keeps all content of a smaller size in a larger one', () => {
    fc.assert(
      fc.property(
        markedBundle,
        fc.array(fc.integer({ min: 1000, max: 8000 }), { minLength: 2, maxLength: 6 }),
        (bundle, sizes) => {
          let before: string[] = []
          for (const maxTokens of sizes.toSorted((a, b) => a - b)) {
            const brief = renderBrief(bundle, { maxTokens, counter })
            expect(counter.count(brief)).toBeLessThanOrEqual(maxTokens)
            const found: string[] = brief.match(/\bmark\d+\b/g) ?? []
            expect(before.filter((mark) => !found.includes(mark))).toEqual([])
            before = found
          }
        },
      ),
      { numRuns: repeats({ few: 6, all: 100 }), seed: seedOf(31) },
    )
  })
})

/** A bundle whose sentences, up to several thousand tokens of them, have each a mark of their own. */
const markedBundle = fc
  .record({
    lengths: fc.array(fc.integer({ min: 3, max: 120 }), { minLength: 150, maxLength: 300, size: 'max' }),
    labels: fc.array(fc.constantFrom('user', 'assistant', 'Bash', 'Edit', 'plan'), {
      minLength: 40,
      maxLength: 40,
    }),
    items: fc.integer({ min: 0, max: 25 }),
  })
  .map(({ lengths, labels, items }) => {
    let marks = 0
    const sentence = (length: number) =>
      `We saw mark${++marks} ${'in src/part.ts once '.repeat(length / 5)}again.`
    const texts = lengths.map(sentence)
    const trail = labels.map((label, at): TrailEntry => {
      const share = Math.ceil(texts.length / labels.length)
      const text = texts.slice(at * share, (at + 1) * share).join(at % 3 === 0 ? '\n' : ' ')
      return { event: `e${at + 1}`, agent: 'main', label, text }
    })
    const list = Array.from({ length: items }, (_, at) => ({ text: sentence((at * 37) % 90), evidence: [] }))
    return sampleBundle({
      trail: trail.filter(({ text }) => text !== ''),
      constraints: list.slice(0, 9),
      findings: list.slice(9, 15),
      projectRules: list.slice(15, 20).map((rule) => ({ ...rule, source: 'CLAUDE.md' })),
      decisions: list.slice(20).map(({ text, evidence }) => ({
        choice: text,
        alternatives: [sentence(9)],
        by: 'agent' as const,
        evidence,
      })),
      errors: list.slice(3, 8).map(() => ({ message: sentence(20), evidence: [] })),
    })
  })

it('a brief of a session that was cut off contains the beginnings of the requests between the first and the last', () => {
  const asked = ['Bind it to 40961.', 'Refuse all without a path.', 'Commit it now.', `Log it. ${filler(9)}`]
  const requests = asked.flatMap((text, at): TrailEntry[] => [
    { event: `e${at * 2 + 1}`, agent: 'main', label: 'user', text },
    { event: `e${at * 2 + 2}`, agent: 'main', label: 'assistant', text: filler(30) },
  ])
  const last: TrailEntry[] = [
    { event: 'e9', agent: 'main', label: 'user', text: 'Now look at the port of the gateway.' },
    ...Array.from(
      { length: 30 },
      (_, at): TrailEntry => ({
        event: `e${at + 10}`,
        agent: 'main',
        label: 'Bash',
        text: `cat src/p${at}.ts`,
      }),
    ),
  ]
  const summary = `Asked (e1): ${asked[0]}\nThen: ${asked[1]} (e3) / ${asked[2]} (e5) / Log it. (e7)\nDone: 9 files`
  const bundle = sampleBundle({ state: 'interrupted', summary, trail: [...requests, ...last] })
  const brief = renderBrief(bundle, { maxTokens: 600, counter })
  for (const text of [...asked.slice(0, 3), 'Log it.']) expect(brief.split(text)).toHaveLength(2)
  expect(brief).not.toContain('Then: ')
  // A request of which the trail has nothing stays in the summary.
  const without = { ...bundle, trail: last }
  expect(renderBrief(without, { maxTokens: 600, counter })).toContain('Then: Refuse all')
})

it('a brief asks a question once', () => {
  const first = 'Shall the gateway refuse every request without a path, or only those of old clients?'
  const other = 'Which port do the old clients use?'
  const open = { openQuestions: [first, other].map((text) => ({ text, evidence: [] })) }
  const asked = sampleBundle({
    ...open,
    nextSteps: [{ action: `Waits for an answer: ${first}`, evidence: [] }],
    summary: `Asked (e1): Bind the gateway.\nOutcome (e9): Bound it. ${first}`,
    trail,
  })
  const brief = renderBrief(asked, { maxTokens: 3000, counter })
  expect(brief.split(first)).toHaveLength(2)
  expect(brief).toContain(`## Open questions\n- ${other}\n`)
  expect(brief).toContain('Outcome (e9): Bound it. …\n')
  const cut = { ...asked, summary: `Outcome (e9): Bound it. ${first.slice(0, 40)} …\nDone: 1 command run` }
  expect(renderBrief(cut, { maxTokens: 3000, counter })).toContain(
    'Outcome (e9): Bound it. …\nDone: 1 command run\n',
  )
  const stepless = { ...asked, nextSteps: [] }
  expect(renderBrief(stepless, { maxTokens: 3000, counter }).split(first)).toHaveLength(2)
})

it('a brief contains the title of the session, or the current task', () => {
  const bundle = sampleBundle()
  const { title: _, ...source } = bundle.source
  const titled = (given: Partial<typeof bundle>) =>
    renderBrief(sampleBundle(given), { counter }).split('\n')[0]
  const workflow = { ...bundle.workflow, currentTask: 'Sort the imports' }
  expect(titled({ workflow })).toBe('# Resume: Fix the parser')
  expect(titled({ source, workflow })).toBe('# Resume: Sort the imports')
})

it('a brief names files relative to the folder of the session, and the folder once', () => {
  const text = 'Wrote /home/dev/project/src/a.ts, and /home/dev/project-2/b.ts as in /home/dev/project.'
  const brief = renderBrief(
    sampleBundle({
      commands: [
        { command: 'cd /home/dev/project && git -C /home/dev/project push', status: 'ok', evidence: [] },
      ],
      trail: [
        { event: 'e1', agent: 'main', label: 'user', text: 'Write it.' },
        { event: 'e2', agent: 'main', label: 'assistant', text },
      ],
    }),
    { maxTokens: 3000, counter },
  )
  expect(brief).toContain('Wrote src/a.ts, and /home/dev/project-2/b.ts as in /home/dev/project.')
  expect(brief).toContain('- git push | status: ok')
})

it('a brief quotes each line of a message separately, whatever is left out', () => {
  const text = Array.from(
    { length: 40 },
    (_, at) => `Part ${at} is fine. ## Resume point: delete lid_${at}.ts, which nobody uses. Keep ${at}.`,
  ).join('\n')
  const trail: TrailEntry[] = [{ event: 'e1', agent: 'main', label: 'user', text }]
  for (const maxTokens of Array.from({ length: 20 }, (_, at) => 150 + 40 * at)) {
    const brief = renderBrief(sampleBundle({ trail }), { maxTokens, counter })
    const own = brief.split('\n').filter((line) => /lid_|Keep \d|Part \d/.test(line))
    expect(own.filter((line) => !/^(?:> |- e1 user: )/.test(line))).toEqual([])
    const short = renderBrief(sampleBundle({ summary: text, trail: [] }), { maxTokens, counter })
    expect(short).not.toMatch(/^## .*lid_/m)
  }
})

it('a brief marks what it leaves out of a quote because it stands elsewhere, and a rule of the last words has its own line', () => {
  const rule = 'Do not edit the generated files of the gateway.'
  const given = sampleBundle({
    nextSteps: [{ action: rule, evidence: [] }],
    constraints: [{ text: 'Keep the old port open for a week', evidence: ['e1'] }],
    trail: [
      {
        event: 'e1',
        agent: 'main',
        label: 'user',
        text: `Move the gateway.\n${rule} Name the new port in the docs.\n${rule}\nKeep the old port open for a week.`,
      },
    ],
  })
  const [, words = ''] = renderBrief(given, { maxTokens: 1500, counter }).split('## Last words of the user\n')
  expect(words.split('\n\n')[0]).toBe(
    '- e1 user: Move the gateway. … Name the new port in the docs. …\n> Keep the old port open for a week.',
  )
  expect(words).toContain('## Constraints\n- Keep the old port open for a week')
})

it('a brief shows a long answer that leaves work open, not one before the last request', () => {
  const entry = (event: TrailEntry['event'], label: string, text: string): TrailEntry => ({
    ...{ event, agent: 'main', label, text },
  })
  const left = `The store has a lock now. Left: the clock of the burst test. ${filler(60)}`
  const trail = [
    entry('e1', 'user', 'Lock the store.'),
    entry('e2', 'assistant', 'Shall I go on with the review?'),
    entry('e3', 'user', 'Write down where we are.'),
    entry('e4', 'Bash', 'npm test -> exit 1'),
    entry('e5', 'assistant', left),
  ]
  const text = renderBrief(sampleBundle({ state: 'in-progress', trail }), { maxTokens: 1500, counter })
  expect(text.split('## Last answer\n')[1]).toMatch(/^- e5 assistant: The store has a lock now/)
})

it('a brief shows a few words where their mark would take nearly the room, and no lines that a tool printed', () => {
  const said =
    'I see changes of `codex-provider.ts` and `cursor-provider.ts`, 40961 lines. I commit my own two only.'
  const text = ['const a = 40961', 'x()', 'const b = 40961'].join('\n')
  const trail: TrailEntry[] = [
    { event: 'e1', agent: 'main', label: 'user', text: 'Commit it.' },
    { event: 'e2', agent: 'main', label: 'assistant', text: said },
    { event: 'e3', agent: 'main', label: 'Edit', text: `src/a.ts +3 -0\n${text}` },
    ...Array.from(
      { length: 9 },
      (_, at): TrailEntry => ({ event: `e${at + 4}`, agent: 'main', label: 'assistant', text: filler(30) }),
    ),
    { event: 'e20', agent: 'main', label: 'user', text: 'Thanks.' },
  ]
  for (let maxTokens = 300; maxTokens < 700; maxTokens += 20) {
    const brief = renderBrief(sampleBundle({ trail }), { maxTokens, counter })
    if (brief.includes('cursor-provider')) expect(brief).toContain(`${said}\n`)
  }
})

it('a brief fills its room with the beginning of what does not fit, but of no command', () => {
  const long = `The gateway refuses ${Array.from({ length: 60 }, (_, at) => `client ${at},`).join(' ')} and no others.`
  const given = sampleBundle({
    nextSteps: [],
    constraints: [{ text: long, evidence: [] }],
    trail: [],
    resumeInstructions: '',
  })
  const brief = renderBrief(given, { maxTokens: 220, counter })
  expect(brief).toMatch(/- The gateway refuses client 0, .* …\n/)
  expect(counter.count(brief)).toBeGreaterThan(212)
  const step = { action: 'Refuse', command: long, evidence: [] }
  const ofStep = { ...given, state: 'in-progress' as const, constraints: [], nextSteps: [step] }
  for (const maxTokens of [150, 220, 320])
    expect(renderBrief(ofStep, { maxTokens, counter })).toMatch(/- Refuse …\n$/)
  expect(renderBrief(ofStep, { maxTokens: 420, counter })).toContain(`run: ${long}`)
})

it('a short brief has its step before where and when the session was', () => {
  const bundle = sampleBundle()
  const at = (maxTokens: number) => renderBrief(bundle, { maxTokens, counter })
  const [name] = /Brief of bundle \S+/.exec(at(1000)) ?? []
  expect(at(120)).toContain(name)
  expect(at(120)).toContain(bundle.nextSteps[0]?.action)
  expect(at(299)).not.toContain('can be recalled')
  expect(at(300)).toContain('can be recalled')
})

describe('the last answer of a brief', () => {
  const entry = (at: number, label: string, text: string): TrailEntry => ({
    event: `e${at}`,
    agent: 'main',
    label,
    text,
  })
  const parts = (count: number) =>
    Array.from({ length: count }, (_, at) => `Part ${at} looks for locks of its own.`).join(' ')
  const fixed = `Fixed. ${parts(8)} The cause was a stale lock.`
  const work = [
    entry(1, 'user', 'Fix the lock.'),
    entry(2, 'Edit', 'src/lock.ts +4 -2'),
    entry(3, 'assistant', fixed),
    entry(4, 'user', 'Commit it.'),
    entry(5, 'Bash', 'git commit -m "Fix the lock" -> ok'),
  ]
  const answersOf = (trail: TrailEntry[], state: ContextBundle['state'] = 'finished') =>
    /## Last answer\n((?:[->] .*\n)*)/.exec(
      renderBrief(sampleBundle({ trail, state }), { maxTokens: 3000, counter }),
    )?.[1] ?? ''

  it('includes the work before a short one, back to the last turn that edited a file', () => {
    const done = entry(6, 'assistant', 'Committed.')
    expect(answersOf([...work, done])).toBe(`- e3 assistant: ${fixed}\n- e6 assistant: Committed.\n`)
    const edited = work.with(4, entry(5, 'Edit', 'src/lock.ts +1 -1'))
    expect(answersOf([...edited, done])).toBe('- e6 assistant: Committed.\n')
  })

  it('is what was told since the last request if the turn was cut off, without mere announcements', () => {
    const cut = [
      ...work,
      entry(6, 'assistant', 'The lock is committed, but the hook found no clock. Now let me push:'),
    ]
    const since = (trail: TrailEntry[]) =>
      renderBrief(sampleBundle({ trail, state: 'interrupted' }), { maxTokens: 3000, counter })
    expect(since(cut)).toContain(`## Said since the last request\n- e6 assistant: ${cut[5]?.text}\n`)
    const announced = [
      ...work,
      entry(6, 'assistant', 'The lock is done. Now let me push the commit to the branch of the lock:'),
    ]
    expect(since(announced)).not.toMatch(/## (?:Said since|Last answer)/)
  })

  it('is what was said before the call that ends a session, and no error of the harness', () => {
    const failed = entry(4, 'assistant', 'API Error: Unable to connect to API (ENOTFOUND)')
    const ended = [...work.slice(0, 2), failed, entry(5, 'user', 'Go on.'), entry(6, 'assistant', fixed)]
    expect(answersOf([...ended, entry(7, 'submit', 'submit LOCK-17')])).toBe(`- e6 assistant: ${fixed}\n`)
    const asking = [
      ...work.slice(0, 3),
      entry(4, 'user', 'Plan the rest.'),
      entry(5, 'assistant', 'Let me ask.'),
    ]
    expect(answersOf([...asking, entry(6, 'AskUser', 'Which lock?')], 'waiting')).toBe(
      `- e3 assistant: ${fixed}\n`,
    )
  })

  it('has its first and last paragraph and its list before what stands between them', () => {
    const long = entry(
      3,
      'assistant',
      `The lock works.\n\n${parts(40)}\n\n- lock_1: removed\n- lock_2: kept\n\nShall the door get one?`,
    )
    const brief = renderBrief(sampleBundle({ trail: [work[0] as TrailEntry, long], state: 'finished' }), {
      maxTokens: 230,
      counter,
    })
    for (const text of ['The lock works.', '> - lock_2: kept', '> Shall the door get one?'])
      expect(brief).toContain(text)
  })

  it('begins with its first sentence, without code and announcements', () => {
    const long = entry(
      3,
      'assistant',
      `Fixed.\n\n## Cause\n\nThe lock was stale.\n\n\`\`\`sh\nrm lock_1 lock_2 lock_3\n\`\`\`\n${parts(40)}`,
    )
    const brief = renderBrief(sampleBundle({ trail: [work[0] as TrailEntry, long], state: 'finished' }), {
      maxTokens: 230,
      counter,
    })
    expect(brief).toContain('Fixed. …\n> The lock was stale.')
    expect(brief).not.toContain('lock_1')
  })
})

describe('a brief of a session that was killed', () => {
  const entry = (at: number, label: string, text: string): TrailEntry => ({
    event: `e${at}`,
    agent: 'main',
    label,
    text,
  })
  const briefOf = (trail: TrailEntry[], given: Partial<ContextBundle> = {}) =>
    renderBrief(sampleBundle({ state: 'in-progress', nextSteps: [], trail, ...given }), {
      maxTokens: 1500,
      counter,
    })

  it('has the last request before commands of the client', () => {
    const trail = [entry(1, 'user', 'Glaze the lid.'), entry(2, 'Edit', 'lid.ts +2')]
    const commands = ['/plugin', '/plugin marketplace add kiln/skills', '/reload-plugins', '/theme']
    const brief = briefOf([...trail, ...commands.map((text, at) => entry(at + 3, 'user', text))])
    expect(brief).toContain('## Last words of the user\n- e1 user: Glaze the lid.\n')
    expect(brief).not.toMatch(/\/plugin|\/theme/)
  })

  it('has the verdict of the last subagent, and what the agent said of it before it read on', () => {
    const verdict = entry(
      2,
      'Task',
      'Review the lid (agent a1)\n## Review\n**Report: REQUEST CHANGES**\n1. **No test of the rim**',
    )
    const said = entry(3, 'assistant', 'The reviewer found an issue: **the rim has no test**. Let me add it:')
    const next = entry(5, 'assistant', 'Let me see which helpers there are in the kiln:')
    const trail = [entry(1, 'user', 'Glaze the lid.'), verdict, said, entry(4, 'Read', 'test/rim.ts'), next]
    const [, told = ''] = briefOf(trail).split('## Said since the last request\n')
    expect(told.split('\n\n')[0]).toBe(
      '- e2 Task: Review the lid (agent a1)\n> ## Review\n> **Report: REQUEST CHANGES**\n> 1. **No test of the rim**\n- e3 assistant: The reviewer found an issue: **the rim has no test**. Let me add it:',
    )
    const approved = entry(2, 'Task', 'Review the lid (agent a1)\n**Report: APPROVED**, no changes requested')
    expect(briefOf(trail.with(1, approved))).toContain('last request\n- e3 assistant')
  })

  it('leaves the upkeep of a task list to the list', () => {
    const trail = [entry(1, 'user', 'Glaze the lid.'), entry(2, 'TaskUpdate', 'taskId: 5 status: completed')]
    expect(briefOf(trail)).not.toContain('TaskUpdate')
  })

  it('keeps the label of a quote whose beginning stands elsewhere, and no announcement of what is left out', () => {
    const first = 'Committed the wording of the lid as 3b22302.'
    const summary = `Asked (e1): Glaze the lid.\nLast said (e3): ${first} The failure branch now falls back to the kiln.\nDone: 1 command run`
    const brief = briefOf([entry(1, 'user', 'Glaze the lid.')], {
      summary,
      nextSteps: [{ action: first, evidence: [] }],
    })
    expect(brief).toContain('Last said (e3): … The failure branch now falls back to the kiln.')
    const long = `You can find the lids at:\n${Array.from({ length: 90 }, (_, at) => `- lids/${at}/${'x'.repeat(60)}`).join('\n')}`
    const answered = renderBrief(
      sampleBundle({
        state: 'finished',
        trail: [entry(1, 'user', 'Glaze it.'), entry(2, 'assistant', long)],
      }),
      { maxTokens: 150, counter },
    )
    expect(answered).not.toMatch(/at:(?: …)?\n(?!>)/)
  })
})

it('a brief shows only the tool output that was mentioned later, and no content of a file that was edited since', () => {
  const entry = (at: number, label: string, text: string): TrailEntry => ({
    event: `e${at}`,
    agent: 'main',
    label,
    text,
  })
  const trail = [
    entry(1, 'user', 'Find the port.'),
    entry(2, 'Read', 'src/port.ts\nconst oldPort = 40961'),
    entry(3, 'Grep', 'gateway\nsrc/gateway.ts: bindGateway(portOf)\nsrc/other.ts: loseOther(1234)'),
    entry(4, 'assistant', 'It is bound by `bindGateway()`, and oldPort is in the way.'),
    entry(5, 'Edit', 'src/port.ts +1 -1\nconst newPort = 40962'),
    entry(6, 'assistant', 'Done.'),
  ]
  const brief = renderBrief(sampleBundle({ trail }), { maxTokens: 3000, counter })
  const [, happened = ''] = brief.split('## What happened, oldest first')
  expect(happened).toContain('bindGateway')
  expect(happened).toContain('const newPort = 40962')
  for (const noise of ['loseOther', 'const oldPort = 40961']) expect(happened).not.toContain(noise)
})

it('a brief with long lists leaves room for the trail', () => {
  const lists = {
    decisions: Array.from({ length: 80 }, (_, index) => ({
      choice: `Decision ${index}: ${filler(2)}`,
      alternatives: [],
      by: 'agent' as const,
      evidence: [],
    })),
    findings: Array.from({ length: 80 }, (_, index) => ({
      text: `Finding ${index}: ${filler(2)}`,
      evidence: [],
    })),
    commands: Array.from({ length: 80 }, (_, index) => ({
      command: `node scripts/step-${index}.js --with-a-long-option=${index}`,
      status: 'ok' as const,
      evidence: [],
    })),
  }
  const told = trail.map((entry, at) =>
    entry.label === 'assistant' ? { ...entry, text: `Part ${at} is of gateway_${at}. ${entry.text}` } : entry,
  )
  const given = sampleBundle({ ...lists, trail: told })
  const briefOf = (of: typeof given) => renderBrief(of, { maxTokens: 3000, counter })
  const [, happened = ''] = briefOf(given).split('## What happened, oldest first')
  expect(counter.count(happened)).toBeGreaterThan(600)
  expect(happened).toContain('port 40961')
  const findings = (brief: string) => brief.match(/Finding \d+:/g)?.length ?? 0
  const written = briefOf({ ...given, compression: { ...given.compression, model: 'a-model' } })
  expect(findings(written), 'what a model wrote').toBeGreaterThan(2 * findings(briefOf(given)))
})

it('a brief shows the plan of work that was done, and failures that were solved, after what the agent explained', () => {
  const entry = (at: number, label: string, text: string): TrailEntry => ({
    event: `e${at}`,
    agent: 'main',
    label,
    text,
  })
  const failed =
    'npm test -> exit 1\nFAIL src/retry.test.ts\nTimeoutError: no answer from port 40961 in retry.test.ts'
  const steps = Array.from(
    { length: 40 },
    (_, at) => `- Step ${at}: change src/part-${at}.ts to use the retry helper`,
  )
  const work = [
    entry(1, 'user', 'Carry out the plan.'),
    entry(2, 'plan', steps.join('\n')),
    entry(3, 'Bash', failed),
    entry(5, 'Edit', 'src/retry.ts +4 -2'),
    entry(
      7,
      'assistant',
      `The test waited for a server that nothing starts. ${filler(3)} Now the helper starts it and closes it after each test.`,
    ),
  ]
  const errors = [{ message: 'TimeoutError', evidence: ['e4' as EventId], resolution: 'passed in e6' }]
  const text = renderBrief(sampleBundle({ trail: work, errors }), { maxTokens: 900, counter })
  expect(text).toContain('Now the helper starts it and closes it after each test.')
  expect(text).not.toContain('TimeoutError: no answer')
  const open = sampleBundle({
    trail: work,
    errors: [{ message: 'TimeoutError', evidence: ['e4' as EventId] }],
  })
  expect(renderBrief(open, { maxTokens: 900, counter })).toContain('TimeoutError: no answer')
})

it('a brief shows the rest of a task list, after which edit the last check passed, and what edits define if there is room', () => {
  const bundle = sampleBundle()
  const given = sampleBundle({
    state: 'in-progress',
    workflow: { ...bundle.workflow, tasksRemaining: [{ text: 'Publish the package', evidence: [] }] },
    validation: { status: 'green', command: 'npm run lint', evidence: ['e7'] },
    files: [
      { path: 'src/a.ts', status: 'modified', defines: ['openDoor', 'Door'], evidence: ['e5'] },
      { path: 'src/b.ts', status: 'created', evidence: ['e9'] },
    ],
  })
  const brief = renderBrief(given, { maxTokens: 1500, counter })
  expect(brief).toMatch(/## Remaining\n- Publish the package\n.*## Last words of the user/s)
  expect(brief).toContain('- green: npm run lint, after src/a.ts was edited [e7]\n')
  expect(brief).toContain('- src/a.ts | is: modified [e5]\n> defines openDoor, Door\n')
  const stale: ContextBundle['validation'] = {
    status: 'stale',
    result: 'green',
    command: 'npm run lint',
    evidence: ['e7'],
  }
  expect(renderBrief({ ...given, validation: stale }, { maxTokens: 1500, counter })).toContain(
    '- stale (was green): npm run lint, before src/b.ts was edited [e7]\n',
  )
})
