import { describe, expect, it } from 'vitest'
import { repeats } from '../../../test/support/repeats.ts'
import { codeReader } from '../src/code-reader.ts'
import { loadEncoding } from '../src/encoding.ts'
import type { EncodingName } from '../src/encoding-bytes.ts'
import { pieceEnd, ranges } from '../src/piece-end.ts'

const characters = [
  ...['a', 's', 'L', 'l', 'R', 'e', '7', ' ', '\t', '\n', '\r', '\v', "'", '/', '.'],
  ...['é', 'Ö', 'Ж', '中', '、', '\u017f', '\u0301', '\u00a0', '…'],
]
const longest = repeats({ few: 3, all: 5 })

const readCodes = codeReader()

function endIn(text: string, start: number, splitsCase: boolean): number {
  return pieceEnd(readCodes(text), text.length, start, splitsCase)
}

function* textsOf(length: number): Generator<string> {
  if (length === 0) yield ''
  else for (const start of textsOf(length - 1)) for (const char of characters) yield start + char
}

it.each([
  ['upper', /^\p{Lu}$/u],
  ['lower', /^\p{Ll}$/u],
  ['caseless', /^[\p{Lo}\p{Lm}]$/u],
  ['mark', /^[^\p{L}\p{N}\p{M}\p{White_Space}]$/u],
] as const)('takes for %s only what Unicode does', (kind, wanted) => {
  const range = new RegExp(`[${ranges[kind].join('')}]`)
  const taken = Array.from({ length: 65_536 }, (_, code) => String.fromCharCode(code)).filter((char) =>
    range.test(char),
  )
  expect(taken.length).toBeGreaterThan(50)
  expect(taken.filter((char) => !wanted.test(char))).toEqual([])
})

describe.each<EncodingName>(['o200k_base', 'cl100k_base'])('the pieces in %s', (name) => {
  const { pattern, splitsCase } = loadEncoding(name)

  it(`end as the pattern ends them, in every text of up to ${longest} odd characters`, () => {
    const wrong: string[] = []
    let known = 0
    for (let length = 1; length <= longest; length++) {
      for (const text of textsOf(length)) {
        const end = endIn(text, 0, splitsCase)
        if (end === -1) continue
        known++
        pattern.lastIndex = 0
        pattern.test(text)
        if (end !== pattern.lastIndex) wrong.push(`${JSON.stringify(text)}: ${end}, not ${pattern.lastIndex}`)
      }
    }
    expect(wrong.slice(0, 20)).toEqual([])
    expect(known).toBeGreaterThan(characters.length ** longest / 2)
  })

  it('need the pattern only for what is not in the table', () => {
    const text = `(the user's) 'single' "It'll" // Änderung, 変更を\n\n\t\tmarks/12 + 3456\r\n  fooBar ЯЗЫК e\u0301!`
    const unknown: string[] = []
    for (let at = 0; at < text.length; at = pattern.lastIndex) {
      pattern.lastIndex = at
      pattern.test(text)
      if (endIn(text, at, splitsCase) === -1) unknown.push(text.slice(at, pattern.lastIndex))
    }
    expect(unknown).toEqual(name === 'o200k_base' ? [' e\u0301'] : [' e', '\u0301!'])
  })
})
