import { describe, expect, it } from 'vitest'
import { cueFinder, wordsOf } from '../../src/extractive/cues.ts'
import { rememberedSentences, sentencesOf } from '../../src/extractive/sentences.ts'

const find = cueFinder({
  choice: "let's use, so only, решил, 决定",
  reason: `because,
    car`,
})

const found = (text: string) => Object.fromEntries(find(text))

describe('wordsOf', () => {
  it('splits at the same characters in all scripts', () => {
    const wrong: string[] = []
    for (let code = 0; code < 0xd800; code++) {
      const text = `a${String.fromCharCode(code)}b`
      if (wordsOf(text).join(' ') !== text.split(/[^\p{L}\p{N}_]+/u).join(' ')) wrong.push(code.toString(16))
    }
    expect(wrong).toEqual([])
  })
})

describe('cueFinder', () => {
  it.each([
    ['Let’s use a pool because it is fast.', { choice: 0, reason: 17 }],
    ['It is slow, so only the pool helps.', { choice: 12 }],
    ['We lock (because of the pool).', { reason: 9 }],
    ['Je garde le verrou, car il protège.', { reason: 20 }],
  ])('finds the first place of each list: %s', (text, expected) => {
    expect(found(text)).toEqual(expected)
  })

  it.each([
    ['A carpet and a scar.'],
    ['Because_of is a name.'],
    ['Scarce cars.'],
    // Where a cue first occurs decides.
    ['The carpet, car by car.'],
  ])('takes no part of a word for a cue: %s', (text) => {
    expect(found(text)).toEqual({})
  })

  it.each([
    ['Ярешил так.', { choice: 1 }],
    ['我们决定用它', { choice: 2 }],
    ['好,because 它快', { reason: 2 }],
  ])('finds cues of scripts without spaces anywhere: %s', (text, expected) => {
    expect(found(text)).toEqual(expected)
  })

  it('takes a letter beyond U+FFFF for no part of a word', () => {
    expect(found('𝐀because')).toEqual({ reason: 2 })
  })
})

describe('rememberedSentences', () => {
  it('returns the sentences of each text, read once', () => {
    const read = rememberedSentences()
    const text = '## Plan\n- [x] One. Two?\n\n**bold**  words [of a link](https://example.org).'
    expect(read(text)).toEqual(sentencesOf(text))
    expect(read(text)).toBe(read(text))
    expect(read('Other words.')).toEqual(sentencesOf('Other words.'))
  })
})
