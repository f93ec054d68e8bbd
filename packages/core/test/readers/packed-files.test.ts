import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defaultReaders } from '../../src/readers/default-readers.ts'
import { findLogs } from '../../src/readers/find/find-logs.ts'
import { logsOfFolder } from '../../src/readers/open-log.ts'
import { readSession } from '../../src/readers/read-session.ts'
import type { Reader } from '../../src/readers/reader/reader.ts'
import type { Session } from '../../src/session/session.ts'
import { families } from './samples.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenfold-packed-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** All of a session but the names, sizes and digests of its files. */
function contentOf({ events, agents, usage, cwd, title, models, notes }: Session): unknown {
  const unpacked = notes.map((note) => ({ ...note, file: note.file?.replace('.gz', '') }))
  return { events, agents, usage, cwd, title, models, notes: unpacked }
}

const namesOf = ({ source }: Session): string[] => source.files.map(({ name }) => name)

/** Packs each file below a folder, and keeps the unpacked ones only if it is said. */
async function pack(place: string, keep: boolean): Promise<void> {
  for (const entry of await readdir(place, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isFile()) continue
    await writeFile(`${path}.gz`, gzipSync(await readFile(path)))
    if (!keep) await rm(path)
  }
}

describe('the files of a session', () => {
  it.each(families.filter(({ isKnown }) => isKnown))(
    'are found in their folder: $reader',
    async ({ reader, folder: home, log }) => {
      const readers = defaultReaders.filter(({ name }) => name === reader)
      expect(await logsOfFolder(home, readers)).toEqual([join(home, log)])
    },
  )

  // A trajectory names its own files.
  const others = families.filter(({ reader }) => reader !== 'atif')
  it.each(others)('are read with its log, packed like unpacked ones: $reader', async (family) => {
    const place = (name: string): string => join(folder, family.reader, basename(family.folder), name)
    for (const name of ['packed', 'both']) {
      await cp(family.folder, place(name), { recursive: true })
      await pack(place(name), name === 'both')
    }
    const plain = await readSession(join(family.folder, family.log))
    const packed = await readSession(`${join(place('packed'), family.log)}.gz`)
    expect(namesOf(packed)).toEqual(namesOf(plain).map((name) => `${name}.gz`))
    expect(contentOf(packed)).toEqual(contentOf(plain))
    expect(namesOf(await readSession(join(place('both'), family.log)))).toEqual(namesOf(plain))
  })
})

describe('a packed database', () => {
  const reader: Reader = {
    ...{ name: 'notes', framing: 'rows', tables: ['note'] },
    detect: ({ tables }) => (tables?.note === undefined ? 0 : 1),
    async read(records, out) {
      for await (const { value } of records)
        out.event({ type: 'user', text: JSON.stringify(value), origin: 'typed' })
    },
  }
  const readers = [reader]
  const source = (name: string): URL => new URL(`../support/database/${name}`, import.meta.url)
  let place: string
  beforeAll(async () => {
    place = join(folder, 'database')
    await mkdir(place)
    for (const name of ['notes.db', 'notes.db-wal'])
      await writeFile(join(place, `${name}.gz`), gzipSync(await readFile(source(name))))
  })

  it('is read with its packed write-ahead log, which is no log of its own', async () => {
    const session = await readSession(join(place, 'notes.db.gz'), { readers })
    expect(session.source.files.map(({ name }) => name)).toEqual(['notes.db.gz', 'notes.db-wal.gz'])
    expect(session.events).toHaveLength(2)
    const { companions, skipped } = await findLogs(place, { readers })
    expect(companions).toEqual([
      { path: join(place, 'notes.db-wal.gz'), log: join(place, 'notes.db.gz'), kind: 'around' },
    ])
    expect(skipped).toEqual([])
  })

  it('is read without the write-ahead log of the unpacked one, which may be newer', async () => {
    const copy = join(folder, 'copy')
    await mkdir(copy)
    await copyFile(join(place, 'notes.db.gz'), join(copy, 'notes.db.gz'))
    await copyFile(source('notes.db-wal'), join(copy, 'notes.db-wal'))
    const session = await readSession(join(copy, 'notes.db.gz'), { readers })
    expect(session.source.files.map(({ name }) => name)).toEqual(['notes.db.gz'])
    expect(session.events).toHaveLength(1)
  })
})
