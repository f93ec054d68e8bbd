import { describe, expect, it } from 'vitest'
import { foldLines } from '../../../src/plan/transcript/fold-lines.ts'

const omitted = (text: string) => `[…${text.split('\n').length}]`

describe('foldLines', () => {
  it('keeps the beginning and the last line of a listing', () => {
    const listing = Array.from({ length: 20 }, (_, index) => `src/file-${index}.ts`)
    expect(foldLines(listing.join('\n'), omitted)).toBe(
      'src/file-0.ts\nsrc/file-1.ts\nsrc/file-2.ts\n[…16]\nsrc/file-19.ts',
    )
  })

  it('keeps what failed within a run', () => {
    const log = Array.from({ length: 20 }, (_, index) =>
      index === 9 ? 'Compiling crate error' : 'Compiling crate v1',
    )
    expect(foldLines(log.join('\n'), omitted).split('\n')).toEqual([
      'Compiling crate v1',
      'Compiling crate v1',
      'Compiling crate v1',
      '[…6]',
      'Compiling crate error',
      '[…9]',
      'Compiling crate v1',
    ])
  })

  it('keeps prose and short lists as they are', () => {
    const text = 'One sentence, with a comma, that says something.\na\nb\nc\n\nAnother: the end.'
    expect(foldLines(text, omitted)).toBe(text)
  })

  it('keeps the beginning and the end of a line of data', () => {
    const line = `{"rows":[${'"value",'.repeat(500)}"last"]}`
    const folded = foldLines(line, omitted)
    expect(folded.length).toBeLessThan(400)
    expect(folded).toMatch(/^\{"rows":\["value".* \[…1\] .*"last"\]\}$/)
  })

  it('keeps a long paragraph', () => {
    const paragraph = 'The kiln must never be opened while it is hot, and nobody may leave it alone. '.repeat(
      20,
    )
    expect(foldLines(paragraph, omitted)).toBe(paragraph)
  })

  it('cuts a line of data between its values', () => {
    const values = Array.from({ length: 200 }, (_, index) => `{"id":"order-${index}","port":${8000 + index}}`)
    const line = values.join(' ')
    const [head = '', tail = ''] = foldLines(line, omitted).split(/ ?\[…\d+\] ?/)
    expect(head.length).toBeGreaterThan(100)
    const start = line.length - tail.length
    for (const at of [head.length, start]) expect(line.slice(at - 1, at + 1)).not.toMatch(/^[\w-]{2}$/)
  })
})
