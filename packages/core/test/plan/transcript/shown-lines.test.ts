import { describe, expect, it } from 'vitest'
import { shownLines } from '../../../src/plan/transcript/shown-lines.ts'

const kiln = ['const limit = 1300 // degrees of the kiln', 'const chambers = 4 // that fire at once'].join(
  '\n',
)
const oven = ['const glaze = "celadon" // of the oven', 'const shelves = 12 // that hold the pots'].join('\n')
/** Shows texts one after the other, each without what those before it showed. */
function shownWith(
  texts: readonly (readonly [text: string, event: `e${number}`, source?: string])[],
  isEdit = false,
): string[] {
  const { without, show } = shownLines()
  return texts.map(([text, event, source]) => {
    const fresh = without({ text, event, source, isEdit }, 60)
    show({ text: fresh, event, source })
    return fresh
  })
}

describe('shownLines', () => {
  it('names the block that showed the lines, and its file', () => {
    const named = shownWith([
      [kiln, 'e4', '/w/src/kiln.ts'],
      [kiln, 'e9'],
    ])
    expect(named[1]).toBe('(2 lines as in e4 kiln.ts)')
    const unnamed = shownWith([
      [kiln, 'e4'],
      [kiln, 'e9'],
    ])
    expect(unnamed[1]).toBe('(2 lines as in e4)')
  })

  it('names the blocks of lines that come from two', () => {
    const [, , both] = shownWith([
      [kiln, 'e4', 'kiln.ts'],
      [oven, 'e6', 'oven.ts'],
      [`${kiln}\n${oven}`, 'e9'],
    ])
    expect(both).toBe('(4 lines as in e4 kiln.ts and e6 oven.ts)')
  })

  it('shows again lines that were cut from an earlier text', () => {
    const { without, show } = shownLines()
    show({ text: oven, event: 'e4' })
    expect(without({ text: `${kiln}\n${oven}`, event: 'e9' }, 60)).toBe(`${kiln}\n(2 lines as in e4)`)
  })

  it('keeps what an edit adds, whatever was read before, and shows removed lines once', () => {
    const removed = kiln.replace(/^/gm, '-')
    const added = oven.replace(/^/gm, '+')
    const [, edit] = shownWith(
      [
        [`${kiln}\n${oven}`, 'e4', 'kiln.ts'],
        [`${removed}\n${added}`, 'e9', 'kiln.ts'],
      ],
      true,
    )
    expect(edit).toBe(`-(2 lines as in e4 kiln.ts)\n${added}`)
  })

  it('keeps the lines that it was told to keep', () => {
    const { without, show } = shownLines()
    show({ text: kiln, event: 'e4' })
    expect(without({ text: kiln, event: 'e9' }, 60, () => true)).toBe(kiln)
  })
})
