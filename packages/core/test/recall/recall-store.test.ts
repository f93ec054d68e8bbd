import { describe, expect, it } from 'vitest'
import { openArchivedLog, readArchivedSession } from '../../src/recall/open-archive.ts'
import { recall } from '../../src/recall/recall.ts'
import { recallAll } from '../../src/recall/recall-all.ts'
import { recalledToText } from '../../src/recall/recalled.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import { bundleStore } from '../../src/store/bundle-store.ts'
import { archiveFileKey, archiveKey } from '../../src/store/keys.ts'
import { assistant, shell, user } from '../support/session.ts'
import { storeLog } from './stored-log.ts'

const newStore = () => bundleStore(memoryStorage())
const day = (date: number): Date => new Date(Date.UTC(2026, 2, date))

describe('recall from a store', () => {
  it('reads the log of a bundle by id, by its beginning, or as the newest of a track', async () => {
    const store = newStore()
    const old = await storeLog(store, 'one', [user('Tell me about turtles that swim'), assistant('slow')], {
      now: day(1),
    })
    const last = await storeLog(store, 'two', [user('Tell me about hares that run'), assistant('fast')], {
      now: day(2),
    })
    for (const bundle of [old, old.id, old.id.slice(0, 12)]) {
      const { hits, logs } = await recall(store, 'turtles', { bundle })
      expect(hits).toMatchObject([{ event: 'e1', bundle: old.id, match: 'exact' }])
      expect(logs).toEqual([
        { bundle: old.id, sessionId: 'one', title: 'Session one', from: 'log', events: 2 },
      ])
    }
    expect((await recall(store, 'hares')).hits).toMatchObject([{ bundle: last.id }])
    expect((await recall(store, 'turtles', { bundle: 'LATEST' })).hits).toEqual([])
    expect((await readArchivedSession(store, old)).events).toMatchObject([{ id: 'e1' }, { id: 'e2' }])
    await expect(recall(store, 'x', { track: 'other' })).rejects.toThrow(
      'There is no bundle on track other in memory. It has the tracks main: choose one (option track).',
    )
    await expect(recall(newStore(), 'x')).rejects.toThrow('Compress a log first')
  })

  it('goes through all sessions of the track, and names events of the newest one', async () => {
    const store = newStore()
    const error = 'Error: amount must not be below zero'
    const ids: string[] = []
    for (const [at, text] of [error, error, 'the files are not there'].entries()) {
      const drafts = [user(`Look around, part ${at}`), ...shell('c', 'npm test', text)]
      const options = { now: day(at + 1), track: at === 0 ? 'side' : 'main' }
      ids.push((await storeLog(store, `s${at}`, drafts, options)).id)
    }
    const found = await recall(store, 'must not be below zero')
    expect(found).toMatchObject({ matched: 1, exact: 1, unsearched: 0 })
    expect(found.hits).toMatchObject([{ bundle: ids[1], event: 'e3', match: 'exact' }])
    expect(found.logs.map(({ bundle }) => bundle)).toEqual([ids[1]])
    expect(recalledToText(found)).toContain('1 of 2 logs.')
    const side = await recall(store, 'below zero', { track: 'side' })
    expect(side.hits.map(({ bundle }) => bundle)).toEqual([ids[0]])
    const named = [await recall(store, 'e1'), await recall(store, '', { events: 'e1' })]
    for (const { hits } of named) expect(hits).toMatchObject([{ bundle: ids[2], match: 'event' }])
    const listed = await recall(store, '', { kinds: ['user'] })
    expect(listed.hits.map(({ bundle }) => bundle)).toEqual([ids[2], ids[1]])
  })

  it('keeps redacted text redacted', async () => {
    const store = newStore()
    const password = 'Xk29-tangerine-Quu7'
    await storeLog(store, 'one', [
      user(`the login is DB_PASSWORD=${password}`),
      ...shell('c', 'env', password),
    ])
    const { hits } = await recall(store, 'e1-e9', { redactors: [] })
    expect(hits).toHaveLength(3)
    expect(hits[0]?.excerpt).toContain('DB_PASSWORD=[redacted:')
    expect(JSON.stringify(hits)).not.toContain('tangerine')
    expect((await recall(store, password)).hits.filter(({ match }) => match === 'exact')).toEqual([])
  })

  it('falls back to the bundle if the log is missing or damaged, with advice', async () => {
    const store = newStore()
    const drafts = [user('about turtles'), ...shell('c', 'npm run turtles', 'ok')]
    const bundle = await storeLog(store, 'one', drafts)
    const { sha256 } = bundle.source
    const fails = (reason: RegExp): Promise<void> =>
      expect(openArchivedLog(store, bundle, { fallback: false })).rejects.toThrow(reason)

    await store.storage.put(archiveFileKey(sha256), new TextEncoder().encode('junk'))
    await fails(/damaged.*Restore it from a backup/)
    const { hits, logs, notes } = await recall(store, 'turtles')
    expect(hits.length).toBeGreaterThan(0)
    expect(logs).toMatchObject([{ from: 'bundle' }])
    expect(notes).toMatchObject([
      { code: 'log-gone', message: expect.stringContaining('Only the bundle itself was searched') },
    ])

    await store.storage.delete(archiveFileKey(sha256))
    await fails(/lacks archive\//)
    await store.storage.delete(archiveKey(sha256))
    await fails(
      /not in memory: it was pruned or deleted, or left behind by Git.*\. Compress the log again.*or copy archive\//,
    )

    const without = await storeLog(newStore(), 'two', drafts, { archive: false })
    await expect(openArchivedLog(store, without, { fallback: false })).rejects.toThrow(
      'into a store with an archive',
    )
  })
})

describe('recallAll', () => {
  const error = 'ECONNREFUSED 10.1.2.3:6379'
  const filled = async () => {
    const store = newStore()
    const ids: string[] = []
    for (const number of [1, 2, 3, 4]) {
      const drafts = [
        user(`task ${number}`),
        ...shell('c', 'npm start', number === 3 ? 'ok' : `Error: ${error}`),
      ]
      const options = { now: day(number), track: number === 1 ? 'side' : 'main' }
      ids.push((await storeLog(store, `s${number}`, drafts, options)).id)
    }
    return { store, ids }
  }

  it('reports whether something occurred before, newest first', async () => {
    const { store, ids } = await filled()
    const { hits, logs, matched, unsearched } = await recallAll(store, error)
    expect(hits.map(({ bundle, event, match }) => [bundle, event, match])).toEqual(
      [3, 1, 0].map((at) => [ids[at], 'e3', 'exact']),
    )
    expect(logs.map(({ bundle }) => bundle)).toEqual([3, 1, 0].map((at) => ids[at]))
    expect({ matched, unsearched }).toEqual({ matched: 3, unsearched: 0 })
    expect(recalledToText(await recallAll(store, error))).toContain(`bundle ${ids[1]}`)
    const side = await recallAll(store, error, { filter: { track: 'side' } })
    expect(side.hits.map(({ bundle }) => bundle)).toEqual([ids[0]])
  })

  it('ranks the hits of all logs by one score: rare words before frequent, and hits with all words first', async () => {
    const store = newStore()
    const ids: Record<string, string> = {}
    const sessions = {
      why: [
        user('Orders are stored in Postgres because the reports join them with invoices.'),
        assistant('I keep them there.'),
      ],
      files: [
        user('List the files.'),
        ...shell('c', 'cat notes', `Postgres\n${'a line of notes\n'.repeat(200)}reports of orders`),
      ],
      files2: [user('Are the orders there?'), ...shell('c', 'ls orders', 'orders/a\norders/b')],
      files3: [user('How do we list orders?'), assistant('With ls, as the orders are files.')],
    }
    for (const [at, [name, drafts]] of Object.entries(sessions).entries())
      ids[name] = (await storeLog(store, name, drafts, { now: day(at + 1) })).id
    const { hits } = await recallAll(store, 'Why did we put orders into Postgres?')
    expect(hits[0]).toMatchObject({ bundle: ids.why, event: 'e1' })
    const reports = await recallAll(store, 'why are the orders in postgres for reports?')
    expect(reports.hits[0]).toMatchObject({ bundle: ids.why, event: 'e1' })
  })

  it('finds nothing by words without meaning', async () => {
    const { store } = await filled()
    expect(await recallAll(store, 'what did we do about it?')).toMatchObject({ hits: [], matched: 0 })
    const quoted = newStore()
    await storeLog(quoted, 'q', [user('And what did we do about it? Nothing.')])
    expect((await recallAll(quoted, 'what did we do about it?')).hits).toMatchObject([{ match: 'exact' }])
  })

  it('counts the same whatever the limit of hits, and reports if it leaves logs unread', async () => {
    const { store } = await filled()
    const seen: number[] = []
    const one = await recallAll(store, error, { limit: 1, onLog: (done) => seen.push(done) })
    // The count is that of any limit.
    expect(one).toMatchObject({ hits: [{}], matched: 3, searched: 4, unsearched: 0 })
    expect(seen).toEqual([0, 1, 2])
    const limited = await recallAll(store, error, { maxLogs: 2 })
    expect(limited).toMatchObject({ matched: 2, unsearched: 1 })
    expect(recalledToText(limited)).toContain('2 of 4 logs; 1 more contains some of it')
    expect(recalledToText(limited)).toContain('2 of at least 2 matching events')
    expect(recalledToText(await recallAll(store, error))).toContain('3 of 3 matching events')
  })

  it('counts exact matches in many logs the same whatever the limit of hits', async () => {
    const store = newStore()
    for (let at = 1; at <= 14; at++)
      await storeLog(store, `s${at}`, [user(`try ${at}`), ...shell('c', 'npm start', error)], {
        now: day(at),
      })
    for (const limit of [1, 13])
      expect(await recallAll(store, error, { limit, exact: true })).toMatchObject({
        exact: 14,
        unsearched: 0,
      })
  })

  it('reads a log of several bundles once, and shows an event of a log that grew once', async () => {
    const store = newStore()
    const begin = [user('first'), ...shell('c', 'npm start', error)]
    await storeLog(store, 's', begin, { now: day(1) })
    await storeLog(store, 's', begin, { now: day(2), kind: 'plan' })
    const grown = await storeLog(store, 's', [...begin, user('more')], { now: day(3) })
    const { hits, logs, matched } = await recallAll(store, error)
    expect(logs).toHaveLength(2)
    expect(hits).toMatchObject([{ event: 'e3', bundle: grown.id }])
    expect(matched).toBe(1)
  })

  it('leaves room for hits if many logs are missing, as in a clone', async () => {
    const store = newStore()
    for (const number of [1, 2, 3, 4]) {
      const drafts = [user(`about turtles ${number}`), ...shell('c', 'npm run turtles', 'ok')]
      const { source } = await storeLog(store, `s${number}`, drafts)
      await store.storage.delete(archiveKey(source.sha256))
    }
    const { hits, notes } = await recallAll(store, 'turtles', { maxTokens: 300 })
    expect(hits.length).toBeGreaterThan(0)
    expect(notes).toMatchObject([{ code: 'log-gone', message: expect.stringMatching(/to 3 other logs\.$/) }])
  })

  it('continues without unreadable logs, with a note', async () => {
    const { store, ids } = await filled()
    const newest = await store.load(ids[3] ?? '')
    await store.storage.delete(archiveKey(newest.source.sha256))
    await store.storage.delete(`bundles/${ids[1]}.json`)
    const { hits, notes } = await recallAll(store, error)
    expect(hits.map(({ bundle }) => bundle)).toContain(ids[0])
    expect(notes.map(({ code }) => code).sort()).toEqual(['log-gone', 'no-bundle'])
    const stopped = new AbortController()
    stopped.abort()
    await expect(recallAll(store, error, { signal: stopped.signal })).rejects.toThrow('aborted')
  })
})
