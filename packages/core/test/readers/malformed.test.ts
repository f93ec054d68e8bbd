import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { readSession } from '../../src/readers/read-session.ts'
import { jsonl, log } from './claude-code-log.ts'
import { accounted } from './events.ts'

const { user, call, result } = log()
const three = [
  user('fix the bug'),
  call('c1', 'Bash', { command: 'npm test' }),
  result('c1', '1 failed', { is_error: true }),
]
const lines = three.map((record) => JSON.stringify(record))
const good = `${lines.join('\n')}\n`

interface Case {
  readonly name: string
  readonly bytes: Uint8Array
  readonly events?: number
  readonly notes?: readonly string[]
}

/** Its value throws if it is made a string. */
const odd = '{"type":{"toString":1}}'

const deep = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`

const cases: readonly Case[] = [
  { name: 'a good log', bytes: Buffer.from(good), events: 3 },
  { name: 'no final newline', bytes: Buffer.from(good.trimEnd()), events: 3 },
  { name: 'a byte order mark', bytes: Buffer.from(`\ufeff${good}`), events: 3 },
  { name: 'CRLF', bytes: Buffer.from(good.replaceAll('\n', '\r\n')), events: 3 },
  { name: 'blank lines', bytes: Buffer.from(good.replaceAll('\n', '\n \n\n')), events: 3 },
  { name: 'UTF-16 LE', bytes: Buffer.from(`\ufeff${good}`, 'utf16le'), events: 3, notes: ['recoded'] },
  {
    name: 'UTF-16 BE',
    bytes: Buffer.from(`\ufeff${good}`, 'utf16le').swap16(),
    events: 3,
    notes: ['recoded'],
  },
  {
    name: 'NUL bytes in a line',
    bytes: Buffer.from(`${lines[0]}\0\0\n${lines[1]}\n`),
    events: 2,
    notes: ['nul-bytes'],
  },
  {
    name: 'a tail of NUL bytes',
    bytes: Buffer.from(`${good}${'\0'.repeat(4096)}`),
    events: 3,
    notes: ['nul-bytes'],
  },
  {
    name: 'invalid UTF-8',
    bytes: Buffer.concat([Buffer.from(good), Buffer.from([0x22, 0xff, 0xfe, 0x22, 10])]),
    events: 4,
    notes: ['invalid-utf8'],
  },
  { name: 'a lone surrogate', bytes: Buffer.from(`${JSON.stringify(log().user('\ud800'))}\n`), events: 1 },
  {
    name: 'U+2028 in a string',
    bytes: Buffer.from(`${JSON.stringify(log().user('a\u2028b'))}\n`),
    events: 1,
  },
  { name: 'glued records', bytes: Buffer.from(lines.join('')), events: 3, notes: ['glued-records'] },
  { name: 'a truncated tail', bytes: Buffer.from(good.slice(0, -30)), events: 2, notes: ['truncated-tail'] },
  {
    name: 'a good record before a truncated one on the same line',
    bytes: Buffer.from(`${lines[0]}${lines[1]?.slice(0, 50)}`),
    events: 1,
    notes: ['truncated-tail'],
  },
  {
    name: 'garbage between',
    bytes: Buffer.from(`${lines[0]}\n<<<<<<< HEAD\n{"half":\n${lines[1]}\n}}\n${lines[2]}\n`),
    events: 3,
    notes: ['bad-line', 'bad-line', 'bad-line'],
  },
  { name: 'scalars', bytes: Buffer.from(`1\n"x"\nnull\ntrue\n[]\n{}\n${good}`), events: 9 },
  { name: 'a document on one line', bytes: Buffer.from(JSON.stringify(three)), events: 3 },
  { name: 'a pretty-printed document', bytes: Buffer.from(JSON.stringify(three, null, 2)), events: 3 },
  {
    name: 'deep nesting',
    bytes: Buffer.from(`${lines[0]}\n{"type":"user","message":${deep(20_000)}}\n`),
    events: 1,
    notes: ['too-deep'],
  },
  {
    name: 'deep nesting in a long line, after brackets in a string',
    bytes: Buffer.from(
      `${lines[0]}\n{"type":"user","text":"[\\"[\\\\","message":${deep(200_000)}}\n${lines[1]}\n`,
    ),
    events: 2,
    notes: ['too-deep'],
  },
  {
    name: 'many brackets in the strings of a long line',
    bytes: Buffer.from(
      `${JSON.stringify({ type: 'new', text: `${'[{"'.repeat(60_000)}\\` })}\n${lines[0]}\n`,
    ),
    events: 2,
  },
  { name: 'nesting that is deep enough', bytes: Buffer.from(`${lines[0]}\n${deep(150)}\n`), events: 2 },
  {
    name: 'many brackets, no depth',
    bytes: Buffer.from(`${lines[0]}\n${JSON.stringify({ type: 'new', list: Array(500).fill({}) })}\n`),
    events: 2,
  },
  {
    name: 'keys of Object.prototype',
    bytes: Buffer.from(`{"__proto__":{"polluted":1},"constructor":{"prototype":{}},${lines[0]?.slice(1)}\n`),
    events: 1,
  },
  { name: 'duplicate keys', bytes: Buffer.from(`{"type":"system",${lines[0]?.slice(1)}\n`), events: 1 },
  { name: 'gzip', bytes: gzipSync(good), events: 3 },
  {
    name: 'gzip that breaks off',
    bytes: gzipSync(good.repeat(20)).subarray(0, -12),
    notes: ['broken-archive', 'truncated-tail'],
  },
  {
    name: 'null content',
    bytes: jsonl([log().user(null), { ...call('c2', 'Read'), message: null }]),
    events: 2,
  },
  {
    name: 'kinds that have no text form',
    bytes: Buffer.from(
      `${odd}\n{"session_id":"s",${odd.slice(1)}\n${good}{"type":"system","subtype":${odd},${lines[0]?.slice(1).replace('"type"', '"was"')}\n`,
    ),
    events: 6,
  },
  {
    name: 'content of all types',
    bytes: jsonl([log().user([[['x']], { type: 'text' }, null, 5])]),
    events: 4,
  },
]

describe('malformed logs', () => {
  for (const { name, bytes, events, notes = [] } of cases) {
    it(`are read: ${name}`, async () => {
      const session = await readSession(bytes)
      if (events !== undefined) expect(session.events).toHaveLength(events)
      expect(session.notes.map((note) => note.code)).toEqual(notes)
      const { account } = session.source
      expect(accounted(account)).toBe(account.lines)
      expect(session.source.files.reduce((sum, file) => sum + file.lines, 0)).toBe(account.lines)
      expect(session.events.map((event) => event.id)).toEqual(
        session.events.map((_, index) => `e${index + 1}`),
      )
    })
  }

  for (const [name, text, code, why] of [
    ['an empty log', '', 'log-empty', 'is empty'],
    ['white space', ' \n\t\n', 'log-empty', 'is empty'],
    ['NUL bytes only', '\0\0\0', 'log-empty', 'is empty'],
    ['HTML', '<html><body>404</body></html>', 'unknown-format', 'it is text without JSON'],
    ['half of a JSON document', '{"a":{"b":', 'unknown-format', 'its JSON is broken or cut off'],
    ['a picture', '\u0089PNG\r\n\0\0\0\r', 'unknown-format', 'it is binary'],
    ['other JSON', '{"a":1}\n', 'unknown-format', 'none that a known agent writes'],
    ['keys in another case', '{"Type":"user","Message":{"Role":"user"}}\n', 'unknown-format', 'none that'],
  ] as const) {
    it(`are refused: ${name}`, async () => {
      const refused = { name: 'LogReadError', code, message: expect.stringContaining(why) }
      await expect(readSession(Buffer.from(text))).rejects.toMatchObject(refused)
    })
  }

  it('are refused if they only look like gzip', async () => {
    const bytes = Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    await expect(readSession(bytes)).rejects.toMatchObject({ code: 'log-unreadable' })
  })

  it('do not pollute prototypes', async () => {
    await readSession(Buffer.from(`{"__proto__":{"polluted":1},${lines[0]?.slice(1)}\n`))
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  it('have the first twenty notes of a code kept and the rest counted', async () => {
    const session = await readSession(Buffer.from(`${good}${'not json\n'.repeat(50)}`))
    expect(session.notes).toHaveLength(21)
    expect(session.notes.at(-1)).toMatchObject({ code: 'bad-line', line: 24, count: 30 })
    expect(session.source.account.notes).toBe(50)
  })

  it('put no control characters of a bad line into a note', async () => {
    const session = await readSession(Buffer.from(`${good}\u001b[31m{"bad\u0007\n`))
    expect(session.notes[0]?.message).toBe('not JSON: {"bad')
  })

  it('have a bad line quoted up to the end of a word, so that no half of a secret is left', async () => {
    const secret = 'k3'.repeat(30)
    const session = await readSession(Buffer.from(`${good}{"type": "user", "token": "${secret}", and more\n`))
    expect(session.notes[0]?.message).toBe('not JSON: {"type": "user", "token": "…')
    const long = await readSession(Buffer.from(`${good}{${'x'.repeat(200)}\n`))
    expect(long.notes[0]?.message).toBe('not JSON: …')
  })
})
