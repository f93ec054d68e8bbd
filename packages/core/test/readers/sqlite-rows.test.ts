import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readSession } from '../../src/readers/read-session.ts'
import type { LogRow, Reader } from '../../src/readers/reader/reader.ts'
import type { Session } from '../../src/session/session.ts'

// `notes.db` was written by SQLite 3.40 in WAL mode: one row in the database itself, the rest in its write-ahead log.
const database = new URL('../support/database/', import.meta.url)

const reader: Reader = {
  name: 'notes',
  framing: 'rows',
  tables: ['note'],
  detect: ({ tables }) => (tables?.note?.join() === 'id,body' ? 1 : 0),
  async read(records, out) {
    for await (const { value } of records) {
      const { row } = value as LogRow
      out.event({ type: 'user', origin: 'typed', text: String(row.body) })
    }
  },
}

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenfold-sqlite-'))
  await copyFile(new URL('notes.db', database), join(folder, 'notes.db'))
})
afterEach(() => rm(folder, { recursive: true }))

const path = (name = 'notes.db'): string => join(folder, name)
const read = (log: string | Uint8Array): Promise<Session> => readSession(log, { readers: [reader] })
const texts = ({ events }: Session): string[] =>
  events.map((event) => (event.type === 'user' ? event.text : event.type))
const wal = (): Promise<Buffer> => readFile(new URL('notes.db-wal', database))

describe('a database', () => {
  it('returns its rows, and those of its write-ahead log', async () => {
    expect(texts(await read(path()))).toEqual(['first'])
    await writeFile(path('notes.db-wal'), await wal())
    const session = await read(path())
    expect(texts(session)).toEqual(['first, changed', 'second, in the write-ahead log'])
    expect(session.source.files.map(({ name, lines }) => [name, lines])).toEqual([
      ['notes.db', 3],
      ['notes.db-wal', 1],
    ])
    expect(session.source.account).toMatchObject({ lines: 4, events: 2 })
    expect(session.source.account.absorbed).toContainEqual(['table token', 1])
    expect(JSON.stringify(session)).not.toContain('sesame')
  })

  it('uses only committed and intact frames of a write-ahead log', async () => {
    const whole = await wal()
    const frame = 24 + 512
    await writeFile(path('notes.db-wal'), whole.subarray(0, whole.length - 1))
    expect(texts(await read(path()))).toEqual(['first', 'second, in the write-ahead log'])
    const changed = Buffer.from(whole)
    changed.writeUInt8((changed[whole.length - frame + 100] ?? 0) ^ 1, whole.length - frame + 100)
    await writeFile(path('notes.db-wal'), changed)
    expect(texts(await read(path()))).toEqual(['first', 'second, in the write-ahead log'])
    await writeFile(path('notes.db-wal'), Buffer.concat([Buffer.from('no log'), whole]))
    expect(texts(await read(path()))).toEqual(['first'])
  })

  it('is read from bytes and packed', async () => {
    const bytes = await readFile(path())
    expect(texts(await read(bytes))).toEqual(['first'])
    expect(texts(await read(gzipSync(bytes)))).toEqual(['first'])
  })

  it('is refused with a reason if it is damaged, and never hangs', async () => {
    const bytes = await readFile(path())
    for (let at = 16; at < bytes.length; at += 7) {
      const damaged = Buffer.from(bytes)
      damaged.fill(0xff, at, at + 5)
      await read(damaged).then(
        ({ source }) => {
          const { lines, events, notes, absorbed } = source.account
          expect(events + notes + absorbed.reduce((sum, [, count]) => sum + count, 0)).toBe(lines)
        },
        (error) =>
          expect(error).toMatchObject({ code: expect.stringMatching(/^(log-unreadable|unknown-format)$/) }),
      )
    }
    await expect(read(bytes.subarray(0, 20))).rejects.toMatchObject({ code: 'log-unreadable' })
  })
})
