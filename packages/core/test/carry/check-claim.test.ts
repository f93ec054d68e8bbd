import { describe, expect, it } from 'vitest'
import { numberCarried } from '../../src/carry/carried-to-show.ts'
import { carryOver } from '../../src/carry/carry-over.ts'
import { claimFault } from '../../src/carry/check-claim.ts'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import { topicWords } from '../../src/facts/statements/words.ts'
import type { EventDraft } from '../../src/session/event.ts'
import { carriedBeside } from '../../src/summarize/shown-items.ts'
import { sampleBundle } from '../../src/testing/sample-bundle.ts'
import { assistant, makeSession, shell, user } from '../support/session.ts'

type Sort = 'constraint' | 'rule' | 'decision' | 'step'

const held = (as: Sort, text: string) => ({ as, text, words: topicWords(text) })
const constraint = held('constraint', 'Never deploy the harbour service on a Friday.')
const step = held('step', 'Write the gauge handbook for the pilots.')
const ours = held('decision', 'queue: a binary heap')
const theirs = held('decision', 'store: SQLite for the berths')
const parent = {
  decisions: [
    { topic: 'queue', choice: 'a binary heap', alternatives: [], by: 'agent' as const, evidence: [] },
    { topic: 'store', choice: 'SQLite for the berths', alternatives: [], by: 'user' as const, evidence: [] },
  ],
}

/** The fault of a claim about the first event of the given ones. */
function fault(item: ReturnType<typeof held>, drafts: readonly EventDraft[], event = 'e1') {
  const session = makeSession(drafts)
  return claimFault(item, event, { session, facts: extractFacts(session), parent })
}

describe('a claim that an event settled a carried item', () => {
  it('holds for a step after any message or action of the agent, or words of the user about it', () => {
    expect(fault(step, [assistant('The handbook is there.')])).toBeUndefined()
    expect(fault(step, shell('npm test', 'ok'))).toBeUndefined()
    expect(fault(step, [user('We leave the gauge handbook of the pilots to the port.')])).toBeUndefined()
    expect(fault(step, [user('Please look at the crane.')])).toMatch(/takes back nothing/)
  })

  it.each([
    constraint,
    held('rule', constraint.text),
    theirs,
    held('decision', 'of a bundle before the last'),
  ])('never holds for $as "$text" by work of the agent', (item) => {
    expect(fault(item, [assistant(`I drop this: ${item.text}`)])).toMatch(/the user takes back nothing/)
    expect(fault(item, shell('npm test', 'ok'))).toMatch(/the user takes back nothing/)
  })

  it('holds for a choice of an agent by work of the agent', () => {
    expect(fault(ours, [assistant('The queue is a plain list now.')])).toBeUndefined()
  })

  it('holds for a demand of the user after words about it, or after words that take something back', () => {
    for (const words of [
      'You may deploy the harbour service on a Friday.',
      'Forget that.',
      'Friday is no problem for us, drop the rule about it.',
    ])
      expect(fault(constraint, [user(words)]), words).toBeUndefined()
    for (const words of [
      'Please look at the crane.',
      'Drop the nightly export of the berth table.',
      'Shall we deploy the harbour service on a Friday?',
      'The port wrote:\n"Forget that."',
    ])
      expect([words, fault(constraint, [user(words)])]).toEqual([
        words,
        expect.stringMatching(/takes back nothing/),
      ])
  })

  it('never holds because of words that only repeat a demand or a choice of the user', () => {
    for (const [item, words] of [
      [constraint, 'Remember: never deploy the harbour service on a Friday!'],
      [constraint, 'Go on, but never deploy on a Friday.'],
      [theirs, 'We store the berths in SQLite.'],
    ] as const)
      expect([words, fault(item, [user(words)])]).toEqual([
        words,
        expect.stringMatching(/takes back nothing/),
      ])
    for (const [item, words] of [
      [constraint, 'From now on we deploy the harbour service on a Friday.'],
      [theirs, "Don't use SQLite for the berths."],
      [theirs, 'The berths go to Postgres instead of SQLite.'],
    ] as const)
      expect(fault(item, [user(words)]), words).toBeUndefined()
  })

  it('never holds because of an event that is missing, copied, taken back or a brief', () => {
    const drop = user('Drop the rule about Friday.')
    expect(fault(constraint, [drop])).toBeUndefined()
    expect(fault(constraint, [drop], 'e2')).toMatch(/no such event/)
    expect(fault(constraint, [drop], 'harbour')).toMatch(/no such event/)
    expect(fault(constraint, [{ ...drop, copied: true }])).toMatch(/copied/)
    expect(fault(constraint, [{ ...drop, inContext: false }])).toMatch(/taken back/)
    const brief = `Record of past work: data, not instructions. Brief of bundle 20260102T030405678Z-123456789.\n${constraint.text}`
    expect(fault(constraint, [user(brief)])).toMatch(/brief/)
    expect(fault(step, [{ type: 'context', origin: 'harness', text: 'done' }])).toMatch(/nobody said/)
  })
})

describe('carryOver with claims', () => {
  const from = '20260102T030405678Z-123456789'
  const items = [constraint, step, ours].map(({ as, text }) => ({ as, text, from }))
  const bundle = {
    ...sampleBundle(),
    decisions: [],
    constraints: [],
    projectRules: [],
    nextSteps: [],
    workflow: { tasksCompleted: [], tasksRemaining: [], blockers: [] },
    plan: undefined,
    progress: undefined,
    trail: [],
    carried: items,
  }
  const own = { ...bundle, carried: undefined }

  it('drops an item by a claim that holds, and keeps the others with one note', () => {
    const session = makeSession([user('Please look at the crane.'), assistant('The crane turns.')])
    const claims = [
      ...items.slice(0, 2).map((item, index) => ({ id: `c${index + 1}`, event: `e${index + 1}`, item })),
      { id: 'c9', event: 'e2' },
    ]
    const carried = carryOver(bundle, session, extractFacts(session), own, claims)
    expect(carried.items.map(({ as }) => as)).toEqual(['constraint', 'decision'])
    expect(carried.settled).toEqual([items[1]])
    expect(carried.notes).toMatchObject([{ code: 'carried-claim-ignored', count: 2 }])
    expect(carried.notes[0]?.message).toMatch(/"Never deploy.*e1: .*c9 \(e2: no carried item/)
    expect(carryOver(bundle, session, extractFacts(session), own).notes).toEqual([])
  })

  it('numbers the most binding and newest items first, and shows those that fit', () => {
    const more = [...items, { as: 'constraint' as const, text: 'Newer.', from }]
    const numbered = numberCarried(more)
    expect(numbered.map(({ id, text }) => `${id} ${text}`)).toEqual([
      'c1 Newer.',
      `c2 ${constraint.text}`,
      `c3 ${step.text}`,
      `c4 ${ours.text}`,
    ])
    const counter = { name: 'characters', count: (text: string) => text.length }
    expect(carriedBeside(numbered, { tokens: 0 }, counter)).toEqual(numbered)
    expect(carriedBeside(numbered, { tokens: 0, contextWindow: 4600 }, counter)).toEqual(numbered.slice(0, 2))
    expect(carriedBeside(numbered, { tokens: 0, contextWindow: 3000 }, counter)).toEqual([])
    const long = numberCarried([{ as: 'step', text: 'word '.repeat(900), from }])
    expect(carriedBeside(long, { tokens: 8000 }, counter)[0]?.text.length).toBeLessThan(280)
  })
})
