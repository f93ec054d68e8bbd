import { describe, expect, it } from 'vitest'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import { planBundle } from '../../src/plan/plan-bundle.ts'
import { tiktokenCounter } from '../../src/tokens/tiktoken-counter.ts'
import { assistant, makeSession, shell, user } from '../support/session.ts'

const words = (name: string) => Array.from({ length: 300 }, (_, index) => `${name}${index}`).join(' ')

describe('planBundle', () => {
  it('counts each text of an event once', () => {
    const texts = ['ask', 'think', 'print'].map(words)
    const [asked = '', thought = '', printed = ''] = texts
    const session = makeSession([
      user(asked),
      assistant(thought),
      ...shell('1', 'cat a.txt', printed),
      assistant('done'),
    ])
    const counted: string[] = []
    const bare = tiktokenCounter()
    const counter = {
      name: bare.name,
      count(text: string) {
        counted.push(text)
        return bare.count(text)
      },
    }
    const plan = planBundle(session, extractFacts(session), { counter })
    expect(texts.map((text) => counted.filter((each) => each === text).length)).toEqual([1, 1, 1])
    const parts = [...plan.excerpts].flatMap((excerpt) => excerpt.parts)
    for (const part of parts.filter(({ suffix }) => suffix === undefined))
      expect(part.tokens).toBe(bare.count(part.text))
  })

  it.each([
    ['context', []],
    ['research', shell('1', 'cat a.txt', 'a')],
    ['progress', [...shell('1', 'cat a.txt', 'a'), ...shell('2', 'npm test', '1 passed')]],
  ] as const)('takes the kind %s for the phase that a session ended in', (kind, work) => {
    const session = makeSession([user('do a'), ...work, assistant('a is done')])
    const options = { counter: tiktokenCounter(), kind: 'auto' } as const
    expect(planBundle(session, extractFacts(session), options).kind).toBe(kind)
  })

  it('marks the answers that end a turn', () => {
    const session = makeSession([
      user('do a'),
      assistant('looking'),
      ...shell('1', 'ls', 'a.txt'),
      assistant('a is done'),
    ])
    const plan = planBundle(session, extractFacts(session), { counter: tiktokenCounter() })
    expect(plan.transcript.map(({ label, final }) => [label, final])).toEqual([
      ['user', undefined],
      ['assistant', undefined],
      ['Bash', undefined],
      ['assistant', true],
    ])
  })
})
