import { describe, expect, it } from 'vitest'
import { choicesOfUser } from '../../src/extractive/user-choices.ts'

const choices = (text: string) => choicesOfUser(text, 'e3', false, '').map(({ decision }) => decision.choice)

describe('a choice of the user', () => {
  it('may be a suggestion in the form of a question', () => {
    expect(choices("couldn't we move the parser out of both clients and have one of it?")).toHaveLength(1)
  })

  it.each([
    ['the next problem is that the job only stores new lines instead of all of them'],
    ["let's get this committed and pushed"],
  ])('is not: %s', (text) => {
    expect(choices(text)).toEqual([])
  })

  it('is given without the mark of a picture', () => {
    expect(choices('the header should take up the whole width [1 image]')).toEqual([
      'the header should take up the whole width',
    ])
  })
})
