import { describe, expect, it } from 'vitest'
import { mergeDecisions } from '../../src/assemble/decisions.ts'
import type { Decision } from '../../src/bundle/judgement.ts'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import type { EventDraft } from '../../src/session/event.ts'
import { assistant, makeSession, user } from '../support/session.ts'

const at = (time: string, draft: EventDraft): EventDraft => ({ ...draft, time })

const session = makeSession([
  at('2026-03-04T05:06:07.089Z', user('Build a kiln with brick walls.')),
  {
    type: 'tool_call',
    callId: 'c',
    name: 'AskUserQuestion',
    kind: 'other',
    input: {
      questions: [
        {
          question: 'Which glaze?',
          options: [{ label: 'Cobalt (Recommended)', description: 'Blue, runs.' }, { label: 'Iron' }],
        },
      ],
    },
  },
  at('2026-03-04T05:07:00.000Z', {
    type: 'tool_result',
    callId: 'c',
    status: 'ok',
    text: '"Which glaze?"="Cobalt (Recommended)"',
  }),
  at('2026-03-04T05:08:00Z', assistant('I chose a square door because it closes better.')),
  user('窯必須用磚砌'),
])
const facts = extractFacts(session)

const decision = (choice: string, by: Decision['by'], ...evidence: Decision['evidence']): Decision => ({
  choice,
  alternatives: [],
  by,
  evidence,
})

describe('merged decisions', () => {
  it('hold the answers of the user, whatever the summarizer said', () => {
    expect(mergeDecisions([], session, facts)).toEqual([
      {
        topic: 'Which glaze?',
        choice: 'Cobalt',
        rationale: 'Blue, runs.',
        alternatives: ['Iron'],
        by: 'user',
        at: '2026-03-04T05:07:00.000Z',
        evidence: ['e3'],
      },
    ])
  })

  it('keep the words of a summarizer that said the same, as the user’s', () => {
    const said = { ...decision('Use the cobalt glaze', 'agent', 'e3'), topic: 'Glaze' }
    expect(mergeDecisions([said], session, facts)).toEqual([
      { ...said, by: 'user', at: '2026-03-04T05:07:00.000Z' },
    ])
  })

  it('stand in order of the log, each with the time of its first event that has one', () => {
    const merged = mergeDecisions(
      [decision('a square door', 'agent', 'e4'), decision('brick walls', 'user', 'e1')],
      session,
      facts,
    )
    expect(merged.map(({ choice, at: time }) => [choice, time])).toEqual([
      ['brick walls', '2026-03-04T05:06:07.089Z'],
      ['Cobalt', '2026-03-04T05:07:00.000Z'],
      ['a square door', '2026-03-04T05:08:00Z'],
    ])
    expect(mergeDecisions([decision('磚砌', 'user', 'e5')], session, facts)[1]).not.toHaveProperty('at')
  })

  it.each<[string, Decision, Decision['by']]>([
    ['words of a cited message', decision('Walls of brick', 'user', 'e1'), 'user'],
    ['a message in another script', decision('The kiln is built of brick', 'user', 'e5'), 'user'],
    ['words that no cited message holds', decision('Steel chimney painted green', 'user', 'e1'), 'agent'],
    ['words of the agent', decision('a square door', 'user', 'e4'), 'agent'],
    ['no evidence', decision('brick walls', 'user'), 'agent'],
  ])('are the user’s only if the user said them: %s', (_, said, by) => {
    expect(mergeDecisions([said], session, facts).find(({ choice }) => choice === said.choice)?.by).toBe(by)
  })
})
