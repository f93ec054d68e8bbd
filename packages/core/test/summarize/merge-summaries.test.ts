import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { repeats } from '../../../../test/support/repeats.ts'
import { seedOf } from '../../../../test/support/seed.ts'
import { emptySummary } from '../../src/bundle/section-contents.ts'
import { sessionSummarySchema } from '../../src/bundle/session-summary.ts'
import { mergeSummaries, type SummarizedPart } from '../../src/summarize/parts/merge-summaries.ts'
import { listsOf, sameness } from '../../src/summarize/summary-lists.ts'
import { words } from './fake-summarizer.ts'
import { arbitrarySummary, item, summaryWith } from './summaries.ts'

const decision = (choice: string, event: `e${number}`, by: 'user' | 'agent' = 'agent') => ({
  topic: 'store',
  choice,
  alternatives: [],
  by,
  evidence: [event],
})

const first: SummarizedPart = {
  first: 'e1',
  last: 'e99',
  summary: summaryWith({
    overview: 'It began.',
    resumeInstructions: 'Go on.',
    workflow: {
      phase: 'plan',
      currentTask: 'lexer',
      tasksRemaining: [item('write the lexer', 'e3'), item('write docs', 'e4')],
    },
    findings: [item('tests are slow', 'e9')],
    decisions: [decision('SQLite', 'e5', 'user')],
    constraints: [item('Never push.', 'e2')],
    nextSteps: [
      { action: 'write the lexer', evidence: ['e3'] },
      { action: 'ask ops', evidence: ['e8'] },
    ],
    fileReasons: [
      { path: 'a.ts', reason: 'first' },
      { path: 'b.ts', reason: 'only' },
    ],
    plan: { approach: 'top down', steps: [item('lexer', 'e3')], risks: [] },
    research: { decision: 'use it' },
  }),
}

const second: SummarizedPart = {
  first: 'e100',
  last: 'e200',
  summary: summaryWith({
    overview: 'It ended.',
    workflow: { currentTask: 'docs', tasksCompleted: [item('Write the lexer.', 'e120')] },
    findings: [item('Tests are  slow', 'e130'), item('cache is cold', 'e131')],
    decisions: [decision('Redis', 'e140'), decision('SQLite', 'e150')],
    nextSteps: [{ action: 'publish', evidence: ['e190'] }],
    fileReasons: [{ path: 'a.ts', reason: 'second' }],
    plan: { approach: 'bottom up', steps: [], risks: [item('time', 'e160')] },
    progress: { currentState: 'nearly done', completed: [], inProgress: [], remaining: [] },
  }),
}

describe('mergeSummaries', () => {
  it('joins statements in the order of the log, no matter how the parts are ordered', () => {
    const merged = mergeSummaries([second, first])
    expect(merged).toEqual(mergeSummaries([first, second]))
    expect(merged).toEqual({
      overview: 'e1-e99: It began.\n\ne100-e200: It ended.',
      resumeInstructions: 'Go on.',
      workflow: {
        phase: 'plan',
        currentTask: 'docs',
        tasksRemaining: [item('write docs', 'e4')],
        tasksCompleted: [item('Write the lexer.', 'e3', 'e120')],
        blockers: [],
      },
      findings: [item('Tests are  slow', 'e9', 'e130'), item('cache is cold', 'e131')],
      decisions: [
        decision('Redis', 'e140'),
        { ...decision('SQLite', 'e5', 'user'), evidence: ['e5', 'e150'] },
      ],
      constraints: [item('Never push.', 'e2')],
      openQuestions: [],
      nextSteps: [
        { action: 'publish', evidence: ['e190'] },
        { action: 'ask ops', evidence: ['e8'] },
      ],
      fileReasons: [
        { path: 'a.ts', reason: 'second' },
        { path: 'b.ts', reason: 'only' },
      ],
      plan: {
        approach: 'e1-e99: top down\n\ne100-e200: bottom up',
        steps: [item('lexer', 'e3')],
        risks: [item('time', 'e160')],
      },
      progress: { currentState: 'nearly done', completed: [], inProgress: [], remaining: [] },
      research: { decision: 'use it' },
    })
  })

  it('returns one part as it is, and an empty summary of no parts', () => {
    expect(mergeSummaries([first])).toBe(first.summary)
    expect(mergeSummaries([])).toEqual(emptySummary())
  })

  it('puts a task that was reopened among the remaining ones', () => {
    const done = {
      ...first,
      summary: summaryWith({ workflow: { tasksCompleted: [item('deploy', 'e9')] } }),
    }
    const open = {
      ...second,
      summary: summaryWith({ workflow: { tasksRemaining: [item('deploy', 'e150')] } }),
    }
    const { workflow } = mergeSummaries([done, open])
    expect(workflow.tasksCompleted).toEqual([])
    expect(workflow.tasksRemaining).toEqual([item('deploy', 'e9', 'e150')])
  })

  it('keeps a range that a summary already has', () => {
    const merged = { first: 'e1', last: 'e200', summary: mergeSummaries([first, second]) } as const
    const third = { first: 'e201', last: 'e201', summary: summaryWith({ overview: 'More.' }) } as const
    expect(mergeSummaries([merged, third]).overview).toBe(
      'e1-e99: It began.\n\ne100-e200: It ended.\n\ne201: More.',
    )
  })

  it('cuts long summaries and leaves short ones whole', () => {
    const parts = Array.from({ length: 10 }, (_, index) => ({
      first: `e${index * 10 + 1}` as const,
      last: `e${index * 10 + 10}` as const,
      summary: summaryWith({ overview: `part ${index} ${'word '.repeat(index < 5 ? 3 : 300)}`.trim() }),
    }))
    const { overview: summary } = mergeSummaries(parts, { maxTokens: 800, counter: words })
    const told = summary.split('\n\n')
    expect(told).toHaveLength(10)
    expect(told[0]).toBe('e1-e10: part 0 word word word')
    expect(told[9]).toMatch(/^e91-e100: part 9 word .*\[…\d+\]/)
    expect(words.count(summary)).toBeLessThanOrEqual(400)
    expect(words.count(summary)).toBeGreaterThan(300)
  })

  it('gives the same for any order, matches the schema, loses no evidence and repeats nothing', () => {
    fc.assert(
      fc.property(
        fc.array(arbitrarySummary, { minLength: 1, maxLength: 5 }).chain((summaries) => {
          const parts = summaries.map((summary, index): SummarizedPart => {
            const start = index * 10
            return { summary, first: `e${start + 1}`, last: `e${start + 10}` }
          })
          return fc.tuple(fc.constant(parts), fc.shuffledSubarray(parts, { minLength: parts.length }))
        }),
        ([parts, shuffled]) => {
          const merged = mergeSummaries(parts)
          expect(mergeSummaries(shuffled)).toEqual(merged)
          expect(sessionSummarySchema.safeParse(merged).error).toBeUndefined()
          if (parts.length === 1) return
          for (const [, list] of listsOf(merged)) {
            const keys = list.map(sameness)
            expect(new Set(keys).size).toBe(keys.length)
          }
          for (const task of ['x', 't', 'f', 'q', 'b', 'c'] as const) {
            const of = (part: SummarizedPart['summary']) =>
              new Set(
                listsOf(part)
                  .flatMap(([id, list]) => (sameGroup(id, task) ? list : []))
                  .flatMap((entry) => entry.evidence),
              )
            const all = new Set(parts.flatMap(({ summary }) => [...of(summary)]))
            expect(of(merged)).toEqual(all)
          }
        },
      ),
      { numRuns: repeats({ few: 50, all: 150 }), seed: seedOf(51) },
    )
  })
})

function sameGroup(id: string, task: string): boolean {
  return id === task || (['x', 't'].includes(id) && ['x', 't'].includes(task))
}
