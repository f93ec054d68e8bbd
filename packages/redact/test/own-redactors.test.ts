import { describe, expect, it } from 'vitest'
import { patternRedactor } from '../src/pattern-redactor.ts'
import { envValues } from '../src/values/env-values.ts'
import { valueRedactor } from '../src/values/value-redactor.ts'
import { planted } from './planted.ts'

const found = (redactor: ReturnType<typeof valueRedactor>, text: string): [string, string][] =>
  redactor.find(text).map(({ start, end, type }) => [text.slice(start, end), type])

describe('valueRedactor', () => {
  it('finds each value, the longest if they overlap, sorted and disjoint', () => {
    const redactor = valueRedactor(['abcd', 'abcdef', 'defgh', 'xy', ''])
    expect(found(redactor, 'abcdef xy abcd')).toEqual([
      ['abcdef', 'known-value'],
      ['abcd', 'known-value'],
    ])
    expect(found(redactor, 'abcdefgh')).toEqual([['abcdefgh', 'known-value']])
    expect(found(redactor, 'none')).toEqual([])
  })

  it('accepts types from a Map and from the option', () => {
    expect(found(valueRedactor(new Map([['hunter22', 'DB Password']])), 'a hunter22')).toEqual([
      ['hunter22', 'db-password'],
    ])
    expect(found(valueRedactor(new Set(['hunter22']), { type: 'env' }), 'hunter22')).toEqual([
      ['hunter22', 'env'],
    ])
  })

  it('sees through terminal escapes, and leaves marks alone', () => {
    const redactor = valueRedactor(['hunter22', 'redacted'])
    const text = 'a hun\u001b[1mter\u001b[0m22 b'
    expect(found(redactor, text)).toEqual([['hun\u001b[1mter\u001b[0m22', 'known-value']])
    expect(found(redactor, '[redacted:password:2]')).toEqual([])
  })
})

describe('patternRedactor', () => {
  it('takes the whole match, or the first group that took part', () => {
    expect(found(patternRedactor({ type: 'id', pattern: /id-\d+/ }), 'id-1 and id-22')).toEqual([
      ['id-1', 'id'],
      ['id-22', 'id'],
    ])
    const grouped = patternRedactor({ type: 'pin', pattern: /pin (\d+)|code \d+/iy })
    expect(found(grouped, 'Pin 123, code 9')).toEqual([
      ['123', 'pin'],
      ['code 9', 'pin'],
    ])
  })

  it('ends on patterns with empty matches, and leaves marks alone', () => {
    expect(found(patternRedactor({ type: 'x', pattern: /x*/ }), 'axxb')).toEqual([['xx', 'x']])
    expect(found(patternRedactor({ type: 'x', pattern: /\w+/ }), '[redacted:x] y')).toEqual([['y', 'x']])
  })

  it('can be used side by side, and does not change the pattern', () => {
    const pattern = /a/g
    pattern.lastIndex = 1
    const redactor = patternRedactor({ type: 'a', pattern })
    expect(found(redactor, 'aa')).toHaveLength(2)
    expect(found(redactor, 'aa')).toHaveLength(2)
    expect(pattern.lastIndex).toBe(1)
  })

  it('ends a search that backtracks without end', () => {
    const redactor = patternRedactor({ type: 'a', pattern: /(a+)+$/ })
    expect(() => redactor.find(`${'a'.repeat(60)}b`)).toThrow(/took longer than 3 s for one text/)
    expect(found(redactor, `b${'a'.repeat(60)}`)).toEqual([['a'.repeat(60), 'a']])
  })

  it('refuses a type that cannot be in a mark', () => {
    for (const type of ['', 'My Token', 'a_b', 'x'.repeat(50)])
      expect(() => patternRedactor({ type, pattern: /x/ })).toThrow(/expected lower case words/)
  })
})

describe('envValues', () => {
  it('returns secrets, and leaves settings out', () => {
    const key = planted('env')
    const text = [
      '# settings',
      'NODE_ENV=production',
      'DEBUG=true',
      'PORT=5432',
      'HOST=localhost:5432',
      'APP_NAME=my-service',
      'VERSION=1.22.333',
      'HOME_URL=https://example.com/path',
      'LOG_PATH=/var/log/service',
      'MAIL=someone@example.com',
      'TIMEOUT=120000ms',
      'TOKEN=1',
      'SECRET=changeme',
      `API_KEY="${key}"`,
      `PLAIN=${key}2`,
      "DB_PASSWORD='correct horse staple'",
      'DATABASE_URL=postgres://admin:p%40ss-8192@db.example.com:5432/app',
      'CALLBACK=https://example.com/?access_token=abc-81-def&page=2222222',
      'export SHORT_PASS=ab1',
      'not a line',
    ].join('\n')
    expect(new Set(envValues(text))).toEqual(
      new Set([key, `${key}2`, 'correct horse staple', 'p%40ss-8192', 'p@ss-8192', 'abc-81-def']),
    )
    expect(envValues('')).toEqual([])
  })
})
