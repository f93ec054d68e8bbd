import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listSessions, readSession } from '../../src/readers/read-session.ts'
import { chooseSession } from '../../src/readers/reader/choose-session.ts'
import {
  defineReader,
  type LogRecord,
  type Reader,
  type SessionListing,
} from '../../src/readers/reader/reader.ts'

interface Said {
  readonly session: string
  readonly text: string
}

const listing = async (records: AsyncIterable<LogRecord>): Promise<SessionListing[]> => {
  const ids = new Set<string>()
  for await (const { value } of records) ids.add((value as Said).session)
  return [...ids].map((id) => ({ id }))
}

/** Lines of several sessions in one file; a folder `talks` is a store of such files. */
const talks: Reader = defineReader({
  name: 'talks',
  detect: ({ records }) => (typeof (records[0] as Partial<Said> | undefined)?.session === 'string' ? 1 : 0),
  sessions: listing,
  async logsInFolder(folder) {
    if (!folder.endsWith('talks')) return []
    return (await readdir(folder)).sort().map((name) => join(folder, name))
  },
  async read(records, out) {
    const said: Said[] = []
    for await (const { value } of records) {
      said.push(value as Said)
      out.absorb('held until the end')
    }
    const chosen = chooseSession(
      [...new Set(said.map(({ session }) => session))].map((id) => ({ id })),
      out,
    )
    for (const { session, text } of said)
      if (session === chosen?.id) out.event({ type: 'user', origin: 'typed', text })
  },
})

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenfold-places-'))
  await mkdir(join(folder, 'talks'))
  const lines = ['a', 'b', 'c'].map((session) => JSON.stringify({ session, text: `said in ${session}` }))
  await writeFile(join(folder, 'talks/one.jsonl'), lines.join('\n'))
})
afterEach(() => rm(folder, { recursive: true }))

const at = (name: string): string => join(folder, name)
const read = async (log: string): Promise<string[]> => {
  const { events, notes } = await readSession(log, { readers: [talks] })
  return [
    ...events.map((event) => (event.type === 'user' ? event.text : event.type)),
    ...notes.map(({ code }) => code),
  ]
}

describe('a log of several sessions', () => {
  it('gives the last session and names the others, or gives the requested one', async () => {
    expect(await read(at('talks/one.jsonl'))).toEqual(['said in c', 'other-sessions'])
    expect(await read(at('talks/one.jsonl#a'))).toEqual(['said in a'])
    await expect(read(at('talks/one.jsonl#z'))).rejects.toMatchObject({
      code: 'session-missing',
      message: 'one.jsonl has no session z; it has a, b, c.',
    })
  })

  it('lists its sessions', async () => {
    expect(await listSessions(at('talks/one.jsonl'), { readers: [talks] })).toEqual([
      { id: 'a' },
      { id: 'b' },
      { id: 'c' },
    ])
    const { sessions: _, ...single } = talks
    expect(await listSessions(at('talks/one.jsonl'), { readers: [single] })).toBeUndefined()
    await expect(readSession(at('talks/one.jsonl#a'), { readers: [single] })).rejects.toMatchObject({
      code: 'session-missing',
    })
  })

  it('may have # in its name', async () => {
    await writeFile(at('talks/issue#7'), '{"session":"x","text":"seven"}')
    expect(await read(at('talks/issue#7'))).toEqual(['seven'])
    await expect(read(at('talks/none#7'))).rejects.toMatchObject({ code: 'log-missing' })
  })
})

describe('a folder', () => {
  it('is read as the log in it if a reader knows it', async () => {
    expect(await read(at('talks'))).toEqual(['said in c', 'other-sessions'])
    await writeFile(at('talks/two.jsonl'), '{"session":"x","text":"two"}')
    await expect(read(at('talks'))).rejects.toThrow('has 2 logs; give one of them: …, one.jsonl, two.jsonl.')
    expect(await read(at('talks#two'))).toEqual(['two'])
    await expect(read(at('talks#three'))).rejects.toMatchObject({ code: 'session-missing' })
    await expect(read(folder)).rejects.toThrow('is a folder; give one log file in it')
  })
})

describe('a parsed value', () => {
  const document: Reader = {
    name: 'document',
    framing: 'document',
    detect: ({ document: value }) => (Array.isArray(value) ? 1 : 0),
    async read(records, out) {
      for await (const { value } of records) out.event({ type: 'other', name: 'all', raw: value })
    },
  }

  it('is read like the file that holds its JSON', async () => {
    const parsed = [
      { text: 'hi', when: new Date(0) },
      { __proto__: null, x: 1 },
    ]
    const session = await readSession({ parsed }, { readers: [document] })
    expect(session.events[0]).toMatchObject({
      raw: [{ text: 'hi', when: '1970-01-01T00:00:00.000Z' }, { x: 1 }],
    })
    const same = await readSession(Buffer.from(JSON.stringify(parsed)), { readers: [document] })
    expect(session.source.sha256).toBe(same.source.sha256)
  })

  it('is refused with a reason if it has no JSON', async () => {
    const loop: unknown[] = []
    loop.push(loop)
    for (const parsed of [loop, undefined, [1n]])
      await expect(readSession({ parsed }, { readers: [document] })).rejects.toThrow(
        'cannot be written as JSON',
      )
  })
})

describe('defineReader', () => {
  it('reports mistakes of plain JavaScript', () => {
    const { name: _, ...nameless } = talks
    expect(() => defineReader(nameless as Reader)).toThrow('needs a name')
    expect(() => defineReader({ ...talks, framing: 'xml' as 'lines' })).toThrow('the framing "xml"')
    expect(() => defineReader({ ...talks, read: undefined as unknown as Reader['read'] })).toThrow(
      'function read',
    )
  })
})
