import { describe, expect, it } from 'vitest'
import { expectCpuBelow } from '../../core/test/support/cpu-time.ts'
import { literalScanner } from '../src/literal-scanner.ts'

function startsOf(text: string, literals: readonly string[]): [number, string][] {
  const scanner = literalScanner<string>(8)
  for (const literal of literals) scanner.add(literal, literal)
  return scanner.matches(text).map(({ start, owner }) => [start, owner])
}

/** At each place the longest literal, found by looking everywhere. */
function expected(text: string, literals: readonly string[]): [number, string][] {
  const longest = [...literals].sort((a, b) => b.length - a.length)
  return Array.from(text, (_, at): [number, string][] => {
    const found = longest.find((literal) => text.startsWith(literal, at))
    return found === undefined ? [] : [[at, found]]
  }).flat()
}

describe('literalScanner', () => {
  it.each([
    ['repeats the text', 'password=aB3', 900, []],
    ['repeats a text of one sign', 'x', 700, []],
    ['ends within a round', 'abcabcabd', 500, ['abcabcabd'.repeat(40).slice(0, 301)]],
    ['has two periods', `${'ab'.repeat(150)}c`, 1500, [`${'ab'.repeat(150)}c`.repeat(2), 'ab'.repeat(140)]],
  ])('finds long literals that overlap if one %s', (_, round, length, more) => {
    const text = round.repeat(Math.ceil(length / round.length)).slice(0, length)
    const literals = [text.slice(0, 300), text.slice(0, 260), round.repeat(8).slice(0, 9), ...more]
    for (const whole of [text, `${text}!${text}`, `${text.slice(0, 400)}#${text.slice(7)}`])
      expect(startsOf(whole, literals)).toEqual(expected(whole, literals))
  })

  it('takes time in proportion to a text that repeats a long literal', async () => {
    const text = 'password=aB3'.repeat(200_000)
    // By the square it would be seconds.
    await expectCpuBelow(1500, () => startsOf(text, [text.slice(0, text.length / 4)]))
  })
})
