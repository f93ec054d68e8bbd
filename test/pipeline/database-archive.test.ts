import { readFile, writeFile } from 'node:fs/promises'
import { brotliDecompressSync } from 'node:zlib'
import { bundleStore, compressLog, memoryStorage } from '@tenfold/core'
import { readArchivedSession, verifyStore } from '@tenfold/core/store'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import initSqlJs from 'sql.js'
import { beforeAll, describe, expect, it } from 'vitest'
import { keysOf } from '../../packages/core/test/support/stored.ts'
import { testFolder } from '../support/test-folder.ts'

const folder = testFolder('all')
beforeAll(async () => {
  await writeFile(folder('opencode.db'), await database())
})

/** Two sessions of OpenCode, one with a token in its words, next to the table of accounts. */
async function database(): Promise<Uint8Array> {
  const { Database } = await initSqlJs()
  const made = new Database()
  made.run(`CREATE TABLE account (id text, access_token text);
    CREATE TABLE session (id text, parent_id text, directory text, title text, version text, time_created integer);
    CREATE TABLE message (id text, session_id text, time_created integer, data text);
    CREATE TABLE part (id text, message_id text, session_id text, data text);
    INSERT INTO account VALUES ('1', 'sesame-of-the-account');`)
  for (const [id, text] of [
    ['ses_1', 'Round the totals of the cart.'],
    ['ses_2', 'Deploy with ghp_aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA1b2C please.'],
  ] as const) {
    const message = JSON.stringify({ role: 'user', time: { created: 1_770_000_000_000 } })
    made.run('INSERT INTO session VALUES (?, NULL, ?, ?, ?, ?)', [
      id,
      '/srv/shop',
      id,
      '1.2.0',
      1_770_000_000_000,
    ])
    made.run('INSERT INTO message VALUES (?, ?, ?, ?)', [`msg_${id}`, id, 1_770_000_000_000, message])
    const part = JSON.stringify({ type: 'text', text })
    made.run('INSERT INTO part VALUES (?, ?, ?, ?)', [`prt_${id}`, `msg_${id}`, id, part])
  }
  const bytes = made.export()
  made.close()
  return bytes
}

describe('a session from a database', () => {
  it('is archived by itself: no other session, no account, no secret', async () => {
    const storage = memoryStorage()
    const store = bundleStore(storage)
    const summarizer = extractiveSummarizer()
    const path = folder('opencode.db')
    const one = await compressLog(`${path}#ses_1`, { summarizer, store, track: 'one' })
    const two = await compressLog(`${path}#ses_2`, { summarizer, store, track: 'two' })
    expect(two.bundle.source.sha256).not.toBe(one.bundle.source.sha256)

    const archived = await keysOf(storage, 'archive/')
    const texts = await Promise.all(
      archived
        .filter((key) => key.endsWith('.br'))
        .map(async (key) => brotliDecompressSync((await storage.get(key))?.bytes ?? '').toString()),
    )
    expect(texts).toHaveLength(2)
    for (const text of texts) {
      expect(text).not.toContain('sesame')
      expect(text).not.toContain('ghp_')
      expect(text).not.toContain('SQLite format')
    }
    for (const { bundle, session } of [one, two]) {
      const again = await readArchivedSession(store, bundle)
      expect(again.id).toBe(bundle.source.sessionId)
      expect(again.events).toEqual(session.events)
    }
    expect((await verifyStore(storage)).findings).toEqual([])
  })

  it('stays the same log while other sessions are added', async () => {
    const path = folder('opencode.db')
    const summarizer = extractiveSummarizer()
    const before = await compressLog(`${path}#ses_1`, { summarizer })
    const { Database } = await initSqlJs()
    const grown = new Database(await readFile(path))
    grown.run("INSERT INTO session VALUES ('ses_3', NULL, '/srv/shop', 'third', '1.2.0', 1780000000000)")
    await writeFile(folder('grown.db'), grown.export())
    grown.close()
    const after = await compressLog(`${folder('grown.db')}#ses_1`, { summarizer })
    expect(after.bundle.source.sha256).toBe(before.bundle.source.sha256)
  })
})
