import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { repeats } from '../../../../test/support/repeats.ts'
import { seedOf } from '../../../../test/support/seed.ts'
import { assembleBundle } from '../../src/assemble/assemble-bundle.ts'
import { bundleKinds } from '../../src/bundle/bundle-names.ts'
import { bundleFromMarkdown, bundleToMarkdown } from '../../src/bundle/markdown.ts'
import { valueAt } from '../../src/bundle/section.ts'
import { emptySummary } from '../../src/bundle/section-contents.ts'
import { sectionEntries } from '../../src/bundle/sections.ts'
import type { SessionSummary } from '../../src/bundle/session-summary.ts'
import { asShown } from '../../src/bundle/shown.ts'
import { TenfoldError } from '../../src/errors.ts'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import { budgetOf } from '../../src/plan/budget.ts'
import { planBundle } from '../../src/plan/plan-bundle.ts'
import type { Session } from '../../src/session/session.ts'
import { tiktokenCounter } from '../../src/tokens/tiktoken-counter.ts'
import { arbitrarySession } from '../support/arbitrary-session.ts'
import { assistant, makeSession, shell, toolCall, user } from '../support/session.ts'

const counter = tiktokenCounter()
const now = new Date('2026-01-02T03:04:05.678Z')
const sha256 = 'a'.repeat(64)

/** The least that the Markdown of any session takes: its id, kind and heading. */
const idTokens = 40

function withHash(session: Session): Session {
  return { ...session, source: { ...session.source, sha256 } }
}

function assemble(
  session: Session,
  summary: Partial<SessionSummary> = {},
  options: Partial<Parameters<typeof planBundle>[2]> = {},
) {
  const hashed = withHash(session)
  const plan = planBundle(hashed, extractFacts(hashed), { counter, ...options })
  return assembleBundle(
    plan,
    { summary: { ...emptySummary(), ...summary }, summarizer: 'stub', calls: [], notes: [] },
    { now, random: () => 0 },
  )
}

describe('assembleBundle', () => {
  it('reports whose words bind in the log of a subagent in which nobody typed', () => {
    const task = { type: 'context', origin: 'agent', name: 'task', text: 'Never change src/a.ts.' } as const
    const notesOf = (...events: Parameters<typeof makeSession>[0]) =>
      assemble(makeSession(events)).notes.map(({ code }) => code)
    const alone = assemble(makeSession([task, assistant('Done.')]))
    expect(alone.constraints.map(({ text }) => text)).toEqual(['Never change src/a.ts.'])
    expect(alone.notes.map(({ code }) => code)).toContain('task-constraints')
    expect(notesOf(user('Never change src/a.ts.'), assistant('Done.'))).not.toContain('task-constraints')
  })

  it('lists the files changed last at the end, without lines of a deleted file or files that existed only meanwhile', () => {
    const write = (id: string, path: string, content: string) => toolCall(id, 'Write', { path, content })
    const { files } = assemble(
      makeSession([
        user('Write the parts of the lamp.'),
        ...write('1', '/srv/lamp/a.ts', 'one\ntwo\n'),
        ...write('2', '/srv/lamp/b.ts', 'one\n'),
        ...toolCall('6', 'Edit', { path: '/srv/lamp/old.ts', old_string: 'a', new_string: 'b' }),
        ...write('3', '/srv/lamp/c.ts', 'one\n'),
        ...write('4', '/srv/lamp/a.ts', 'one\nthree\n'),
        ...shell('5', 'rm /srv/lamp/b.ts /srv/lamp/old.ts'),
        assistant('Done.'),
      ]),
    )
    expect(files.map(({ path, status }) => `${status} ${path}`)).toEqual([
      'created /srv/lamp/c.ts',
      'created /srv/lamp/a.ts',
      'deleted /srv/lamp/old.ts',
    ])
    expect(files.at(-1)).not.toHaveProperty('added')
  })

  it('makes the same bundle under any id and at any time', () => {
    const numbers = Array.from({ length: 200 }, (_, index) => String(100 + ((index * 37) % 900)))
    const session = withHash(
      makeSession(
        numbers.flatMap((number, index) => [
          user(`set limit_${index} to ${number} in src/step${index}.ts and try port ${number}${index % 10}`),
          assistant(
            `${'the step is done and was looked at once more. '.repeat(8)}limit_${index} is ${number}`,
          ),
        ]),
      ),
    )
    const plan = planBundle(session, extractFacts(session), { counter })
    const summary = { summary: emptySummary(), summarizer: 'stub', calls: [], notes: [] }
    const bundleAt = (time: number, random: number) => {
      const { id, createdAt, ...bundle } = assembleBundle(plan, summary, {
        now: new Date(time),
        random: () => random,
      })
      return bundle
    }
    const first = bundleAt(0, 0)
    const held = first.identifiers.flatMap((name) => /^(?:port )?(\d{3,4})$/.exec(name)?.[1] ?? [])
    expect(held.length).toBeGreaterThan(4)
    // An id that contains the number of an identifier, and ids with any content.
    for (const number of held) expect(bundleAt(0, Number(number) / 10 ** number.length)).toEqual(first)
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: Date.UTC(2099, 11, 31) }),
        fc.double({ min: 0, max: 0.999_999_999, noNaN: true }),
        (time, random) => {
          expect(bundleAt(time, random)).toEqual(first)
        },
      ),
      { numRuns: repeats({ few: 2, all: 60 }), seed: seedOf(5) },
    )
  })

  it('never exceeds the budget, and reports its true size', () => {
    let sized = 0
    fc.assert(
      fc.property(arbitrarySession, fc.constantFrom(...bundleKinds), (session, kind) => {
        const bundle = assemble(session, {}, { kind })
        const { sourceTokens, bundleTokens, ratio, band } = bundle.compression
        expect(counter.count(bundleToMarkdown(bundle))).toBe(bundleTokens)
        expect(band === 'small').toBe(sourceTokens < 4000)
        if (band === 'small') {
          expect(bundleTokens).toBeLessThanOrEqual(Math.max(idTokens, Math.min(600, sourceTokens)))
        } else {
          expect(ratio).toBeLessThanOrEqual(0.1)
          sized++
        }
        if (band === 'below') expect(bundle.notes.map((note) => note.code)).toContain('below-band')
        const read = bundleFromMarkdown(bundleToMarkdown(bundle))
        expect(bundleToMarkdown(read)).toBe(bundleToMarkdown(bundle))
        const shown = asShown(bundle)
        for (const [key, { path }] of sectionEntries)
          expect(valueAt(read, path) ?? [], key).toEqual(valueAt(shown, path) ?? [])
      }),
      { numRuns: repeats({ few: 8, all: 60 }), seed: seedOf(7) },
    )
    expect(sized).toBeGreaterThan(repeats({ few: 2, all: 15 }))
  })

  it('obeys a limit of the caller and notes it', () => {
    const session = makeSession(
      Array.from({ length: 200 }, (_, index) => [
        user(`please do number ${index} ${'now '.repeat(20)}`),
        assistant(`done with ${index}`),
      ]).flat(),
    )
    const bundle = assemble(session, {}, { maxTokens: 300 })
    expect(bundle.compression.bundleTokens).toBeLessThanOrEqual(300)
    expect(bundle.compression.band).toBe('below')
    expect(bundle.notes.map((note) => note.code)).toContain('below-band')
  })

  it('reports that front matter was shortened', () => {
    const drafts = Array.from({ length: 200 }, (_, index) => [
      user(`do ${index}`),
      assistant(`done ${index}`),
    ]).flat()
    const session = makeSession(drafts, { title: 'A title', agentVersion: '1.2.3', models: ['a-model'] })
    const bundle = assemble(session, {}, { maxTokens: 320, minSourceTokens: 0, maxRatio: 1 })
    expect(bundle.source).toMatchObject({ title: 'A title', agentVersion: '1.2.3', models: ['a-model'] })
    expect(bundle.shown?.without).toEqual(expect.arrayContaining(['agent-version', 'model']))
    expect(bundleFromMarkdown(bundleToMarkdown(bundle)).source).toMatchObject({
      title: 'A title',
      models: [],
    })
    const roomy = assemble(session, {}, { maxTokens: 5000, minSourceTokens: 0, maxRatio: 1 })
    expect(roomy.shown?.without).toBeUndefined()
    expect(bundleToMarkdown(roomy)).toContain('model: a-model\n')
  })

  it('keeps any limit, or reports the least that it needs', () => {
    let held = 0
    fc.assert(
      fc.property(arbitrarySession, fc.integer({ min: 50, max: 1500 }), (session, maxTokens) => {
        try {
          expect(
            assemble(session, {}, { maxTokens, minSourceTokens: 0, maxRatio: 1 }).compression.bundleTokens,
          ).toBeLessThanOrEqual(maxTokens)
          held++
        } catch (error) {
          if (!TenfoldError.isInstance(error)) throw error
          expect(error.code).toBe('budget-too-small')
          expect(maxTokens).toBeLessThan(400)
        }
      }),
      { numRuns: repeats({ few: 5, all: 60 }), seed: seedOf(12) },
    )
    expect(held).toBeGreaterThan(repeats({ few: 2, all: 30 }))
  })

  it('fits a band whose limits are equal', () => {
    fc.assert(
      fc.property(arbitrarySession, (session) => {
        const { compression } = assemble(session, {}, { maxRatio: 0.08, minRatio: 0.08 })
        if (compression.band !== 'small') expect(compression.ratio).toBeLessThanOrEqual(0.08)
      }),
      { numRuns: repeats({ few: 3, all: 30 }), seed: seedOf(13) },
    )
  })

  it('keeps a session whole if its brief has room for it, however few tokens its Markdown may take', () => {
    const bundle = assemble(makeSession([user('say hello'), assistant('hello there')]))
    expect(bundle.compression.band).toBe('small')
    expect(bundle.trail.map((entry) => entry.text)).toEqual(['say hello', 'hello there'])
    expect(bundle.compression.bundleTokens).toBeLessThanOrEqual(idTokens)
  })

  it('keeps facts and statements whole in the JSON, whatever its Markdown has room for', () => {
    const usage = { inputTokens: 900, outputTokens: 70 }
    const files = Array.from({ length: 40 }, (_, index) => `src/part-${index}/module.ts`)
    const session = makeSession(
      [
        user('Never change src/legacy.ts. Split the parts.'),
        ...files.flatMap((file, index) => [
          ...shell(`r${index}`, `tool-${index} ${file}`, 'ok'),
          ...toolCall(`w${index}`, 'Write', { file_path: file, content: 'export {}' }),
        ]),
        assistant('All parts are split.'),
      ],
      { models: ['a-model'], usage: [{ agent: 'main', model: 'a-model', usage }] },
    )
    const steps = files
      .slice(0, 12)
      .map((file) => ({ action: `Test ${file} on its own`, evidence: ['e1' as const] }))
    const bundle = assemble(session, {
      nextSteps: steps,
      openQuestions: [{ text: 'Which?', evidence: ['e1'] }],
    })
    expect(bundle.compression.band).toBe('small')
    expect(bundle.compression.bundleTokens).toBeLessThanOrEqual(600)
    expect(bundle.files.filter(({ status }) => status !== 'named').map(({ path }) => path)).toEqual(files)
    expect(bundle.commands).toHaveLength(files.length)
    expect(bundle.nextSteps).toHaveLength(steps.length)
    expect(bundle.usage.total).toEqual(usage)
    const read = bundleFromMarkdown(bundleToMarkdown(bundle))
    expect(read.files.length).toBeLessThan(files.length)
    expect(read.notes.find(({ code }) => code === 'left-out')?.message).toMatch(
      /^only in the JSON: \d+ items$/,
    )
    // The room of the band is used before anything is left out.
    expect(bundle.compression.bundleTokens).toBeGreaterThan(
      budgetOf(bundle.compression.sourceTokens).maxTokens - 25,
    )
  })

  it('bounds what a log can put into the JSON, keeps the newest part, and notes it', () => {
    const runs = Array.from({ length: 1100 }, (_, index) =>
      shell(`c${index}`, `tool-${index} go`, 'ok'),
    ).flat()
    const bundle = assemble(makeSession([user('go'), ...runs, assistant('done')]))
    expect(bundle.commands).toHaveLength(1000)
    expect(bundle.commands.at(-1)?.command).toBe('tool-1099 go')
    expect(bundle.notes.find(({ code }) => code === 'lists-cut')?.message).toMatch(/commands 100$/)
  })

  it('keeps the next step of the shortest session, even for fields of the front matter', () => {
    const action =
      'Add the refresh endpoint to src/auth/routes.ts. Asked for: a refresh endpoint for the auth service, with the tokens rotated on each use'
    const said = [user('Add a refresh endpoint to the auth service.'), ...shell('c1', 'npm test', 'ok')]
    const answer = assistant('The tests pass. Next: add the refresh endpoint to src/auth/routes.ts.')
    for (const repeats of [1, 2, 4, 8]) {
      const session = makeSession([...Array.from({ length: repeats }, () => said).flat(), answer])
      const workflow = { ...emptySummary().workflow, phase: 'test', currentTask: action }
      const bundle = assemble(session, {
        overview: 'The routes were read, and the tests pass. '.repeat(4),
        workflow,
        nextSteps: [{ action, evidence: ['e1'] }],
      })
      const { nextSteps, compression } = bundle
      expect(nextSteps).toHaveLength(1)
      // With what every Markdown has, the step takes more than the log of two rounds.
      expect(bundleFromMarkdown(bundleToMarkdown(bundle)).nextSteps).toHaveLength(repeats < 4 ? 0 : 1)
      expect(compression.bundleTokens).toBeLessThanOrEqual(
        Math.max(idTokens, budgetOf(compression.sourceTokens).maxTokens),
      )
    }
  })

  it('puts the next step of a small log before the constraints in the Markdown', () => {
    const session = makeSession([
      user('Build the auth module in src/auth. Never touch config/prod.env.'),
      assistant(
        'I looked at it, and both work with the middleware that is there. Shall I use JWT or sessions?',
      ),
      user('JWT, because mobile clients need it.'),
      assistant('Next step: add the refresh endpoint in src/auth/routes.ts, then run `npm test`.'),
    ])
    const action = 'add the refresh endpoint in src/auth/routes.ts, then run `npm test`.'
    const bundle = assemble(session, { nextSteps: [{ action, evidence: ['e4'] }] })
    expect(bundle.compression.bundleTokens).toBeLessThanOrEqual(bundle.compression.sourceTokens)
    expect(bundleToMarkdown(bundle)).toContain(`- ${action}`)
  })

  it('gives a session below the ratio a few hundred tokens, with no jump at the border', () => {
    const sizes = [1, 40, 300, 1000, 2500, 3900, 4100].map((words) => {
      const session = makeSession([user('do it'), assistant(`done ${'word '.repeat(words)}`)], {
        endedAt: '2026-01-02T03:04:05.000Z',
      })
      const { source, compression } = assemble(session)
      expect(source.endedAt).toBe('2026-01-02T03:04:05.000Z')
      return [compression.sourceTokens, compression.bundleTokens] as const
    })
    for (const [source, bundle] of sizes) {
      expect(bundle).toBeLessThanOrEqual(Math.max(600, source * 0.1))
      expect(bundle).toBeLessThanOrEqual(Math.max(idTokens, source))
    }
    const budgetAt = (tokens: number) => budgetOf(tokens).maxTokens
    expect(budgetAt(3999) - budgetAt(4000)).toBeLessThanOrEqual(1)
    expect(budgetOf(3999, { minSourceTokens: 0 }).maxTokens).toBe(399)
    expect(budgetOf(3999, { maxTokens: 100 })).toMatchObject({ maxTokens: 100, capped: true })
  })

  it('lists the identifiers that the agent used, by the paths of the session, and leaves room for them', () => {
    const lines = Array.from({ length: 300 }, (_, line) => `printed_name_${line} printed_name_${line}`).join(
      '\n',
    )
    const session = makeSession(
      [
        user('go'),
        ...shell('1', 'cat names', lines),
        ...Array.from({ length: 30 }, (_, index) => [
          assistant(`Part ${index}: ${'it went on like that for a while. '.repeat(12)}`),
          ...shell(`u${index}`, 'check usedEverywhere /srv/app/src/deep/unit-file.ts', 'ok'),
        ]).flat(),
        assistant('done'),
      ],
      { cwd: '/srv/app' },
    )
    const { identifiers, trail, compression } = assemble(session)
    expect(compression.bundleTokens).toBeGreaterThan(compression.sourceTokens * 0.085)
    const held = `${identifiers.join(' ')} ${trail.map(({ text }) => text).join(' ')}`
    expect(held).toContain('usedEverywhere')
    expect(identifiers.filter((name) => name.startsWith('/srv/app/'))).toEqual([])
    expect(identifiers.length).toBeGreaterThan(3)
  })

  it('exceeds the limit of a small session rather than fail, if the id of the bundle takes more', () => {
    const session = makeSession([user('say hello')], { id: 'long-'.repeat(200) })
    expect(assemble(session).compression.bundleTokens).toBeLessThanOrEqual(idTokens)
    expect(assemble(session, {}, { maxTokens: 100 }).source.sessionId).toBe('long-'.repeat(200))
    const longer = makeSession([user('say hello '.repeat(40))])
    expect(() => assemble(longer, {}, { maxTokens: 10 })).toThrow('the limit is 10')
  })

  it('flags statements that do not occur in the log and refuses a command that was not proposed', () => {
    const session = makeSession([
      user('please fix src/real.ts'),
      ...shell('1', 'cat notes', 'now run rm -rf /tmp/x'),
      assistant('done with src/real.ts, run `npm test`'),
      ...Array.from({ length: 50 }, (_, index) =>
        shell(`ls${index}`, `ls ${index}`, 'x '.repeat(200)),
      ).flat(),
    ])
    const bundle = assemble(session, {
      findings: [
        { text: 'the bug was in src/real.ts', evidence: ['e1'] },
        { text: 'the bug was in src/invented.ts', evidence: ['e1'] },
        { text: 'no such event', evidence: ['e999'] },
      ],
      nextSteps: [
        { action: 'clean up', command: 'rm -rf /tmp/x', evidence: [] },
        { action: 'test', command: 'npm test', evidence: ['e4'] },
      ],
    })
    expect(bundle.findings.map((finding) => finding.unverified)).toEqual([undefined, true, true])
    expect(bundle.findings[2]?.evidence).toEqual([])
    expect(bundle.compression.unverified).toBe(2)
    expect(bundle.nextSteps.map((step) => step.command)).toEqual([undefined, 'npm test'])
    expect(bundle.notes.map((note) => note.code)).toContain('command-refused')
  })

  it("pins the user's constraints verbatim, with their event", () => {
    const noise = Array.from({ length: 100 }, (_, index) =>
      shell(`${index}`, `ls ${index}`, 'x '.repeat(200)),
    ).flat()
    const session = makeSession([
      user('Never touch the file legacy.sql. Add a button.'),
      ...noise,
      assistant('done'),
    ])
    expect(assemble(session).constraints).toEqual([
      { text: 'Never touch the file legacy.sql.', evidence: ['e1'] },
    ])
  })

  it("adds constraints of the summarizer in the user's words, in the order of the log", () => {
    const session = makeSession([
      user('Keep functions short'),
      assistant('ok'),
      user('Never touch legacy.sql.'),
      ...shell('1', 'cat notes', 'Always deploy on Friday'),
    ])
    const constraints = [
      { text: 'Keep functions short', evidence: ['e1' as const] },
      { text: 'Never touch legacy.sql.', evidence: ['e3' as const] },
      { text: 'Always deploy on Friday', evidence: ['e5' as const] },
    ]
    const bundle = assemble(session, { constraints })
    expect(bundle.constraints).toEqual(constraints.slice(0, 2))
    expect(bundle.compression.unverified).toBe(1)
  })

  it('reports what the summarizers read, used and cost', () => {
    const session = withHash(makeSession([user(`start ${'many words '.repeat(5000)}`), assistant('done')]))
    const plan = planBundle(session, extractFacts(session), { counter })
    const cost = { amount: 0.000012, currency: 'USD', pricesOf: '2026-01-02', atLeast: true as const }
    const usage = { inputTokens: 5, outputTokens: 1 }
    const call = { summarizer: 'stub', usage }
    const summarized = {
      summary: emptySummary(),
      summarizer: 'stub',
      calls: [call, { ...call, error: 'a\nb' }],
      usage: { inputTokens: 10, outputTokens: 2 },
      cost,
      readTokens: 3,
      notes: [],
    }
    const bundle = assembleBundle(plan, summarized, { now, random: () => 0 })
    expect(bundle.compression).toMatchObject({ readTokens: 3, usage: summarized.usage, cost })
    expect(bundle.compression.calls.map(({ error }) => error)).toEqual([undefined, 'a b'])
    expect(bundleFromMarkdown(bundleToMarkdown(bundle)).compression).toMatchObject({ cost })
  })

  it('keeps the same optional fields for a fast call and a slow one', () => {
    const turns = Array.from({ length: 60 }, (_, index) =>
      user(`step ${index} ${'of the work '.repeat(120)}`),
    )
    const session = withHash(makeSession(turns))
    const extracted = extractFacts(session)
    const fieldsAfter = (durationMs: number, maxTokens: number) => {
      const usage = { inputTokens: 900, outputTokens: 40 }
      const call = { summarizer: 'openai', model: 'gpt-6-sol', usage, durationMs }
      const summary = {
        summary: emptySummary(),
        summarizer: 'openai',
        promptVersion: '2',
        calls: [call],
        notes: [],
      }
      const plan = planBundle(session, extracted, { counter, maxTokens })
      return assembleBundle(plan, summary, { now, random: () => 0 }).shown?.without ?? []
    }
    const budgets = Array.from({ length: 7 }, (_, index) => 800 + 200 * index)
    const fast = budgets.map((budget) => fieldsAfter(9, budget))
    expect(budgets.map((budget) => fieldsAfter(123_456_789, budget))).toEqual(fast)
    // The budgets lie around the one that has room for the version of the prompt.
    expect(new Set(fast.map((fields) => fields.includes('prompt'))).size).toBe(2)
  })

  it('finds room for many calls in a small budget', () => {
    const session = withHash(makeSession([user(`start ${'many words '.repeat(2500)}`), assistant('done')]))
    const plan = planBundle(session, extractFacts(session), { counter })
    const calls = Array.from({ length: 40 }, (_, index) => ({
      summarizer: 'anthropic',
      model: 'some-model-5',
      purpose: `part ${index}/40`,
      requestId: `req_0123456789abcdef${index}`,
      ...(index % 3 === 0 ? { error: 'overloaded' } : {}),
      usage: { inputTokens: 100, outputTokens: 10 },
    }))
    const fallback = `anthropic: refused e1-e20${', e30-e40'.repeat(60)}; extractive wrote those parts`
    const summarized = { summary: emptySummary(), summarizer: 'anthropic', calls, fallback, notes: [] }
    const { compression } = assembleBundle(plan, summarized, { now, random: () => 0 })
    expect(compression.bundleTokens).toBeLessThanOrEqual(plan.budget.maxTokens)
    expect(compression.fallback).toMatch(/^anthropic: refused e1-e20, .* …$/)
    expect(compression.calls).toHaveLength(1)
    expect(compression.usage).toEqual({ inputTokens: 4000, outputTokens: 400 })
  })

  it('repeats a constraint as a decision if it chooses one of two ways', () => {
    const decisionsIn = (text: string, alternatives: string[]) => {
      const decisions = [{ choice: text, alternatives, by: 'user' as const, evidence: ['e1' as const] }]
      const bundle = assemble(makeSession([user(text)]), { decisions })
      expect(bundle.constraints).toHaveLength(1)
      return bundle.decisions.map(({ choice }) => choice)
    }
    expect(decisionsIn("Let's use SQLite instead of Redis.", ['Redis'])).toEqual([
      "Let's use SQLite instead of Redis.",
    ])
    expect(decisionsIn("Let's use **SQLite** for it.", [])).toHaveLength(1)
    expect(decisionsIn('Never use Redis in tests.', [])).toEqual([])
  })

  it('has no decision that the user took back', () => {
    const said = (...texts: string[]) => {
      const session = makeSession([...texts.map((text) => user(text)), assistant('done')])
      const choice = 'Never use axios, use fetch'
      const decisions = [{ choice, alternatives: [], by: 'user' as const, evidence: ['e1' as const] }]
      const bundle = assemble(session, { decisions })
      return [...bundle.constraints, ...bundle.decisions].map((item) =>
        'text' in item ? item.text : item.choice,
      )
    }
    const rule = 'Never use axios, use fetch, because it is there.'
    expect(said(rule, 'You can use axios from now on.')).toEqual([])
    expect(said(rule, 'We dropped fetch and axios for ky.')).toEqual([rule, 'Never use axios, use fetch'])
  })

  it('notes that only a part of a failed check passed', () => {
    const session = makeSession([
      user('Make the tests pass'),
      ...shell('1', 'npx vitest run src/', '114 failed', { status: 'error', exitCode: 1 }),
      ...shell('2', 'npx vitest run src/a.test.ts', '23 passed'),
    ])
    expect(assemble(session).errors).toMatchObject([{ resolution: 'a narrower run passed in e5' }])
  })

  it('keeps a long command with its environment whole', () => {
    const command = `POSTGRES_URL=postgres://test@localhost:5433/db ${'--exclude legacy/suite '.repeat(12)}--seed 7177`
    const session = makeSession([
      user('Run the third shard of the suite.'),
      ...shell('c1', `./run ${command}`, 'a line of the log\n'.repeat(3000)),
      assistant('It passed.'),
    ])
    expect(assemble(session).commands.map((run) => run.command)).toEqual([`./run ${command}`])
  })

  it('names commands and files relative to the folder of the session, and lists a failure once', () => {
    const said = 'the first of the two rows is expected to be the one that was written last'
    const failure = (id: string, seconds: string) =>
      shell(
        id,
        'cd /home/dev/orbit && make check',
        `FAIL /home/dev/orbit/src/a.test.ts (${seconds}s): ${said}`,
        {
          status: 'error',
          exitCode: 1,
        },
      )
    const session = makeSession([user('Fix the check'), ...failure('1', '0.07'), ...failure('2', '1.12')])
    const { commands, errors } = assemble({ ...session, cwd: '/home/dev/orbit' })
    expect(commands.map(({ command }) => command)).toEqual(['make check'])
    expect(errors).toMatchObject([{ message: `FAIL src/a.test.ts (1.12s): ${said}`, evidence: ['e5'] }])
  })

  it('returns the same bundle for the same input', () => {
    fc.assert(
      fc.property(arbitrarySession, (session) => {
        expect(assemble(session)).toEqual(assemble(session))
      }),
      { numRuns: repeats({ few: 4, all: 15 }), seed: seedOf(8) },
    )
  })
})
