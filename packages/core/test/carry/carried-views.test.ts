import { describe, expect, it } from 'vitest'
import { carryOver } from '../../src/carry/carry-over.ts'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import { sampleBundle } from '../../src/testing/sample-bundle.ts'
import { assistant, makeSession, shell, user } from '../support/session.ts'

const from = '20260102T030405678Z-123456789'
const empty = {
  ...sampleBundle(),
  decisions: [],
  constraints: [],
  projectRules: [],
  nextSteps: [],
  workflow: { tasksCompleted: [], tasksRemaining: [], blockers: [] },
  plan: undefined,
  progress: undefined,
  trail: [],
}

type Sort = 'constraint' | 'rule' | 'decision' | 'step'

/** The texts that are carried over from earlier sessions, beside the next steps of the own one. */
function carried(items: readonly (readonly [Sort, string])[], ...ownSteps: readonly string[]) {
  const session = makeSession([user('Please look at the crane.'), assistant('The crane turns.')])
  const parent = { ...empty, carried: items.map(([as, text]) => ({ as, text, from })) }
  const own = { ...empty, nextSteps: ownSteps.map((action) => ({ action, evidence: [] })) }
  return carryOver(parent, session, extractFacts(session), own).items.map(({ text }) => text)
}

describe('what earlier sessions left', () => {
  const short = 'Mend the login that returns 500'
  const long = 'Mend the POST /login that returns 500, as user is null in session.ts'

  it('is carried once, in its most complete words', () => {
    expect(
      carried([
        ['step', short],
        ['step', long],
      ]),
    ).toEqual([long])
    expect(
      carried([
        ['step', long],
        ['step', short],
      ]),
    ).toEqual([long])
  })

  it('is not carried if the session itself includes all of it', () => {
    expect(carried([['step', short]], long)).toEqual([])
    expect(carried([['step', long]], short)).toEqual([long])
  })

  it('stays if it is of another kind or topic, or verbatim', () => {
    const logout = 'Mend the logout that returns 500'
    expect(
      carried([
        ['step', logout],
        ['step', long],
      ]),
    ).toEqual([logout, long])
    expect(
      carried([
        ['decision', short],
        ['step', long],
      ]),
    ).toEqual([long, short])
    const rules = ['Never log tokens in session.ts', 'Never log tokens of users in session.ts on disk']
    expect(carried(rules.map((text) => ['constraint', text] as const))).toEqual(rules)
  })
})

it('a rule is carried until it is clearly revoked', () => {
  const parent = { ...empty, carried: [{ as: 'constraint' as const, text: 'Never touch src/legacy.', from }] }
  const texts = (...said: string[]) => {
    const session = makeSession([...said.map((text) => user(text)), assistant('Good.')])
    return carryOver(parent, session, extractFacts(session), empty).items.map(({ text }) => text)
  }
  const handed = 'Billing handed src/legacy over to us.'
  expect(texts('Mend the crane.')).toEqual(['Never touch src/legacy.'])
  expect(texts(handed)).toEqual(['Never touch src/legacy.'])
  expect(texts(handed, 'You can touch src/legacy now.')).toEqual([])
})

describe('a resume point that names where its session stopped', () => {
  const left = (action: string, remaining: readonly string[], said: string) => {
    const session = makeSession([
      user('Look at the harbour master and the crane first.'),
      ...shell('c1', 'npm test', 'ok'),
      assistant(said),
    ])
    const tasksRemaining = remaining.map((text) => ({ text, evidence: [] }))
    const parent = {
      ...empty,
      nextSteps: [{ action, evidence: [] }],
      workflow: { ...empty.workflow, tasksRemaining },
    }
    return carryOver(parent, session, extractFacts(session), empty).items.map(({ text }) => text)
  }
  const task = 'Continue: Write the parser'
  const asked = 'Continue: write the guide for operators. Last: Looking at the docs.'

  it('passes on its task or its request', () => {
    expect(left(task, ['Write the parser'], 'I read the code.')).toEqual(['Write the parser'])
    expect(left(asked, [], 'I read the code.')).toEqual(['write the guide for operators'])
  })

  it('passes on nothing once that is done', () => {
    expect(left(task, ['Write the parser'], 'Done: I did write the parser, and its tests pass.')).toEqual([])
    expect(left(asked, [], 'I added the guide for operators, ready to write more of it: done.')).toEqual([])
  })
})
