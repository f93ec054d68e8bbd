import { describe, expect, it } from 'vitest'
import { shownLines } from '../../../src/plan/transcript/shown-lines.ts'

const kiln = ['const limit = 1300 // degrees of the kiln', 'const chambers = 4 // that fire at once'].join(
  '\n',
)
const oven = ['const glaze = "celadon" // of the oven', 'const shelves = 12 // that hold the pots'].join('\n')
const omitted = (text: string) => `[…${text.length}]`

/** Gives texts one after the other, cuts them with `cut`, and puts words in place of the marks. */
function shownWith(
  texts: readonly (readonly [text: string, event: `e${number}`, source?: string])[],
  cut: (texts: readonly string[]) => readonly string[] = (all) => all,
): string[] {
  const { unshown, resolve } = shownLines()
  return resolve(cut(texts.map(([text, event, source]) => unshown(text, event, source))), omitted)
}

describe('shownLines', () => {
  it('names the block that showed the lines, and its file', () => {
    expect(
      shownWith([
        [kiln, 'e4', '/w/src/kiln.ts'],
        [kiln, 'e9'],
      ])[1],
    ).toBe('(2 lines as in e4 kiln.ts)')
    expect(
      shownWith([
        [kiln, 'e4'],
        [kiln, 'e9'],
      ])[1],
    ).toBe('(2 lines as in e4)')
  })

  it('names no block for lines that come from several', () => {
    const [, , both] = shownWith([
      [kiln, 'e4', 'kiln.ts'],
      [oven, 'e6', 'oven.ts'],
      [`${kiln}\n${oven}`, 'e9'],
    ])
    expect(both).toBe('(4 lines shown before)')
  })

  it('counts lines as left out that the first text no longer shows', () => {
    const [, again] = shownWith(
      [
        [kiln, 'e4'],
        [`${kiln}\nconst fuel = 'wood'`, 'e9'],
      ],
      ([, second = '']) => ['[…30]', second],
    )
    expect(again).toBe(`[…${kiln.length}]\nconst fuel = 'wood'`)
  })

  it('makes one mark of gaps that follow each other', () => {
    const [, again] = shownWith(
      [
        [kiln, 'e4'],
        [kiln, 'e9'],
      ],
      ([, second = '']) => ['', `[…7]\n${second}\n[…3]`],
    )
    expect(again).toBe(`[…${kiln.length + 10}]`)
  })

  it('leaves alone what only looks like a mark', () => {
    expect(shownWith([['\uE0007\uE001', 'e4']])).toEqual(['\uE0007\uE001'])
  })
})
