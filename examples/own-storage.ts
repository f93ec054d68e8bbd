// Plugs in your own store, here a SQL table behind the few statements it needs, and proves it with the conformance
// suite.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { bundleStore, compressLog, type Storage, StorageConflictError } from '@tenfold/core'
import { assertStorageKey } from '@tenfold/core/storage'
import { storageCases } from '@tenfold/core/testing'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'

interface Row {
  readonly key: string
  readonly bytes: Uint8Array
  readonly etag: string
}

/** The database that the storage needs. Each call is one statement, so it happens at once or not at all. */
interface Table {
  /** SELECT … WHERE key = ? */
  select(key: string): Promise<Row | undefined>
  /** SELECT … WHERE key > after AND key LIKE 'prefix%' ORDER BY key LIMIT 100, by the bytes of the key */
  page(prefix: string, after: string): Promise<readonly Row[]>
  /** INSERT … ON CONFLICT DO NOTHING; false if the key is taken. */
  insert(row: Row): Promise<boolean>
  /** UPDATE … WHERE key = ? AND etag = ?; false if no row matches. */
  update(row: Row, etag: string): Promise<boolean>
  /** INSERT … ON CONFLICT DO UPDATE */
  upsert(row: Row): Promise<void>
  remove(key: string): Promise<void>
}

function tableStorage(table: Table): Storage {
  return {
    name: 'table',
    async get(key) {
      assertStorageKey(key)
      const row = await table.select(key)
      return row && { bytes: Uint8Array.from(row.bytes), etag: row.etag }
    },
    async put(key, bytes, { ifAbsent, ifMatch } = {}) {
      assertStorageKey(key)
      const copy = Uint8Array.from(bytes)
      const row = { key, bytes: copy, etag: createHash('sha256').update(copy).digest('hex') }
      if (ifAbsent === true) {
        if (!(await table.insert(row))) throw new StorageConflictError(key, `${key} exists already`)
      } else if (ifMatch !== undefined) {
        if (!(await table.update(row, ifMatch)))
          throw new StorageConflictError(key, `${key} was changed meanwhile`)
      } else await table.upsert(row)
      return { etag: row.etag }
    },
    async *list(prefix, { after = '' } = {}) {
      for (let last = after; ; ) {
        const rows = await table.page(prefix, last)
        for (const { key, bytes } of rows) yield { key, size: bytes.byteLength }
        const end = rows.at(-1)
        if (end === undefined) return
        last = end.key
      }
    },
    async delete(key) {
      assertStorageKey(key)
      await table.remove(key)
    },
  }
}

/** Takes the place of a database. */
function standIn(): Table {
  const rows = new Map<string, Row>()
  return {
    select: async (key) => rows.get(key),
    page: async (prefix, after) =>
      [...rows.values()]
        .filter(
          ({ key }) => key.startsWith(prefix) && Buffer.compare(Buffer.from(key), Buffer.from(after)) > 0,
        )
        .sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)))
        .slice(0, 100),
    async insert(row) {
      if (rows.has(row.key)) return false
      rows.set(row.key, row)
      return true
    },
    async update(row, etag) {
      if (rows.get(row.key)?.etag !== etag) return false
      rows.set(row.key, row)
      return true
    },
    upsert: async (row) => void rows.set(row.key, row),
    remove: async (key) => void rows.delete(key),
  }
}

// The suite is data for any test runner: `for (const { name, run } of storageCases) it(name, () => run(makeStorage))`.
for (const { run } of storageCases) await run(async () => tableStorage(standIn()))
console.log(`the table obeys all ${storageCases.length} laws of a storage`)

const [log = fileURLToPath(new URL('../logs/claude-code-rate-limiter.jsonl', import.meta.url))] =
  process.argv.slice(2)
const store = bundleStore(tableStorage(standIn()))
await compressLog(log, { summarizer: extractiveSummarizer(), store, track: 'first' })
await compressLog(log, { summarizer: extractiveSummarizer(), store, track: 'second' })
const entries = await store.list()
console.log(entries.map(({ track, ratio }) => `${track}: ${(ratio * 100).toFixed(2)} %`).join('\n'))

assert.deepEqual(await store.tracks(), ['first', 'second'])
assert.equal(entries.length, 2)
