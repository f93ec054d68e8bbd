import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { repeats } from '../../../../test/support/repeats.ts'
import { seedOf } from '../../../../test/support/seed.ts'
import { trimLists } from '../../src/assemble/trim-lists.ts'
import { bundleToMarkdown } from '../../src/bundle/markdown.ts'
import { sampleBundle } from '../../src/testing/sample-bundle.ts'
import type { TokenCounter } from '../../src/tokens/token-counter.ts'
import { arbitraryBundle } from '../support/arbitrary-bundle.ts'

const characters: TokenCounter = { name: 'characters', count: (text) => text.length }

describe('trimLists', () => {
  it('keeps everything if there is room, and reports no omission', () => {
    fc.assert(
      fc.property(arbitraryBundle, (bundle) => {
        const all = trimLists(bundle, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, characters)
        expect(all).toEqual({ bundle, trimmed: [] })
      }),
      { numRuns: repeats({ few: 12, all: 100 }), seed: seedOf(21) },
    )
  })

  it('trims every list if necessary, and counts what it leaves out', () => {
    fc.assert(
      fc.property(arbitraryBundle, (bundle) => {
        const { bundle: bare, trimmed } = trimLists(bundle, 0, 0, characters)
        const items = (markdown: string) =>
          markdown
            .split('\n## Trail')[0]
            ?.split('\n')
            .filter((line) => line.startsWith('- ')).length ?? 0
        const listed = {
          ...bundle,
          trail: [],
          validation: undefined,
          compression: { ...bundle.compression, calls: [] },
        }
        const texts = {
          summary: '',
          resumeInstructions: '',
          plan: undefined,
          progress: undefined,
          research: undefined,
        }
        const before = items(bundleToMarkdown({ ...listed, ...texts } as typeof bundle))
        const left = items(
          bundleToMarkdown({
            ...bare,
            ...texts,
            trail: [],
            validation: undefined,
            compression: listed.compression,
          } as typeof bundle),
        )
        expect(left).toBe(0)
        expect(trimmed.reduce((sum, [, count]) => sum + count, 0)).toBeGreaterThanOrEqual(before)
      }),
      { numRuns: repeats({ few: 25, all: 200 }), seed: seedOf(22) },
    )
  })

  it('takes no more than the budget', () => {
    fc.assert(
      fc.property(arbitraryBundle, fc.integer({ min: 50, max: 3000 }), (bundle, budget) => {
        const { bundle: some } = trimLists(bundle, budget, budget, characters)
        const bare = trimLists(bundle, 0, 0, characters).bundle
        const grown = bundleToMarkdown(some).length - bundleToMarkdown(bare).length
        // Headings and blank lines are estimated at four characters a list here.
        expect(grown).toBeLessThanOrEqual(budget + 24 * 20)
      }),
      { numRuns: repeats({ few: 25, all: 200 }), seed: seedOf(23) },
    )
  })

  it('shortens items before it leaves any out', () => {
    const bundle = sampleBundle({
      constraints: [],
      findings: [],
      files: Array.from({ length: 6 }, (_, index) => ({
        path: `src/file-${index}.ts`,
        status: 'modified' as const,
        reason: 'because of something that takes many words to tell '.repeat(3).trim(),
        evidence: [],
      })),
      commands: [
        {
          command: `node run.js ${'--option '.repeat(60).trim()}`,
          status: 'error',
          exitCode: 2,
          evidence: [],
        },
      ],
      errors: [],
    })
    const { bundle: some, trimmed } = trimLists(bundle, 800, 1200, characters)
    expect(some.files.map(({ path }) => path)).toEqual(bundle.files.map(({ path }) => path))
    expect(some.files[0]?.reason).toBeUndefined()
    expect(some.commands[0]).toMatchObject({ status: 'error', exitCode: 2 })
    expect(some.commands[0]?.command).toMatch(/^node run\.js .*\[…\d+ chars\].*--option$/)
    expect(trimmed.map(([name]) => name)).not.toContain('files changed')
  })

  it('gives each important list its minimum before another takes its whole share', () => {
    const bundle = sampleBundle({
      constraints: Array.from({ length: 60 }, (_, index) => ({
        text: `Rule ${index} is to be kept`,
        evidence: [],
      })),
      commands: Array.from({ length: 10 }, (_, index) => ({
        command: `make step-${index}`,
        status: 'ok' as const,
        evidence: [],
      })),
    })
    const { bundle: some } = trimLists(bundle, 900, 2000, characters)
    expect(some.commands.length).toBeGreaterThanOrEqual(6)
    expect(some.commands.at(-1)?.command).toBe('make step-9')
    expect(some.constraints.length).toBeGreaterThanOrEqual(12)
  })

  it('keeps what a progress bundle completed before the commits, as others keep their completed tasks', () => {
    const items = (name: string) =>
      Array.from({ length: 3 }, (_, index) => ({ text: `${name} of the step ${index}`, evidence: [] }))
    const bundle = sampleBundle({
      kind: 'progress',
      progress: { currentState: '', completed: items('Did'), inProgress: [], remaining: [] },
      findings: items('Finding'),
      git: {
        commits: ['a1b2c3d', 'b1b2c3d', 'c1b2c3d'].map((sha) => ({
          sha,
          subject: 'parser: each line once',
          evidence: [],
        })),
      },
    })
    const budgets = Array.from({ length: 60 }, (_, index) => index * 40)
    const kept = budgets.map((budget) => trimLists(bundle, budget, 4000, characters).bundle)
    for (const { progress, git, findings } of kept) {
      if (progress?.completed.length === 3) continue
      expect(git.commits).toEqual([])
      expect(findings).toEqual([])
    }
    expect(kept.some(({ progress, git }) => progress?.completed.length === 3 && git.commits.length < 3)).toBe(
      true,
    )
  })

  it('cuts nothing of steps, constraints, questions and choices of the user while something less important stays', () => {
    const some = (name: string) =>
      Array.from({ length: 3 }, (_, index) => ({ text: `${name} ${index} to be kept`, evidence: [] }))
    const choices = (by: 'user' | 'agent') =>
      some('Choice').map(({ text }) => ({
        choice: `${text} of the ${by}`,
        by,
        alternatives: [],
        evidence: [],
      }))
    const bundle = sampleBundle({
      nextSteps: some('Step').map(({ text }) => ({ action: text, evidence: [] })),
      constraints: some('Rule'),
      openQuestions: some('Question'),
      decisions: [...choices('user'), ...choices('agent')],
      errors: [
        { message: 'ld: undefined symbol frame_21884, in a line as long as any other of them', evidence: [] },
      ],
      files: [
        {
          path: 'src/a/path/as/long/as/any/other/line/of/these/lists/link.ts',
          status: 'modified',
          evidence: [],
        },
      ],
    })
    for (let budget = 0; budget < 900; budget += 10) {
      const { bundle: few } = trimLists(bundle, budget, budget, characters)
      const kept = [
        few.nextSteps.length,
        few.constraints.length,
        few.openQuestions.length,
        few.decisions.filter(({ by }) => by === 'user').length,
        few.errors.length + few.files.length + few.decisions.filter(({ by }) => by === 'agent').length,
      ]
      const cut = kept.findIndex((count, at) => count < 3 || at === kept.length - 1)
      expect(
        kept.slice(cut + 1).every((count) => count === 0),
        `${budget}: ${kept}`,
      ).toBe(true)
    }
  })

  it('loses no statement of a talkative model while files and commands have room', () => {
    const findings = Array.from({ length: 9 }, (_, index) => ({
      text: `Cause ${index}: the cache in src/cache-${index}.ts keeps a closed handle, so the second read of the same key fails with EBADF until the process restarts; a longer timeout was tried and changed nothing`,
      evidence: [`e${index + 1}` as const],
    }))
    const sample = sampleBundle({
      findings,
      files: Array.from({ length: 30 }, (_, index) => ({
        path: `src/read-${index}.ts`,
        status: 'read' as const,
        evidence: [],
      })),
    })
    const bundle = { ...sample, compression: { ...sample.compression, model: 'model-1' } }
    expect(trimLists(bundle, 2400, 4000, characters).bundle.findings).toEqual(findings)
  })

  it('keeps the statements that a model wrote before commands and files that were read', () => {
    const findings = Array.from({ length: 5 }, (_, index) => ({
      text: `Cause ${index}: the cache in src/cache-${index}.ts keeps a closed handle, so the second read of the same key fails with EBADF until the process restarts; a longer timeout was tried and changed nothing`,
      evidence: [`e${index + 1}` as const],
    }))
    const bundle = sampleBundle({
      findings,
      workflow: {
        tasksCompleted: [
          { text: 'Closed the handle in src/cache-1.ts, all tests pass', evidence: ['e6' as const] },
        ],
        tasksRemaining: [],
        blockers: [],
      },
      files: Array.from({ length: 30 }, (_, index) => ({
        path: `src/read-${index}.ts`,
        status: 'read' as const,
        evidence: [],
      })),
      commands: Array.from({ length: 30 }, (_, index) => ({
        command: `node measure.js --case ${index}`,
        status: 'ok' as const,
        evidence: [],
      })),
    })
    const trimmedBy = (compression: typeof bundle.compression) =>
      trimLists({ ...bundle, compression }, 2200, 4000, characters).bundle
    const { model: _, ...byCode } = bundle.compression
    const written = trimmedBy({ ...byCode, model: 'model-1' })
    expect(written.findings).toEqual(findings)
    expect(written.workflow.tasksCompleted).toEqual(bundle.workflow.tasksCompleted)
    expect(written.commands.length).toBeGreaterThanOrEqual(6)
    expect(trimmedBy(byCode).findings).not.toEqual(findings)
    const few = (compression: typeof bundle.compression) =>
      trimLists({ ...bundle, compression }, 900, 2000, characters).bundle.findings.map(({ text }) => text)
    expect(few({ ...byCode, model: 'model-1' })[0]).toContain('Cause 0')
    expect(few(byCode).at(-1)).toContain('Cause 4')
  })

  it('keeps short commands and choices whole, and drops parts that only repeat or filter', () => {
    const command = 'DATABASE_URL="postgres://localhost:5433/main" PORT=8081 npm run migrate --workspace api'
    const choice = `Use one worker for each queue, with the limit in deploy/queues.yaml, ${'so that order holds, '.repeat(4)}and no retry`
    const bundle = sampleBundle({
      commands: Array.from({ length: 8 }, (_, index) => ({
        command: `${command}-${index} 2>&1 | tail -n 20`,
        status: 'ok' as const,
        evidence: [],
      })),
      decisions: Array.from({ length: 4 }, (_, index) => ({
        choice: `${choice} ${index}`,
        rationale: 'two of them changed the same row at the same time. '.repeat(4).trim(),
        alternatives: ['a pool of workers'],
        by: 'agent' as const,
        at: '2026-01-05T10:00:00.000Z',
        evidence: [],
      })),
    })
    const { bundle: some } = trimLists(bundle, 1800, 3600, characters)
    expect(some.commands.at(-1)?.command).toBe(`${command}-7`)
    expect(some.decisions.at(-1)).toEqual({
      choice: `${choice} 3`,
      alternatives: [],
      by: 'agent',
      evidence: [],
    })
  })
})
