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

  it('ignores a backquote of another line', () => {
    expect(cutHead(`a lone \` here\n${'plain words '.repeat(9)}`, 100).length).toBeGreaterThan(85)
  })

  it.each([
    'DATABASE_URL="postgres://db host:5432/main"',
    "'x-api-version: 2026-01-05'",
    'deploy/cache-4785/**/settings.yaml',
    '"TestFirst|TestSecond"',
  ])('keeps %s whole or leaves it out', (value) => {
    const text = `First set the folder of the work and then run it once with ${value} there, as the log of the service says`
    for (let length = 45; length < text.length - 40; length++)
      for (const part of [cutHead(text, length), cutTail(text, length)]) {
        const isWhole = part.includes(value)
        expect([part.includes(value.slice(0, 6)), part.includes(value.slice(-6))]).toEqual([isWhole, isWhole])
      }
  })

  it('never splits a surrogate pair', () => {
    const text = '🙂'.repeat(300)
    for (const length of [100, 101, 102, 103])
      for (const part of [cutHead(text, length), cutTail(text, length)]) {
        expect(part).toBe('🙂'.repeat(Math.floor(length / 2)))
      }
  })

  it('keeps apostrophes and lone quotes as text', () => {
    const text = `It isn't the parser's fault that the screen is 5" wide, ${'and so on '.repeat(20)}`
    expect(cutHead(text, 100).length).toBeGreaterThan(85)
  })
})

describe('shortLine', () => {
  it('keeps a long value whole rather than a mark next to nothing', () => {
    const path = `/home/dev/orbit/${'nested/'.repeat(14)}settings.yaml`
    expect(shortLine(`Cannot read ${path}`, 90)).toBe(`Cannot read ${path}`)
    expect(shortLine(`Cannot read ${path}: ${'it was moved by a later step '.repeat(5)}`, 90)).toMatch(
      new RegExp(`^Cannot read ${path}: \\[…\\d+ chars\\] .*later step$`),
    )
    expect(shortLine(`data:${'A'.repeat(900)}`, 90).length).toBeLessThan(130)
  })
})
