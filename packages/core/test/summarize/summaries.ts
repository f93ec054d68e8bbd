import fc from 'fast-check'
import { emptySummary } from '../../src/bundle/section-contents.ts'
import type { SessionSummary, SummaryItem } from '../../src/bundle/session-summary.ts'
import type { EventId } from '../../src/session/event.ts'

/** A summary with only the given lists. */
export function summaryWith(
  overrides: Partial<Omit<SessionSummary, 'workflow'>> & {
    readonly workflow?: Partial<SessionSummary['workflow']>
  } = {},
): SessionSummary {
  const empty = emptySummary()
  return { ...empty, ...overrides, workflow: { ...empty.workflow, ...overrides.workflow } }
}

/** A statement with its events. */
export function item(text: string, ...evidence: EventId[]): SummaryItem {
  return { text, evidence }
}

const words = fc.constantFrom(
  'use sqlite',
  'Use SQLite.',
  'fix the parser',
  'write docs',
  'ask ops',
  'ship it',
)
const evidence = fc
  .array(fc.integer({ min: 1, max: 40 }), { maxLength: 3 })
  .map((ids) => ids.map((id): EventId => `e${id}`))
const items = fc.array(fc.record({ text: words, evidence }), { maxLength: 4 })

/** Summaries of few words, so that the same statements occur again. */
export const arbitrarySummary: fc.Arbitrary<SessionSummary> = fc
  .record({
    overview: fc.constantFrom('', 'It began.', 'It went on.'),
    currentTask: fc.constantFrom(undefined, 'parse', 'ship'),
    lists: fc.array(items, { minLength: 9, maxLength: 9 }),
    choices: fc.array(
      fc.record({
        topic: fc.constantFrom('store', 'style'),
        choice: words,
        alternatives: fc.constant<string[]>([]),
        by: fc.constantFrom('user' as const, 'agent' as const),
        evidence,
      }),
      { maxLength: 3 },
    ),
    steps: fc.array(fc.record({ action: words, evidence }), { maxLength: 3 }),
  })
  .map(({ overview, currentTask, lists: [a, b, c, d, e, f, g, h, i], choices, steps }) =>
    summaryWith({
      overview,
      workflow: {
        ...(currentTask === undefined ? {} : { currentTask }),
        tasksCompleted: a ?? [],
        tasksRemaining: b ?? [],
        blockers: c ?? [],
      },
      findings: d ?? [],
      constraints: e ?? [],
      openQuestions: f ?? [],
      decisions: choices,
      nextSteps: steps,
      progress: { currentState: overview, completed: g ?? [], inProgress: h ?? [], remaining: i ?? [] },
    }),
  )
