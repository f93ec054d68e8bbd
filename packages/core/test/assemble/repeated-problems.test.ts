import { describe, expect, it } from 'vitest'
import { withoutRepeatedProblems } from '../../src/assemble/repeated-problems.ts'

type Problems = Parameters<typeof withoutRepeatedProblems>[0]
const error = (message: string, event: `e${number}`, resolution?: string): Problems['errors'][number] => ({
  message,
  ...(resolution === undefined ? {} : { resolution }),
  evidence: [event],
})
const blocker = (text: string, ...evidence: `e${number}`[]): Problems['blockers'][number] => ({
  text,
  evidence,
})

describe('a problem that an error of the log and a blocker tell', () => {
  const types =
    "src/cart.ts(12,5): error TS2304: Cannot find name 'Item'. / src/cart.ts(40,9): error TS2304: Cannot find name 'Price'."

  it('is left to the error if the blocker says no more', () => {
    const problems = {
      errors: [error(types, 'e20')],
      blockers: [blocker('TS2304 in cart.ts for Item', 'e21')],
    }
    expect(withoutRepeatedProblems(problems)).toEqual({
      errors: [{ message: types, evidence: ['e20', 'e21'] }],
      blockers: [],
    })
  })

  it('is left to the blocker if that cites the error and names what it names', () => {
    const told = blocker('The build fails: the types of cart.ts lost `Item` with the last merge', 'e20')
    expect(withoutRepeatedProblems({ errors: [error(types, 'e20')], blockers: [told] })).toEqual({
      errors: [error("src/cart.ts(12,5): error TS2304: Cannot find name 'Item'.", 'e20')],
      blockers: [told],
    })
  })

  it.each<[string, Problems]>([
    [
      'the error was resolved',
      {
        errors: [error(types, 'e20', 'passed in e30')],
        blockers: [blocker('TS2304 in cart.ts for Item', 'e21')],
      },
    ],
    [
      'the blocker is another problem of the same event',
      { errors: [error(types, 'e20')], blockers: [blocker('user.ts has no role any more', 'e20')] },
    ],
    [
      'the blocker names the same file in another folder',
      { errors: [error(types, 'e20')], blockers: [blocker('cart.ts rounds the totals wrongly', 'e50')] },
    ],
  ])('stays in both lists if %s', (_, problems) => {
    expect(withoutRepeatedProblems(problems)).toEqual(problems)
  })
})
