import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import type { Session } from '../../src/session/session.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import type { ArchivableLog } from '../../src/store/archive/archive-log.ts'
import { type BundleStore, bundleStore } from '../../src/store/bundle-store.ts'
import { archiveFileKey } from '../../src/store/keys.ts'
import { rememberArchives } from '../../src/threads/log-worker.ts'

const text = '{"n":1}\n{"n":2}\n'
const digest = createHash('sha256').update(text).digest('hex')
const file = { name: 'two-sessions.jsonl', bytes: text.length, sha256: digest, lines: 2 }
const source = { sha256: digest, bytes: text.length, files: [file] } as unknown as Session['source']

let packed = 0
const log: ArchivableLog = {
  files: [
    {
      name: file.name,
      async *blocks() {
        packed++
        yield new TextEncoder().encode(text)
      },
    },
  ],
}

function storeOf(storage = memoryStorage()): BundleStore {
  return bundleStore(storage)
}

it('a log with many sessions is packed once, for each request and store', async () => {
  packed = 0
  const store = rememberArchives(storeOf(), 'a')
  const first = await store.archive(log, source)
  expect(await store.archive(log, source)).toEqual(first)
  expect(packed).toBe(1)
  await rememberArchives(storeOf(), 'b').archive(log, source)
  expect(packed).toBe(2)
})

it('a log is archived again if the store lost it', async () => {
  packed = 0
  const storage = memoryStorage()
  const store = rememberArchives(storeOf(storage), 'c')
  const first = await store.archive(log, source)
  await storage.delete(archiveFileKey(digest))
  expect(await store.archive(log, source)).toEqual(first)
  expect(packed).toBe(2)
  expect(await storage.get(archiveFileKey(digest))).toBeDefined()
})

it('each session of a database is archived', async () => {
  let asked = 0
  const inner = storeOf()
  const counting: BundleStore = {
    ...inner,
    archive(...given) {
      asked++
      return inner.archive(...given)
    },
  }
  const store = rememberArchives(counting, 'd')
  for (const session of [{ ...log, source }, { ...log, source }, log, log])
    await store.archive(session, source)
  expect(asked).toBe(3)
})
