import { describe, expect, it } from 'vitest'
import { cutMiddle } from '../../src/plan/decisive-lines.ts'

const omitted = (text: string) => `[…${text.length}]`

describe('cutMiddle', () => {
  it('leaves a text alone that is not very long', () => {
    const text = 'a line of output\n'.repeat(1000)
    expect(cutMiddle(text, omitted)).toBe(text)
  })

  it('cuts between lines, and counts what it left out', () => {
    const lines = Array.from({ length: 5000 }, (_, index) => `order ${index} has port ${30_000 + index}`)
    const text = lines.join('\n')
    const cut = cutMiddle(text, omitted).split('\n')
    const mark = cut.find((line) => line.startsWith('[…')) ?? ''
    expect(cut.filter((line) => line !== mark).every((line) => lines.includes(line))).toBe(true)
    const kept = cut.filter((line) => line !== mark).join('\n').length
    expect(Number(/\d+/.exec(mark)?.[0])).toBe(text.length - kept + 1)
    expect([cut[0], cut.at(-1)]).toEqual([lines[0], lines.at(-1)])
  })

  it('cuts no value of one long line in two', () => {
    const line = Array.from({ length: 9000 }, (_, index) => `"id-${index}"`).join(', ')
    const [head = '', , tail = ''] = cutMiddle(line, omitted).split('\n')
    const start = line.length - tail.length
    for (const at of [head.length, start]) expect(line.slice(at - 1, at + 1)).not.toMatch(/^[\w-]{2}$/)
    expect(head.length + tail.length).toBeLessThanOrEqual(60_000)
  })
})
