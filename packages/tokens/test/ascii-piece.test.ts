import { describe, expect, it } from 'vitest'
import { repeats } from '../../../test/support/repeats.ts'
import { asciiPieceEnd, marks } from '../src/ascii-piece.ts'
import { codeReader } from '../src/code-reader.ts'
import { loadEncoding } from '../src/encoding.ts'
import type { EncodingName } from '../src/encoding-bytes.ts'

const characters = ['a', 's', 'R', 'e', '7', ' ', '\t', '\n', '\r', '\v', "'", '/', '.', 'é', '\u00a0', '…']
const longest = repeats({ few: 4, all: 5 })

const readCodes = codeReader()

function pieceEnd(text: string, start: number, splitsCase: boolean): number {
  return asciiPieceEnd(readCodes(text), text.length, start, splitsCase)
}

function* textsOf(length: number): Generator<string> {
  if (length === 0) yield ''
  else for (const start of textsOf(length - 1)) for (const char of characters) yield start + char
}

it('takes for marks only what is neither letter, number nor white space', () => {
  const range = new RegExp(`[${marks.join('')}]`)
  const taken = Array.from({ length: 65_536 }, (_, code) => String.fromCharCode(code)).filter((char) =>
    range.test(char),
  )
  expect(taken.length).toBeGreaterThan(500)
  expect(taken.filter((char) => /[\p{L}\p{N}\p{M}\p{White_Space}]/u.test(char))).toEqual([])
})

describe.each<EncodingName>(['o200k_base', 'cl100k_base'])('the pieces of plain ASCII in %s', (name) => {
  const { pattern, splitsCase } = loadEncoding(name)

  it(`end as the pattern ends them, in every text of up to ${longest} odd characters`, () => {
    const wrong: string[] = []
    let known = 0
    for (let length = 1; length <= longest; length++) {
      for (const text of textsOf(length)) {
        const end = pieceEnd(text, 0, splitsCase)
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

  it('need the pattern only for what may be a contraction, and for words of both cases if it keeps them whole', () => {
    const text = `(the user's) 'single' "It'll" // with\n\n\t\tmarks, 12 + 3456\r\n  fooBar HTTPServer\n`
    const unknown: string[] = []
    for (let at = 0; at < text.length; at = pattern.lastIndex) {
      pattern.lastIndex = at
      pattern.test(text)
      if (pieceEnd(text, at, splitsCase) === -1) unknown.push(text.slice(at, pattern.lastIndex))
    }
    expect(unknown).toEqual(
      name === 'o200k_base' ? [" user's", "It'll"] : [' user', "'s", 'It', "'ll", ' fooBar'],
    )
  })
})
