import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plainSentences } from '../../src/extractive/plain-sentences.ts'

const segmenter = new Intl.Segmenter('und', { granularity: 'sentence' })
const bySegmenter = (line: string) => Array.from(segmenter.segment(line), ({ segment }) => segment)

test.each([
  'Done. Next is the parser.',
  'It returns 1.5 of v1.2.3. The U.S. team knows it, e.g. from the list (see a.ts). Fine!',
  'Why? Because "it failed." He stopped. (really) [yes.] No.',
  'Look at config.json. then run it... and wait. … Ready — now? -- Yes! , no',
  'It’s “done.” → Ship it. ✓ Tests pass. ⚠️ One is slow. ',
  '.5 is .A. B',
  ' . ! ? ',
])('splits a plain line as the segmenter does: %s', (line) => {
  expect(plainSentences(line)).toEqual(bySegmenter(line))
})

test('splits any plain line as the segmenter does', () => {
  const characters = [...'abZQ09 .!?,:-()[]{}"\'`*_/~—–’“”„…→✓§·']
  const word = fc.oneof(
    fc.constantFrom(...characters),
    fc.constantFrom('. ', '? ', '.) ', 'word ', 'A.B', '1.5', '...', '⚠\ufe0f'),
  )
  const lines = fc.array(word, { minLength: 1, maxLength: 20 }).map((words) => words.join(''))
  fc.assert(
    fc.property(lines, (line) => {
      expect(plainSentences(line)).toEqual(bySegmenter(line))
    }),
    { numRuns: 2000 },
  )
})

test('treats each plain character as the segmenter does', () => {
  const differing: string[] = []
  for (let code = 0x20; code < 0x3000; code++) {
    const char = String.fromCharCode(code)
    // The versions of Unicode that Node knows differ on the semicolon.
    if (char === ';' || plainSentences(char) === undefined) continue
    const lines = [
      `a.${char}B`,
      `a. ${char}b`,
      `a.${char} B`,
      `a! ${char}B`,
      `a${char} B`,
      `A.${char}.B`,
      `9${char}9.`,
    ]
    differing.push(...lines.filter((line) => plainSentences(line)?.join('|') !== bySegmenter(line).join('|')))
  }
  expect(differing).toEqual([])
})

test.each(['Größe. Neu.', '完成。下一步。', 'a.\u2029b', 'tab\there. Now', 'a.\ufe0f b', '⟨a.⟩ B', 'x‼ Y'])(
  'leaves a line with other characters to the segmenter: %j',
  (line) => {
    expect(plainSentences(line)).toBeUndefined()
  },
)
