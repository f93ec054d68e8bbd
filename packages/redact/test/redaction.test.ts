import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { repeats } from '../../../test/support/repeats.ts'
import { seedOf } from '../../../test/support/seed.ts'
import { leastCpu } from '../../core/test/support/cpu-time.ts'
import { createRedaction } from '../src/redaction.ts'
import type { Redactor } from '../src/redactor.ts'
import { valueRedactor } from '../src/values/value-redactor.ts'
import { everyForm, formsLeft, passwords, planted, tokens } from './planted.ts'

const plain = planted('plain')
const signs = `${planted('signs')}"\\/&<'é`

describe('the helpers of these tests', () => {
  it('recognize each form', () => {
    for (const value of [plain, signs]) {
      const all = formsLeft(everyForm(value), value)
      expect(all).toHaveLength(13)
      for (const form of ['raw', 'JSON twice', 'percent', 'base64 at 0', 'base64url at 2'])
        expect(all).toContain(form)
      expect(formsLeft('', value)).toEqual([])
    }
  })
})

describe('redact', () => {
  it.each([plain, signs])('replaces a learned value in every form: %#', (value) => {
    const redaction = createRedaction([valueRedactor([value], { type: 'test-token' })])
    redaction.learn(`export TOKEN=${value}`)
    const clean = redaction.redact(everyForm(value))
    expect(formsLeft(clean, value)).toEqual([])
    expect(clean).toContain('[redacted:test-token]')
    expect(clean).toContain('https://example.com/?q=[redacted:test-token]')
    expect(redaction.count).toBe(1)
    expect(redaction.types()).toEqual([['test-token', 1]])
  })

  it('leaves no run of 8 characters of a value inside base64', () => {
    const redaction = createRedaction([tokens])
    redaction.learn(plain)
    for (const before of ['', 'a', 'ab']) {
      const clean = redaction.redact(Buffer.from(`${before}${plain}`).toString('base64'))
      const left = Buffer.from(clean.replace('[redacted:test-token]', ''), 'base64').toString('latin1')
      expect(left.length).toBeLessThan(8)
    }
  })

  it('recognizes escapes outside of strings, and the alphabet of base64url', () => {
    const odd = `${plain}"\\?>~?>~ÿþ`
    const redaction = createRedaction([valueRedactor([odd])])
    redaction.learn(odd)
    const twice = JSON.stringify(JSON.stringify(odd).slice(1, -1)).slice(1, -1)
    expect(redaction.redact(`echo ${twice} end`)).toBe('echo [redacted:known-value] end')
    for (const before of ['', 'a', 'ab']) {
      const coded = Buffer.from(`${before}${odd}`).toString('base64url')
      expect(coded).toMatch(/[-_]/)
      expect(formsLeft(redaction.redact(coded), odd)).toEqual([])
    }
  })

  it('knows values of letters that are no words by any case and signs between them', () => {
    for (const value of ['wpAGOwpWewQii9', 'WUsaplMtRFcExx', 'loljoOpTHra24^5q']) {
      const redaction = createRedaction([valueRedactor([value])])
      const text = `abc${value}xyz ${value.toUpperCase()} ${[...value].join('-')}`
      const mark = '[redacted:known-value]'
      expect(redaction.redact(text)).toBe(`abc${mark}xyz ${mark} ${mark}`)
    }
  })

  it('accepts a finding with a quote too many', () => {
    const sloppy: Redactor = {
      name: 'sloppy',
      find: (text) => (text.startsWith('"') ? [{ start: 0, end: text.length, type: 'quoted' }] : []),
    }
    const redaction = createRedaction([tokens, sloppy])
    redaction.learn(plain)
    expect(redaction.redact(`"${plain}",`)).toBe('[redacted:test-token]')
    expect(redaction.count).toBe(1)
  })

  it('gives the same value the same mark in any form and type, numbered in order of learning', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((seed) => planted(seed)) as [string, string, string]
    const redaction = createRedaction([tokens, passwords])
    redaction.learn(`first ${b}`)
    redaction.learn(`then ${a} and ${encodeURIComponent(b)} and ${b}`)
    redaction.learn('password=hunter2-hunter2')
    expect(redaction.redact(`${a} ${b} ${a}`)).toBe(
      '[redacted:test-token:2] [redacted:test-token] [redacted:test-token:2]',
    )
    expect(redaction.redact(`${c} ${b}`)).toBe('[redacted:test-token:3] [redacted:test-token]')
    expect(redaction.redact(`password=${a}`)).toBe('password=[redacted:test-token:2]')
    expect(redaction.redact('it is hunter2-hunter2')).toBe('it is [redacted:password]')
    expect(redaction.types()).toEqual([
      ['test-token', 3],
      ['password', 1],
    ])
    expect(redaction.count).toBe(4)
  })

  it('learns the plain reading of a value that was found in an escaped one', () => {
    const redaction = createRedaction([passwords])
    redaction.learn('password=p%40ss%2Fw0rd%21long')
    expect(redaction.redact('see p@ss/w0rd!long')).toBe('see [redacted:password]')
    const basic = createRedaction([valueRedactor([Buffer.from('admin:Zx81-Zx82-Zx83').toString('base64')])])
    basic.learn(`Basic ${Buffer.from('admin:Zx81-Zx82-Zx83').toString('base64')}`)
    expect(basic.redact('the word is Zx81-Zx82-Zx83.')).toBe('the word is [redacted:known-value].')
  })

  it('replaces a common value at its findings, and nowhere else', () => {
    const redaction = createRedaction([passwords])
    for (const common of ['abc123', 'postgres', '12345678', 'aaaaaaaaaaaaaa'])
      expect(redaction.redact(`password=${common} then ${common} again`)).toMatch(
        new RegExp(`^password=\\[redacted:password(:\\d)?\\] then ${common} again$`),
      )
  })

  it('leaves a name that the log uses throughout, but not a word that it contains now and then', () => {
    const redaction = createRedaction([passwords])
    redaction.learn('password=tenfold_dev')
    redaction.learn('password=Winter2031')
    redaction.learn(Array.from({ length: 60 }, (_, i) => `/srv/tenfold_dev/file${i}.ts`).join('\n'))
    redaction.learn('I typed Winter2031 in. '.repeat(3))
    expect(redaction.redact('cd tenfold_dev; password=tenfold_dev')).toBe(
      'cd tenfold_dev; password=[redacted:password]',
    )
    expect(redaction.redact('Winter2031? xWinter2031x')).toBe('[redacted:password:2]? xWinter2031x')
  })

  it.each([1, 5, 10])(
    'recognizes a name of the log by its uses without the %i that a redactor found',
    (found) => {
      const uses = (plain: number): string => {
        const redaction = createRedaction([passwords])
        for (let i = 0; i < found; i++) redaction.learn(`password=BlueMountain77 ${'-'.repeat(60)} ${i}`)
        redaction.learn('to BlueMountain77 '.repeat(plain).padEnd(64))
        return redaction.redact('see BlueMountain77')
      }
      expect(uses(19)).toBe('see [redacted:password]')
      expect(uses(20)).toBe('see BlueMountain77')
    },
  )

  it('gives different marks to values that begin alike', () => {
    const redaction = createRedaction([passwords])
    redaction.learn('password=lib-7f/alpha-9c/key')
    redaction.learn('password=lib-7f/alpha-9c/key.2')
    redaction.learn('password="lib-7f/alpha-9c/key\\n"')
    expect(redaction.redact('lib-7f/alpha-9c/key and lib-7f/alpha-9c/key.2')).toBe(
      '[redacted:password] and [redacted:password:2]',
    )
    expect(redaction.count).toBe(2)
  })

  it('finds secrets in JSON in JSON in a string, and keeps the JSON valid', () => {
    const redaction = createRedaction([passwords, tokens])
    const inner = JSON.stringify({ password: 'abc"cd1', note: `x\n${plain}` })
    const outer = JSON.stringify({ body: JSON.stringify({ payload: inner }) })
    const clean = redaction.redact(`got ${outer}`)
    const body = JSON.parse(JSON.parse(clean.slice(4)).body)
    expect(JSON.parse(body.payload)).toEqual({
      password: expect.stringMatching(/^\[redacted:password(:\d)?\]$/),
      note: 'x\n[redacted:test-token]',
    })
    expect(clean).not.toContain(plain)
  })

  it('recognizes a value wrapped at a column, but joins no short words', () => {
    const redaction = createRedaction([tokens])
    const short = planted('short', 21)
    redaction.learn(`${plain} ${short}`)
    const wrapped = `${plain.slice(0, 9)}\r\n\t ${plain.slice(9, 20)}\\\n${plain.slice(20)}`
    expect(redaction.redact(`a ${wrapped} b`)).toBe('a [redacted:test-token] b')
    expect(redaction.redact(`a ${wrapped} b`, { keepLines: true })).toBe('a [redacted:test-token]\n\n b')
    const words = createRedaction([valueRedactor(['ABCD-1234-x'])])
    words.learn('ABCD-1234-x')
    expect(words.redact('ABCD-\n1234-x')).toBe('ABCD-\n1234-x')
    expect(words.redact('AB\u001b[1mCD-1234\u001b[0m-x')).toBe('[redacted:known-value]')
  })

  it('removes the lines of a key of many lines even if they are separated', () => {
    const lines = Array.from({ length: 4 }, (_, i) => planted(`line${i}`, 60))
    const key = ['-----BEGIN TEST KEY-----', ...lines, '-----END TEST KEY-----'].join('\n')
    const redaction = createRedaction([valueRedactor([key])])
    redaction.learn(key)
    expect(redaction.redact(`> ${lines[2]}`)).toBe('> [redacted:known-value]')
  })

  it('joins findings that overlap, and accepts any finding that a redactor may give', () => {
    const odd: Redactor = {
      name: 'odd',
      find: () => [
        { start: 4, end: 12, type: 'Some Type!' },
        { start: -3, end: 2, type: '' },
        { start: 10, end: 999, type: 'b' },
        { start: 5, end: 5, type: 'c' },
        { start: 9, end: 3, type: 'd' },
        { start: Number.NaN, end: 4, type: 'e' },
      ],
    }
    expect(createRedaction([odd]).redact('0123456789abcdef')).toMatch(
      /^\[redacted:[a-z]+\]23\[redacted:some-type\]$/,
    )
  })

  it('changes nothing the second time', () => {
    const value = fc.integer({ min: 0, max: 5 }).map((seed) => planted(String(seed)))
    const piece = fc.oneof(
      value,
      value.map(everyForm),
      value.map((text) => JSON.stringify({ password: text, list: [text] })),
      value.map((text) => text.slice(0, 20)),
      fc.constantFrom(
        'password=',
        '"password": "',
        'abcdef',
        '"',
        '\\',
        '\n',
        '[redacted:',
        '[redacted:test-token]',
        '[redacted:test-token:2]',
        ']',
        'tok_',
        '\u001b[0m',
        '%41',
        '\ud800',
      ),
      fc.string(),
    )
    const everyLetter: Redactor = {
      name: 'greedy',
      find: (text) =>
        [...text.matchAll(/[g-k][^ "]{0,30}/g)].map((m) => ({
          start: m.index,
          end: m.index + m[0].length,
          type: 'g',
        })),
    }
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.boolean(), (pieces, greedy) => {
        const redaction = createRedaction(greedy ? [tokens, everyLetter] : [tokens, passwords])
        for (const text of pieces) redaction.learn(text)
        const clean = redaction.redact(pieces.join(''))
        expect(redaction.redact(clean)).toBe(clean)
        const kept = redaction.redact(pieces.join(' '), { keepLines: true })
        expect(kept.split('\n')).toHaveLength(pieces.join(' ').split('\n').length)
        const json = { [pieces[0] ?? 'k']: pieces }
        const value = redaction.redactValue(json)
        expect(redaction.redactValue(value)).toBe(value)
        expect(redaction.leaks(value)).toBe(0)
        const line = redaction.redact(JSON.stringify(json))
        if (!greedy) expect(JSON.parse(line)).toEqual(value)
      }),
      { numRuns: repeats({ few: 15, all: 300 }), seed: seedOf(1) },
    )
  })

  it('stays linear with texts made to be slow', async () => {
    const redaction = createRedaction([tokens])
    for (let i = 0; i < 300; i++) redaction.learn(planted(`v${i}`))
    const size = repeats({ few: 10_000, all: 50_000 })
    const bombs = [
      '\\"'.repeat(size * 3),
      `"${'\\'.repeat(size * 6 + 1)}`,
      '"\\n'.repeat(size),
      '\u001b[1;'.repeat(size),
      '\u001b]'.repeat(size * 3),
      '\n'.repeat(size * 6),
      planted('v1').slice(0, 8).repeat(size),
      '[redacted:'.repeat(size),
      '{"a":'.repeat(size),
      `${JSON.stringify(JSON.stringify(JSON.stringify('"\\'.repeat(size))))}`,
    ]
    // Linear, it is a tenth of a second; by the square, minutes.
    const limit = size / 15
    for (const [index, bomb] of bombs.entries())
      expect(await leastCpu(limit, () => redaction.redact(bomb)), `bomb ${index}`).toBeLessThan(limit)
  })
})

describe('redactValue', () => {
  it('returns unchanged parts as the same objects', () => {
    const redaction = createRedaction([tokens])
    const value = { keep: { deep: ['a', 1, null, { b: 'c' }] }, list: ['x', 'y'] }
    expect(redaction.redactValue(value)).toBe(value)
    const mixed = { ...value, token: [plain] }
    const clean = redaction.redactValue(mixed)
    expect(clean.token).toEqual(['[redacted:test-token]'])
    expect(clean.keep).toBe(mixed.keep)
    expect(clean.list).toBe(mixed.list)
    expect(mixed.token).toEqual([plain])
    expect(redaction.redactValue(7)).toBe(7)
    expect(redaction.redactValue(null)).toBe(null)
  })

  it('passes the key of a string, and replaces a common value only at its finding', () => {
    const redaction = createRedaction([passwords])
    const clean = redaction.redactValue({ env: { password: 'postgres' }, host: 'postgres' })
    expect(clean).toEqual({ env: { password: '[redacted:password]' }, host: 'postgres' })
  })

  it('redacts keys, keeps __proto__ keys as they are and two forms of one key apart', () => {
    const redaction = createRedaction([tokens])
    const coded = Buffer.from(plain).toString('base64')
    const value = JSON.parse(
      `{"__proto__": {"polluted": "${plain}"}, "${plain}": 1, "${coded}": 2, "constructor": "x"}`,
    )
    const clean = redaction.redactValue(value)
    expect(JSON.stringify(clean)).toBe(
      '{"__proto__":{"polluted":"[redacted:test-token]"},"[redacted:test-token]":1,"[redacted:test-token]~2":2,"constructor":"x"}',
    )
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    expect(Object.getPrototypeOf(clean)).toBe(Object.prototype)
  })

  it('goes 200 levels deep', () => {
    let value: unknown = plain
    for (let depth = 0; depth < 200; depth++) value = depth % 2 ? [value] : { a: value }
    const text = JSON.stringify(createRedaction([tokens]).redactValue(value))
    expect(text).toContain('[redacted:test-token]')
    expect(text).not.toContain(plain)
  })
})

describe('redact JSON', () => {
  it('changes only the strings concerned', () => {
    const redaction = createRedaction([tokens])
    const line = `{ "n": 12345678901234567890, "a":"\\u0041\\/", "a" : 1.0, "t": "x\\n${plain}" }`
    expect(redaction.redact(line)).toBe(line.replace(`x\\n${plain}`, 'x\\n[redacted:test-token]'))
    const clean = '{"a": "\\u0041"}'
    expect(redaction.redact(clean)).toBe(clean)
  })

  it('turns numbers that are secrets into strings', () => {
    const redaction = createRedaction([passwords])
    expect(redaction.redact('{"a": "x", "password": 83920174, "n": 1}')).toBe(
      '{"a": "x", "password": "[redacted:password]", "n": 1}',
    )
    redaction.learn('password=839201745512345')
    expect(redaction.redact('[{"a": 839201745512345}, 1]')).toBe('[{"a": "[redacted:password:2]"}, 1]')
  })

  it('accepts long lists of numbers', () => {
    const list = `{"vector": [${'1.25e-3, '.repeat(1_000_000)}1], "t": "${plain}"}`
    expect(createRedaction([tokens]).redact(list).endsWith('1], "t": "[redacted:test-token]"}')).toBe(true)
  })

  it('treats invalid JSON as text', () => {
    const redaction = createRedaction([passwords])
    for (const text of ['[INFO] password=abc99 "x"', '{"a": "password=abc99', '[1] password=abc99'])
      expect(redaction.redact(text)).toBe(text.replace('abc99', '[redacted:password]'))
  })
})

describe('the growth of a redaction', () => {
  it('shows in count, learned and hits', () => {
    const redaction = createRedaction([tokens])
    expect([redaction.count, redaction.learned, redaction.hits]).toEqual([0, 0, 0])
    redaction.learn(plain)
    const { learned } = redaction
    expect(learned).toBeGreaterThan(0)
    redaction.learn(`again ${plain}`)
    expect(redaction.learned).toBe(learned)
    expect(redaction.hits).toBe(0)
    redaction.redact(`${plain} ${plain}`)
    expect(redaction.hits).toBe(2)
    expect(redaction.leaks([plain])).toBe(1)
    expect(redaction.hits).toBe(2)
    redaction.learn(planted('more'))
    expect(redaction.learned).toBeGreaterThan(learned)
    expect(redaction.count).toBe(2)
  })
})
