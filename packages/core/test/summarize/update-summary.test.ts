import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seedOf } from '../../../../test/support/seed.ts'
import { sessionSummarySchema } from '../../src/bundle/session-summary.ts'
import { listsOf, sameness } from '../../src/summarize/summary-lists.ts'
import { numberStatements, type SummaryDelta, updateSummary } from '../../src/summarize/update-summary.ts'
import { arbitrarySummary, item, summaryWith } from './summaries.ts'

const earlier = summaryWith({
  overview: 'The parser was begun.',
  resumeInstructions: 'Go on with the parser.',
  workflow: {
    phase: 'build',
    currentTask: 'parser',
    tasksRemaining: [item('write the lexer', 'e3'), item('write docs', 'e4')],
    tasksCompleted: [item('set up', 'e1')],
    blockers: [item('no access to staging', 'e9')],
  },
  constraints: [item('Never push to main.', 'e2')],
  findings: [item('the file is UTF-16', 'e5'), item('tests take 3 minutes', 'e6')],
  decisions: [
    {
      topic: 'store',
      choice: 'SQLite',
      rationale: 'one file',
      alternatives: ['Redis'],
      by: 'user',
      evidence: ['e7'],
    },
  ],
  openQuestions: [item('which port?', 'e8')],
  nextSteps: [{ action: 'run the tests', command: 'npm test', evidence: ['e10'] }],
  plan: { approach: 'top down', steps: [item('lexer', 'e3')], risks: [item('time', 'e3')] },
  progress: {
    currentState: 'half way',
    completed: [],
    inProgress: [item('lexer half', 'e11')],
    remaining: [item('docs part', 'e12')],
  },
})

function deltaOf(change: Partial<SummaryDelta>): SummaryDelta {
  return { summary: summaryWith(), changed: [], resolved: [], obsolete: [], ...change }
}

describe('numberStatements', () => {
  it('gives each statement an id with the letter of its list, in the order of a bundle', () => {
    expect(numberStatements(earlier).map(({ id, text }) => `${id} ${text}`)).toEqual([
      'n1 run the tests',
      'c1 Never push to main.',
      'd1 SQLite',
      'q1 which port?',
      'b1 no access to staging',
      't1 write the lexer',
      't2 write docs',
      'x1 set up',
      'f1 the file is UTF-16',
      'f2 tests take 3 minutes',
      's1 lexer',
      'k1 time',
      'pi1 lexer half',
      'pr1 docs part',
    ])
    expect(numberStatements(earlier).find(({ id }) => id === 'f1')).toEqual({
      id: 'f1',
      list: 'finding',
      text: 'the file is UTF-16',
      evidence: ['e5'],
    })
  })
})

describe('updateSummary', () => {
  it('leaves a summary as it is if nothing changed', () => {
    expect(updateSummary(earlier, deltaOf({}))).toEqual(earlier)
  })

  it('replaces texts and next steps by those of the delta', () => {
    const later = summaryWith({
      overview: 'The parser is done.',
      resumeInstructions: 'Ship it.',
      workflow: { currentTask: 'shipping' },
      nextSteps: [{ action: 'ship', evidence: ['e20'] }],
    })
    const updated = updateSummary(earlier, deltaOf({ summary: later }))
    expect(updated).toMatchObject({
      overview: 'The parser is done.',
      resumeInstructions: 'Ship it.',
      workflow: { phase: 'build', currentTask: 'shipping' },
      nextSteps: [{ action: 'ship', evidence: ['e20'] }],
      plan: { approach: 'top down' },
      progress: { currentState: 'half way' },
    })
    expect(updated.nextSteps).toHaveLength(1)
  })

  it('moves finished tasks and removes answered questions', () => {
    const { workflow, openQuestions, plan, progress, nextSteps } = updateSummary(
      earlier,
      deltaOf({ resolved: ['t1', 'q1', 'b1', 'k1', 's1', 'pi1', 'pr1', 'n1'] }),
    )
    expect(workflow.tasksRemaining).toEqual([item('write docs', 'e4')])
    expect(workflow.tasksCompleted).toEqual([
      item('set up', 'e1'),
      item('write the lexer', 'e3'),
      item('lexer', 'e3'),
    ])
    expect([openQuestions, workflow.blockers, plan?.risks, plan?.steps, nextSteps]).toEqual([
      [],
      [],
      [],
      [],
      [],
    ])
    expect(progress).toMatchObject({
      completed: [item('lexer half', 'e11'), item('docs part', 'e12')],
      inProgress: [],
      remaining: [],
    })
  })

  it('rewords, merges the evidence, and drops the flags of the old words', () => {
    const flagged = {
      ...earlier,
      findings: [{ ...item('the file is UTF-16', 'e5'), unverified: true as const }],
    }
    const { findings, decisions, nextSteps } = updateSummary(
      flagged,
      deltaOf({
        changed: [
          { id: 'f1', text: ' the file is\nUTF-8 ', evidence: ['e30', 'e5', 'e2'] },
          { id: 'd1', text: 'Postgres', evidence: ['e31'] },
          { id: 'n1', text: 'run them again', evidence: [] },
        ],
      }),
    )
    expect(findings).toEqual([item('the file is UTF-8', 'e2', 'e5', 'e30')])
    expect(decisions[0]).toMatchObject({ topic: 'store', choice: 'Postgres', evidence: ['e7', 'e31'] })
    expect(nextSteps).toEqual([{ action: 'run them again', evidence: ['e10'] }])
  })

  it('never removes, rewords or resolves a constraint, and never resolves a statement that cannot be resolved', () => {
    const updated = updateSummary(
      earlier,
      deltaOf({
        changed: [{ id: 'c1', text: 'Push to main.', evidence: ['e9'] }],
        resolved: ['c1', 'f1', 'd1', 'x1'],
        obsolete: ['c1'],
      }),
    )
    expect(updated).toEqual(earlier)
  })

  it('removes obsolete statements and ignores unknown ids', () => {
    const unknown = ['f9', 'z1', '', '__proto__', 'f0', 'f-1', 'f1.5']
    const changed = unknown.map((id) => ({ id, text: 'no', evidence: [] }))
    const updated = updateSummary(
      earlier,
      deltaOf({ obsolete: ['f2', 'd1', ...unknown], resolved: unknown, changed }),
    )
    expect(updated).toEqual({ ...earlier, findings: earlier.findings.slice(0, 1), decisions: [] })
  })

  it('appends new statements, merges repeated ones, and keeps each task in one list', () => {
    const later = summaryWith({
      findings: [item('The file is  UTF-16.', 'e1'), item('the cache is cold', 'e21')],
      workflow: { tasksCompleted: [item('Write docs', 'e22')] },
    })
    const { findings, workflow } = updateSummary(earlier, deltaOf({ summary: later }))
    expect(findings.map(({ text, evidence }) => [text.toLowerCase(), evidence])).toEqual([
      ['the file is  utf-16.', ['e1', 'e5']],
      ['tests take 3 minutes', ['e6']],
      ['the cache is cold', ['e21']],
    ])
    expect(workflow.tasksRemaining).toEqual([item('write the lexer', 'e3')])
    expect(workflow.tasksCompleted.at(-1)).toEqual(item('Write docs', 'e4', 'e22'))
  })

  it('puts a renewed choice after the one that overruled it', () => {
    const choice = (text: string, id: 'e1' | 'e2' | 'e3') => ({
      topic: 'store',
      choice: text,
      alternatives: [],
      by: 'agent' as const,
      evidence: [id],
    })
    const first = summaryWith({ decisions: [choice('SQLite', 'e1'), choice('Redis', 'e2')] })
    const { decisions } = updateSummary(
      first,
      deltaOf({ summary: summaryWith({ decisions: [choice('SQLite', 'e3')] }) }),
    )
    expect(decisions.map(({ choice, evidence }) => [choice, evidence])).toEqual([
      ['Redis', ['e2']],
      ['SQLite', ['e1', 'e3']],
    ])
  })

  it('returns a valid summary without repetition that the same delta would not change again', () => {
    let lists = 0
    fc.assert(
      fc.property(
        arbitrarySummary,
        arbitrarySummary,
        fc.array(fc.constantFrom('f1', 'd1', 't1', 't2', 'q1', 'pi1', 'c1', 'n1', 'zz'), { maxLength: 5 }),
        (before, summary, ids) => {
          const updated = updateSummary(before, {
            summary,
            changed: [],
            resolved: ids.slice(2),
            obsolete: ids.slice(0, 2),
          })
          expect(sessionSummarySchema.safeParse(updated).error).toBeUndefined()
          for (const [, entries] of listsOf(updated)) {
            const keys = entries.map(sameness)
            expect(new Set(keys).size).toBe(keys.length)
            lists++
          }
          const again = updateSummary(updated, deltaOf({ summary }))
          expect(updateSummary(again, deltaOf({ summary }))).toEqual(again)
        },
      ),
      { numRuns: 200, seed: seedOf(21) },
    )
    expect(lists).toBeGreaterThan(1000)
  })
})
