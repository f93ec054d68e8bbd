import { codeReader } from '@tenfold/tokens/internal'
import { describe, expect, it } from 'vitest'
import { matchLongRuns } from '../src/rules/long-runs.ts'
import { type Scan, type Trigger, triggerIndex, wakeRarely } from '../src/rules/scan.ts'
import { tokenTriggers } from '../src/rules/token-shape.ts'

function scanOf(text: string, report: Scan['report'] = () => {}): Scan {
  const readTo = { found: 0, foundFrom: 0, foundTo: 0, namesReadTo: 0, tokensReadTo: 0, manifestsReadTo: 0 }
  return { text, codes: codeReader()(text), ...readTo, valueBudget: 1000, commandBudget: 1000, report }
}

describe('triggerIndex', () => {
  function placesOf(texts: readonly string[], triggers: readonly Omit<Trigger, 'match'>[]): string[][] {
    const found: string[] = []
    const scan = triggerIndex(
      triggers.map((trigger) => ({
        ...trigger,
        match: (_, at) => {
          found.push(`${trigger.literal} ${at}`)
        },
      })),
    )
    return texts.map((text) => {
      found.length = 0
      scan(scanOf(text))
      return [...found]
    })
  }

  it('finds literals at both ends of a text, and nothing that an earlier text held', () => {
    const triggers = [
      { literal: 'key', exact: false },
      { literal: 'sk-', exact: true },
    ]
    const texts = ['key and sk-', 'sk- and kEY', 'ke', '', 'a key!', `${'-'.repeat(5000)}KEY`, 'ke']
    expect(placesOf(texts, triggers)).toEqual([
      ['key 0', 'sk- 8'],
      ['sk- 0', 'key 8'],
      [],
      [],
      ['key 2'],
      ['key 5000'],
      [],
    ])
  })

  it('minds the case of exact literals only, and takes no other character for a letter', () => {
    const triggers = [
      { literal: 'NTE', exact: true },
      { literal: 'Token', exact: true },
      { literal: 'token', exact: false },
    ]
    expect(placesOf(['nte NTE nTe NTEx'], triggers)).toEqual([['NTE 4', 'NTE 12']])
    expect(placesOf(['TOKEN Token tokem'], triggers)).toEqual([['token 0', 'Token 6', 'token 6']])
    expect(placesOf(['\u0174\u014f\u014b\u0145\u014e \u0454\u044f\u0454token'], triggers)).toEqual([
      ['token 9'],
    ])
  })

  it('wakes a literal by any three characters of it', () => {
    const triggers = [{ literal: 'vault login', exact: true, anchor: 8 }]
    expect(placesOf(['vault login', 'gin vault logi', 'a vault login -'], triggers)).toEqual([
      ['vault login 0'],
      [],
      ['vault login 2'],
    ])
  })
})

describe('matchLongRuns', () => {
  const token = 'hf_aB3dE5gH7jK9mN1pQ4sT6vW8xY0zRcVbNmLk'

  it('finds a run wherever it begins after a shorter one', () => {
    for (let before = 0; before <= 80; before++) {
      const text = `${'x'.repeat(before)} ${token}`
      const found: string[] = []
      matchLongRuns(scanOf(text, (start, end) => found.push(text.slice(start, end))))
      expect(found, `after ${before} characters`).toContain(token)
    }
  })
})

describe('wakeRarely', () => {
  it.each([
    ['curl', 1],
    ['the qzx', 4],
    ['a - b', 0],
    ['login --password', 6],
    ['export zq=', 7],
  ])('wakes %j by its rarest three characters, the first of equal ones', (literal, anchor) => {
    expect(wakeRarely([{ literal, exact: true, match: () => {} }])).toMatchObject([{ literal, anchor }])
  })
})

describe('tokenTriggers', () => {
  it('adds each first character of the body to a prefix of two characters', () => {
    const literalsOf = (prefix: string, body: string) =>
      tokenTriggers([{ type: 'token', prefix, body }]).map(({ literal }) => literal)
    expect(literalsOf('ab', "x4 '-'")).toEqual([...'0123456789abcdefABCDEF'].map((last) => `ab${last}`))
    expect(literalsOf('ab', 'w20')).toHaveLength(64)
    expect(literalsOf('ab', 'w20')).toEqual(expect.arrayContaining(['ab_', 'ab-', 'abz', 'ab9']))
    expect(literalsOf('ab', '=2')).toEqual(['ab='])
    expect(literalsOf('abc', 'w20')).toEqual(['abc'])
  })
})
