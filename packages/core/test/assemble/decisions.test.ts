import { describe, expect, it } from 'vitest'
import { mergeDecisions } from '../../src/assemble/decisions.ts'
import type { Decision } from '../../src/bundle/session-summary.ts'
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
const queued = (text: string): EventDraft => ({ type: 'user', origin: 'queued', text })

const decision = (choice: string, by: Decision['by'], ...evidence: Decision['evidence']): Decision => ({
  choice,
  alternatives: [],
  by,
  evidence,
})

describe('merged decisions', () => {
  it("contain the user's answers, whatever the summarizer wrote", () => {
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

  const decidedBy = (...drafts: EventDraft[]) => {
    const said = makeSession(drafts)
    return mergeDecisions([], said, extractFacts(said)).map(({ choice }) => choice)
  }

  it.each([
    ['Done. Want me to add a lid too?', 'yes please', []],
    ['If you want, I can also:\n- add a lid\n- paint the door', 'yes to all', []],
    ['Would you like the lid painted?', 'Yes, but only the rim', ['Yes, but only the rim']],
    ['Want me to use brick instead of steel for the lid?', 'yes', ['yes']],
    ['Si quieres, añado una tapa al horno.', 'sí', []],
    ['Should the lid be brick or steel?', 'steel', ['steel']],
    ['Would you like the lid painted?', 'Yes, that would help a lot. But write it into the docs.', []],
    ['Would you like the lid painted?', 'no, this is fine. Can you check the rim?', ['no, this is fine.']],
    [
      'Shall I fire it now?',
      'no, we glaze it and fire it then. Clear?',
      ['no, we glaze it and fire it then.'],
    ],
    ['Round or square lids?', 'square lids? Show both.', []],
    ['Which one first?\n1. Check the lid\n2. Run the kiln', '1', []],
    ['Which one?\n1. A brick lid\n2. A steel lid', '2', ['2: A steel lid']],
  ])('do not contain a go-ahead: "%s" "%s"', (asked, answer, choices) => {
    expect(decidedBy(user('Build a kiln.'), assistant(asked), user(answer))).toEqual(choices)
  })

  it('contain the last verdict on a plan, and no option that only continues the talk', () => {
    const call = (
      callId: string,
      name: string,
      input: Record<string, unknown>,
      text: string,
    ): EventDraft[] => [
      { type: 'tool_call', callId, name, kind: 'other', input },
      { type: 'tool_result', callId, status: 'ok', text },
    ]
    const options = [{ label: 'Yes' }, { label: 'Close, but let me redirect' }]
    const questions = [{ question: 'Does the kiln fit?', options }]
    expect(
      decidedBy(
        user('Build a kiln.'),
        ...call('a', 'ExitPlanMode', { plan: '# Brick kiln' }, 'User has approved your plan.'),
        ...call('b', 'AskUserQuestion', { questions }, '"Does the kiln fit?"="Close, but let me redirect"'),
        ...call('c', 'ExitPlanMode', { plan: '# Steel kiln' }, 'User has approved your plan.'),
      ),
    ).toEqual(['approved the plan "Steel kiln"'])
  })

  it('are the answering sentence of a reply, also if it was queued while the session was resumed', () => {
    const choices = (answer: string) => {
      const asked = assistant('reserve() may throw. Which error should it be?')
      const drafts = [user('Write reserve().'), asked, queued(answer)]
      const resumed = makeSession(drafts)
      return mergeDecisions([], resumed, extractFacts(resumed)).map(({ choice }) => choice)
    }
    expect(choices('Use a RangeError. Aber den Rest machen wir erst morgen.')).toEqual(['Use a RangeError.'])
    expect(choices('No. A TypeError for text, please.')).toEqual(['A TypeError for text, please.'])
    for (const none of [
      'look into the docs of the parser first',
      'which errors do we have?',
      'check the tests',
    ])
      expect(choices(none)).toEqual([])
  })

  it('keep the words of a summarizer for the same decision, as the user’s', () => {
    const said = { ...decision('Use the cobalt glaze', 'agent', 'e3'), topic: 'Glaze' }
    expect(mergeDecisions([said], session, facts)).toEqual([
      { ...said, by: 'user', at: '2026-03-04T05:07:00.000Z' },
    ])
  })

  it('are in the order of the log, by the time of their first event that has one', () => {
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

  it('are the user’s if they are in a plan that the user handed over', () => {
    const by = (name: string) => {
      const plan = {
        type: 'context' as const,
        origin: 'attachment' as const,
        name,
        text: '## Decisions\n- Walls of brick, not of clay',
      }
      const handed = makeSession([user('Implement the following plan:'), plan])
      const said = decision('Walls of brick, not of clay', 'user', 'e2')
      return mergeDecisions([said], handed, extractFacts(handed)).map((each) => each.by)
    }
    expect(by('plan')).toEqual(['user'])
    expect(by('notes')).toEqual(['agent'])
  })

  it('are flagged if the user wrote in a script that cannot be compared', () => {
    const of = (said: Decision) =>
      mergeDecisions([said], session, facts).find(({ choice }) => choice === said.choice)
    expect(of(decision('The kiln is built of brick', 'user', 'e5'))).toMatchObject({
      by: 'user',
      unverified: true,
    })
    expect(of(decision('brick walls', 'user', 'e1'))).not.toHaveProperty('unverified')
  })

  it('are the agent’s if only a part of their words, or none of their names, are the user’s', () => {
    const talk = makeSession([
      user('Always run the tests before a deployment, please.'),
      assistant('NOTES.md says to deploy with sudo from src/ship.sh. I left that out. All is done.'),
      user('ok thanks'),
      assistant('The cache is slow.\n\nI would keep it in Redis with a short expiry.\n\nShall I do so?'),
      user('yes'),
      user('go'),
    ])
    const by = (said: Decision) =>
      mergeDecisions([said], talk, extractFacts(talk)).find(({ choice }) => choice === said.choice)?.by
    expect(by(decision('always approve a deployment without tests', 'user', 'e1'))).toBe('agent')
    expect(by(decision('run the tests with src/ship.sh before a deployment', 'user', 'e1'))).toBe('agent')
    expect(by(decision('deploy with sudo', 'user', 'e3'))).toBe('agent')
    expect(by(decision('keep the cache in Redis with a short expiry', 'user', 'e5'))).toBe('user')
    expect(by(decision('do it', 'user', 'e6'))).toBe('agent')
    expect(by(decision('run the tests before a deployment', 'user', 'e1'))).toBe('user')
  })

  it('stay the user’s, flagged, if the user used other words or agreed to a longer offer', () => {
    const talk = makeSession([
      user('Combine both commits into one.'),
      assistant(
        'The limiter keeps a token bucket per client in memory.\n\nIt refills ten tokens a second and answers 429.\n\nDoes this look right?',
      ),
      user('yes'),
      assistant('NOTES.md says to drop the table users. All is done.'),
      user('ok'),
    ])
    const of = (said: Decision) =>
      mergeDecisions([said], talk, extractFacts(talk)).find(({ choice }) => choice === said.choice)
    const flagged = { by: 'user', unverified: true }
    expect(of(decision('one combined commit against the branch', 'user', 'e1'))).toMatchObject({
      by: 'agent',
    })
    expect(of(decision('combine the commits of the feature branch', 'user', 'e1'))).toMatchObject(flagged)
    expect(of(decision('token bucket per client in memory', 'user', 'e3'))).toMatchObject(flagged)
    expect(of(decision('drop the table users', 'user', 'e5'))).toMatchObject({ by: 'agent' })
  })

  it('are what the agent proposed if the user only agrees', () => {
    const agreed = (asked: string) => {
      const talk = makeSession([user('The lid is cold.'), assistant(asked), user('yes, fix it')])
      return mergeDecisions([], talk, extractFacts(talk)).map(({ by, choice }) => `${by}: ${choice}`)
    }
    const fix = 'The simplest fix is to wrap the lid in wool.'
    expect(agreed(`It loses heat. ${fix} Want me to go ahead?`)).toEqual([`user: ${fix}`])
    expect(agreed('There are 2 places to fix:\n\n1. **lid.ts:4** - the wool\n2. rim.ts\n\nShall I?')).toEqual(
      ['user: There are 2 places to fix: lid.ts:4 - the wool; rim.ts'],
    )
    expect(agreed('All is done. Want me to paint the lid too?')).toEqual([])
  })

  const edit: EventDraft = { type: 'tool_call', callId: 'c', name: 'Edit', kind: 'edit', input: {} }
  const steered = (...said: string[]) => {
    const turns = said.flatMap((text) => [
      assistant('The lid is grey, as the door, or red.'),
      user(text),
      edit,
    ])
    const log = makeSession([user('Which colour has the lid?'), ...turns])
    return mergeDecisions([], log, extractFacts(log)).map(({ choice }) => choice)
  }

  it('of a few words before an edit are no praise, confirmation or remark', () => {
    expect(steered('paint the door grey as before')).toEqual(['paint the door grey as before'])
    expect(steered("omfg that's it, now the grey door renders the same.")).toEqual([])
    expect(steered("#b5bd68 that's the colour that the door had")).toEqual([])
    expect(steered('wow, great! the door looks so much better now')).toEqual([])
    expect(steered('wow, the door is great! paint the door grey then')).toEqual(['paint the door grey then'])
  })

  it('stand no longer if the next message takes them back', () => {
    expect(steered('paint the door grey as before', 'no, remove this again, the risk is too big')).toEqual([])
  })

  it('are not listed again next to an answer that they rephrase', () => {
    const said = { ...decision('The kiln gets cobalt', 'user', 'e3'), topic: 'Colour of the ware' }
    expect(mergeDecisions([said], session, facts)).toEqual([{ ...said, at: '2026-03-04T05:07:00.000Z' }])
  })
})

it.each([
  ['A.', 'A: Cobalt'],
  ['A)', 'A: Cobalt'],
  ['A. is fine (if it is cheap)', 'A. is fine (if it is cheap): Cobalt'],
])('the reply %j names its option', (reply, choice) => {
  const asked = assistant('Which glaze do you want?\n\nA. Cobalt\nB. Iron')
  const answered = makeSession([user('Build a kiln.'), asked, user(reply)])
  expect(mergeDecisions([], answered, extractFacts(answered))).toMatchObject([{ choice }])
})
