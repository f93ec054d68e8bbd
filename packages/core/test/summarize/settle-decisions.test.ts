import { describe, expect, it } from 'vitest'
import { settleDecisions } from '../../src/summarize/parts/merge-summaries.ts'
import { summaryWith } from './summaries.ts'

const decision = (
  topic: string | undefined,
  choice: string,
  event: `e${number}`,
  by: 'user' | 'agent' = 'agent',
) => ({
  ...(topic === undefined ? {} : { topic }),
  choice,
  alternatives: [],
  by,
  evidence: [event],
})

const settle = (...decisions: ReturnType<typeof decision>[]) => {
  const { summary, notes } = settleDecisions(summaryWith({ decisions }))
  return {
    choices: summary.decisions.map(({ choice, alternatives }) => [choice, ...alternatives].join(' over ')),
    notes: notes.map(({ code, message }) => `${code}: ${message}`),
  }
}

describe('decisions of several parts on one topic', () => {
  it('are settled by the later evidence, whichever comes first, with a note that names both', () => {
    const expected = {
      choices: ['SQLite over Redis'],
      notes: [
        'decision-overruled: parts of the session disagree on Cache store: "SQLite" (e90) holds over "Redis" (e5)',
      ],
    }
    expect(settle(decision('cache store', 'Redis', 'e5'), decision('Cache store', 'SQLite', 'e90'))).toEqual(
      expected,
    )
    expect(settle(decision('Cache store', 'SQLite', 'e90'), decision('cache store', 'Redis', 'e5'))).toEqual(
      expected,
    )
  })

  it('are all removed but the last of them', () => {
    const { choices, notes } = settle(
      decision('port', '8080', 'e3'),
      decision('port', '40961', 'e30'),
      decision('port', '9000', 'e300'),
    )
    expect(choices).toEqual(['9000 over 40961'])
    expect(notes).toHaveLength(2)
  })

  it('stay if they agree, have no topic, or the user decided and only the agent chose otherwise', () => {
    const decisions = [
      decision('port', '8080', 'e3'),
      decision(undefined, 'Use tabs', 'e4'),
      decision(undefined, 'Use spaces', 'e8'),
      decision('store', 'SQLite', 'e5', 'user'),
      decision('store', 'Redis', 'e50', 'agent'),
    ]
    expect(settle(...decisions)).toEqual({ choices: decisions.map(({ choice }) => choice), notes: [] })
  })

  it('are overruled by the user', () => {
    const { choices } = settle(
      decision('store', 'SQLite', 'e5', 'user'),
      decision('store', 'Redis', 'e50', 'user'),
    )
    expect(choices).toEqual(['Redis over SQLite'])
  })
})
