import { describe, expect, it } from 'vitest'
import { cutHead, cutTail } from '../../src/session/cut-text.ts'
import { shortLine } from '../../src/session/short-line.ts'

const command = '`POSTGRES_URL=postgres://localhost:5433/db npm test -- --shard 3`'

describe('a cut', () => {
  it('leaves out code between backquotes as a whole rather than half of it', () => {
    const text = `The shard fails with the wrong database, so run ${command} and look at the log`
    for (let length = 60; length < text.length; length++) {
      expect(cutHead(text, length).split('POSTGRES_URL').length).toBe(
        cutHead(text, length).split(command).length,
      )
      expect(shortLine(text, length).match(/`/g)?.length ?? 0).toSatisfy((count: number) => count % 2 === 0)
    }
    expect(cutTail(`Run ${command} first, since the database of the shard must be there`, 60)).toBe(
      'first, since the database of the shard must be there',
    )
  })

  it('keeps what it can of a text that is one long quote', () => {
    expect(cutHead(`\`${'word '.repeat(40)}\``, 50).length).toBeGreaterThan(40)
  })

  it('takes a backquote of another line for itself', () => {
    expect(cutHead(`a lone \` here\n${'plain words '.repeat(9)}`, 100).length).toBeGreaterThan(85)
  })
})
