import { emptyFacts } from '@tenfold/core/testing'
import { describe, expect, it } from 'vitest'
import { choicesOfUser } from '../../src/extractive/choices.ts'
import { decisionsOf } from '../../src/extractive/decisions.ts'

const choices = (text: string) => choicesOfUser(text, 'e3', '').map(({ decision }) => decision.choice)

describe('a choice of the user', () => {
  it('may be a suggestion in the form of a question', () => {
    expect(choices('should we use one parser for both clients?')).toHaveLength(1)
    expect(choices("couldn't we look at both clients?")).toEqual([])
  })

  it.each([
    ['the next problem is that the job only stores new lines instead of all of them'],
    ["let's get this committed and pushed"],
  ])('is not: %s', (text) => {
    expect(choices(text)).toEqual([])
  })

  it('may stand in brackets, after a label, or have its reason in the middle', () => {
    const found = (text: string) =>
      choicesOfUser(text, 'e1', '').map(({ decision }) => [decision.choice, decision.rationale])
    expect(
      found(
        'Store prices as cents (decided with Ana: cents, not floats, because floats lose pennies) and add price.mjs.',
      ),
    ).toEqual([['decided with Ana: cents, not floats', 'floats lose pennies']])
    expect(found('Storage of the orders: SQLite, because one file is enough. Add the tests.')).toEqual([
      ['Storage of the orders: SQLite', 'one file is enough.'],
    ])
    expect(found('We store prices as cents because floats lose pennies. Then show them.')).toHaveLength(1)
    expect(found('(entschieden mit Ana: ganze Cents, weil Floats Pfennige verlieren)')).toHaveLength(1)
  })

  it.each([
    ['Stop the server'],
    ['pull rebase first'],
    ["let's see the log first"],
    ['search for the error instead'],
    ['can you look up the docs and use only the official ones'],
    ['what happens when two sessions are open, only one or both?'],
    ['Only check the first file this time'],
    ['no remove that line'],
    ['we have a bunch of files in src that we only load once'],
    ["i don't think the parser works correctly"],
  ])('is no errand, question or remark: %s', (text) => {
    expect(choices(text)).toEqual([])
  })

  it('is given without the mark of a picture', () => {
    expect(choices('keep the header over the whole width [1 image]')).toEqual([
      'keep the header over the whole width',
    ])
  })
})

it('is kept in the shortest session, whatever room its summary has', () => {
  const text = 'Add the prices (decided with Ana: integer cents, not floats, because floats lose pennies).'
  const item = { event: 'e1' as const, agent: 'main', turn: 1, type: 'user' as const, label: 'user', text }
  expect(decisionsOf([item], emptyFacts, 5).map(({ choice }) => choice)).toEqual([
    expect.stringContaining('integer cents, not floats'),
  ])
})
