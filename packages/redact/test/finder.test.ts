import { describe, expect, it } from 'vitest'
import { createFinder } from '../src/finder.ts'
import { createRedaction } from '../src/redaction.ts'
import type { Redactor } from '../src/redactor.ts'

const word = 'hunter22'

function countingRedactor(): Redactor & { readonly texts: string[] } {
  const texts: string[] = []
  return {
    name: 'counting',
    texts,
    find(text) {
      texts.push(text)
      const start = text.indexOf(word)
      return start === -1 ? [] : [{ start, end: start + word.length, type: 'password' }]
    },
  }
}

describe('a short text', () => {
  it.each([
    ['file_path', true],
    [`is ${word}`, false],
    [`a "${word}"`, false],
    ['{"a":1}', false],
    ['say \\"no\\"', false],
    ['"hun" + "ter22"', false],
    ["'hun' + 'ter22'", false],
    [`\u001b]0;${word}\u0007`, false],
    ['0000: 6875 6e74 6572 3232', true],
    ['000000: 6875 6e74 6572 3232', false],
  ])('%j is plain: %s', (text, plain) => {
    const finder = createFinder([countingRedactor()])
    expect([finder.isPlain(text), finder.isPlain(text)]).toEqual([plain, plain])
  })

  it('is searched once, however often it recurs, and a longer one is never plain', () => {
    const redactor = countingRedactor()
    const redaction = createRedaction([redactor])
    for (let times = 0; times < 3; times++) redaction.learnValue({ file_path: 'src/a.ts' })
    expect(redactor.texts.filter((text) => text === 'file_path')).toHaveLength(1)
    expect(createFinder([redactor]).isPlain('x'.repeat(64))).toBe(false)
  })

  it('counts as a use of its secret each time, so that a common word stays where it is', () => {
    const redaction = createRedaction([countingRedactor()])
    for (let times = 0; times < 3; times++) redaction.learn(`is ${word}`)
    expect(redaction.redact(`is ${word}`)).toBe('is [redacted:password]')
    expect(redaction.types()).toEqual([['password', 1]])
  })
})
