import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { createRedaction, type Redaction } from '@tenfold/redact'
import { describe, expect, it } from 'vitest'
import { formsLeft, passwords, planted, tokens } from '../../../redact/test/planted.ts'
import { openLog } from '../../src/readers/open-log.ts'
import { readSession } from '../../src/readers/read-session.ts'
import { throughLines } from '../../src/redact/redact-lines.ts'
import { logDigest } from '../../src/session/log-digest.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import { redactLog } from '../../src/store/archive/archivable-log.ts'
import { bundleStore } from '../../src/store/bundle-store.ts'
import { keysOf } from '../support/stored.ts'

const value = planted('log')
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

interface Archived {
  readonly files: Map<string, Buffer>
  readonly redacted: number
  readonly originals: readonly string[] | undefined
  /** All bytes of the store, not unpacked. */
  readonly keys: string[]
}

/** Archives files as a redacted log, in blocks of `block` bytes, and reads them back. */
async function archive(
  files: Record<string, Uint8Array>,
  redaction: Redaction = createRedaction([tokens, passwords]),
  { storage = memoryStorage(), block = 97 } = {},
): Promise<Archived> {
  const log = {
    files: Object.entries(files).map(([name, bytes]) => ({
      name,
      async *blocks() {
        for (let at = 0; at < bytes.length; at += block) yield bytes.subarray(at, at + block)
      },
    })),
  }
  const infos = Object.entries(files).map(([name, bytes]) => ({
    name,
    bytes: bytes.length,
    sha256: sha256(bytes),
    lines: 1,
  }))
  const source = {
    files: infos,
    bytes: infos.reduce((sum, { bytes }) => sum + bytes, 0),
    sha256: logDigest(infos),
    images: 0,
    account: { lines: 1, events: 1, other: 0, notes: 0, blank: 0, absorbed: [] },
  }
  const store = bundleStore(storage)
  const { redacted, originals } = await store.archive(redactLog(log, redaction), source)
  const back = new Map<string, Buffer>()
  for await (const file of store.readArchive(source.sha256)) {
    const blocks: Uint8Array[] = []
    for await (const bytes of file.blocks()) blocks.push(bytes)
    back.set(file.name, Buffer.concat(blocks))
    expect(sha256(Buffer.concat(blocks))).toBe(file.sha256)
  }
  const keys = await keysOf(storage)
  return { files: back, redacted, originals, keys }
}

const text = (...lines: string[]): Buffer => Buffer.from(lines.join('\n'))

describe('redactLog', () => {
  it('writes UTF-8 for a letter that an ASCII line holds as an escape', async () => {
    const { files } = await archive({ log: text(`{"text":"caf\\u00e9 \\u4f60 ${value}"}`) })
    expect(files.get('log')?.toString('utf8')).toMatch(/^\{"text":"café 你 \[redacted:[a-z-]+\]"\}$/)
  })

  it('reads a log without secrets once more to pack it, byte by byte as it was', async () => {
    const redaction = createRedaction([tokens, passwords])
    const bytes = Buffer.concat([text('{"a":"b"}', 'no JSON', ''), Buffer.from([0xff, 0xfe, 0x0a])])
    const { files, redacted } = await archive({ log: bytes, packed: gzipSync(bytes) }, redaction)
    expect(redaction.isClean).toBe(true)
    expect(redacted).toBe(0)
    expect(files.get('log')).toEqual(bytes)
    expect(files.get('packed')).toEqual(gzipSync(bytes))
  })

  it('redacts JSON lines string by string, and keeps all other bytes', async () => {
    const lines = [
      '{"n": 1e3, "big": 12345678901234567890, "text": "caf\\u00e9 \\/ é", "a" : [ ] }',
      `{"type":"x","n":1.50,"text":"first\\n${value}","nested":"{\\"password\\":\\"abc\\\\\\"99\\"}"}\r`,
      '',
      `not JSON ${value}`,
      'not JSON either',
      `{"a":"${value}"}{"b":"glued"}`,
      '{"password": 55512345}',
      `{"cut": "${value}`,
    ]
    const { files, redacted } = await archive({ log: text(...lines) })
    const back = files.get('log')?.toString().split('\n') ?? []
    expect(back).toHaveLength(lines.length)
    expect(back[0]).toBe(lines[0])
    expect(back[1]).toMatch(/^\{"type":"x","n":1\.50,"text":"first\\n\[redacted:test-token\]","nested":/)
    expect(back[1]?.endsWith('\r')).toBe(true)
    expect(JSON.parse(JSON.parse(back[1] ?? '').nested).password).toMatch(/^\[redacted:password(:\d)?\]$/)
    expect(back[3]).toBe('not JSON [redacted:test-token]')
    expect(back[4]).toBe(lines[4])
    expect(back[5]).toBe('{"a":"[redacted:test-token]"}{"b":"glued"}')
    expect(back[6]).toMatch(/^\{"password": "\[redacted:password(:\d)?\]"\}$/)
    expect(back[7]).toBe('{"cut": "[redacted:test-token]')
    expect(formsLeft(back.join('\n'), value)).toEqual([])
    expect(redacted).toBeGreaterThan(5)
  })

  it('leaves a log without secrets byte for byte, in the same objects as without redaction', async () => {
    const odd = Buffer.concat([
      Buffer.from([0xef, 0xbb, 0xbf]),
      text('{"a": 1}', '', '\t', `{"a": "${'x'.repeat(5_000)}"`, 'no line end \\" "\\n"'),
      Buffer.from([0x0a, 0xff, 0xfe, 0x80, 0x00, 0x0d]),
    ])
    const files = { log: odd, empty: Buffer.alloc(0), packed: gzipSync(text('{"a": 1}')) }
    const plain = memoryStorage()
    const infos = Object.entries(files).map(([name, bytes]) => ({
      name,
      bytes: bytes.length,
      sha256: sha256(bytes),
      lines: 1,
    }))
    const source = { files: infos, bytes: 1, sha256: logDigest(infos) } as never
    const log = {
      files: Object.entries(files).map(([name, bytes]) => ({
        name,
        async *blocks() {
          yield bytes
        },
      })),
    }
    await bundleStore(plain).archive(log, source)
    const storage = memoryStorage()
    const { files: back, redacted } = await archive(files, undefined, { storage })
    expect(redacted).toBe(0)
    expect([...back]).toEqual(Object.entries(files))
    for await (const { key } of plain.list(''))
      expect(
        Buffer.compare((await storage.get(key))?.bytes ?? odd, (await plain.get(key))?.bytes ?? odd),
      ).toBe(0)
  })

  it('keeps bytes that are not UTF-8 next to a secret', async () => {
    const bytes = Buffer.concat([
      Buffer.from([0xff, 0x80]),
      text(` ${value} `),
      Buffer.from([0xc3, 0x0a, 0xe9]),
    ])
    const { files } = await archive({ log: bytes })
    expect(files.get('log')?.toString('latin1')).toBe('\u00ff\u0080 [redacted:test-token] \u00c3\n\u00e9')
  })

  it('keeps the number of lines of a document, and of a key of many lines in a text', async () => {
    const document = JSON.stringify(
      { messages: [{ text: `a\n${value}`, env: { password: 'abc99' } }] },
      null,
      2,
    )
    const { files } = await archive({ doc: Buffer.from(document) })
    const clean = files.get('doc')?.toString() ?? ''
    expect(clean.split('\n')).toHaveLength(document.split('\n').length)
    expect(JSON.parse(clean)).toEqual({
      messages: [{ text: 'a\n[redacted:test-token]', env: { password: '[redacted:password]' } }],
    })
    const wrapped = [
      '# chat',
      `> ${value.slice(0, 14)}`,
      `  ${value.slice(14)} was it`,
      `said ${value}`,
      'end',
    ]
    const chat = await archive({ chat: text(...wrapped) })
    expect(chat.files.get('chat')?.toString()).toBe(
      '# chat\n> [redacted:test-token]\n was it\nsaid [redacted:test-token]\nend',
    )
  })

  it('replaces from the first line of the first file what is found in the last line of the last', async () => {
    const coded = Buffer.from(`u:${value}`).toString('base64')
    const { files } = await archive({
      main: text(`{"auth":"${coded}"}`, '{"clean": true}'),
      'sub.jsonl': text('{"a": 1}', `{"text":"${value}"}`),
      clean: text('{"a": 1}'),
    })
    expect(formsLeft([...files.values()].join('\n'), value)).toEqual([])
    expect(files.get('main')?.toString()).toMatch(/"auth":"dTp?\[redacted:test-token\].{0,2}"/)
    expect(files.get('clean')?.toString()).toBe('{"a": 1}')
  })

  it('archives a packed log unpacked if it holds secrets', async () => {
    const packed = gzipSync(text(`{"text":"${value}"}`, '{"a":1}'))
    const { files, keys } = await archive({ 'log.jsonl.gz': packed }, undefined, { block: 7 })
    expect([...files.keys()]).toEqual(['log.jsonl'])
    expect(files.get('log.jsonl')?.toString()).toBe('{"text":"[redacted:test-token]"}\n{"a":1}')
    expect(keys).not.toContain(`archive/${sha256(packed).slice(0, 2)}/${sha256(packed)}.br`)
    const clean = gzipSync(text('{"a":1}'))
    expect((await archive({ 'log.jsonl.gz': clean })).files.get('log.jsonl.gz')).toEqual(clean)
    const broken = packed.subarray(0, packed.length - 9)
    const rest = await archive({ 'log.jsonl.gz': broken }, undefined, { block: 7 })
    expect(rest.files.get('log.jsonl')?.toString()).toContain('[redacted:test-token]')
  })

  it('redacts names of files', async () => {
    const { files } = await archive({ [`${value}.jsonl`]: text('{"a":1}'), b: text(value) })
    expect([...files.keys()]).toEqual(['[redacted:test-token].jsonl', 'b'])
  })

  it('leaves the session the same whether the log is read before or after', async () => {
    const lines = [
      {
        type: 'user',
        message: { role: 'user', content: `my token is ${value}` },
        uuid: 'u1',
        sessionId: 's',
      },
      {
        type: 'assistant',
        message: { role: 'assistant', content: [{ type: 'text', text: 'ok' }] },
        uuid: 'u2',
      },
    ].map((line) => JSON.stringify({ timestamp: '2026-01-01T00:00:00.000Z', ...line }))
    const { files } = await archive({ 'log.jsonl': text(...lines) })
    const before = await readSession(await openLog(text(...lines)), { format: 'claude-code' })
    const after = await readSession(await openLog(files.get('log.jsonl') ?? text('')), {
      format: 'claude-code',
    })
    expect(after.events.map(({ id, source }) => [id, source])).toEqual(
      before.events.map(({ id, source }) => [id, source]),
    )
    expect(after.events[0]).toMatchObject({ text: 'my token is [redacted:test-token]' })
  })
})

describe('throughLines', () => {
  it('gives the same bytes for any size of blocks, in one step per JSON line', async () => {
    const bytes = text('{"a":1}', 'x', 'y', '', '{"b":2}', '[', '  1', ']', 'tail')
    for (const size of [1, 2, 3, 7, 1_000]) {
      const steps: string[] = []
      const blocks = (async function* () {
        for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
      })()
      const out: Uint8Array[] = []
      for await (const part of throughLines(blocks, (piece) => {
        steps.push(piece)
        return piece.toUpperCase()
      }))
        out.push(part)
      expect(Buffer.concat(out).toString()).toBe(bytes.toString().toUpperCase())
      expect(steps).toEqual(['{"a":1}\n', 'x\ny\n\n', '{"b":2}\n', '[\n  1\n]\ntail'])
    }
  })

  it('cuts a line that no reader takes into pieces, the same for any size of blocks', async () => {
    const words = `{"text":"${`one ${planted('long')}, `.repeat(1_700_000)}"}`
    const bytes = text('{"a":1}', words, '{"b":2}')
    expect(words.length).toBeGreaterThan(64 * 1024 * 1024)
    const found: string[][] = []
    for (const size of [60_000, bytes.length]) {
      const steps: string[] = []
      const blocks = (async function* () {
        for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
      })()
      const hash = createHash('sha256')
      for await (const part of throughLines(blocks, (piece) => {
        steps.push(`${piece.length} ${sha256(Buffer.from(piece))}`)
        expect(piece.length).toBeLessThanOrEqual(8 * 1024 * 1024)
        expect(piece.split(planted('long')).length).toBeGreaterThan(piece.length > 100 ? 100_000 : 0)
        expect(piece).toMatch(/^(?:one|tok_|[{,"]| )/)
        return piece
      }))
        hash.update(part)
      expect(hash.digest('hex')).toBe(sha256(bytes))
      found.push(steps)
    }
    expect(found[0]).toHaveLength(11)
    expect(found[1]).toEqual(found[0])
  })
})
