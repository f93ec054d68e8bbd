import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { patternRedactor, secretRedactor, valueRedactor } from '@tenfold/redact'
import { describe, expect, it } from 'vitest'
import { repeats } from '../../../../test/support/repeats.ts'
import { compressLog } from '../../src/compress-log.ts'
import { type CompressOnceOptions, compressOnce } from '../../src/compress-once.ts'
import { openLedger } from '../../src/ledger/ledger.ts'
import { workDigest } from '../../src/ledger/work-digest.ts'
import { listSessions } from '../../src/readers/read-session.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { encodeJson } from '../../src/storage/stored-json.ts'
import { bundleStore } from '../../src/store/bundle-store.ts'
import { verifyStore } from '../../src/store/verify/verify-store.ts'
import type { Summarizer } from '../../src/summarize/summarizer.ts'
import { fakeSummarizer } from '../summarize/fake-summarizer.ts'
import { cutOffEverywhere } from '../support/cut-off-storage.ts'
import { bytesIn } from '../support/stored.ts'

const logOf = (...said: string[]) => ({
  parsed: {
    messages: said.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content })),
  },
})
const log = logOf('Please make the parser faster.', 'The parser reads each line once now.')

/** A summarizer that counts its calls. */
function counted(): { readonly summarizer: Summarizer; calls: number } {
  const inner = fakeSummarizer()
  const count = {
    calls: 0,
    summarizer: {
      ...inner,
      async summarize(...given: Parameters<Summarizer['summarize']>) {
        count.calls += 1
        return await inner.summarize(...given)
      },
    },
  }
  return count
}

const once = (storage: Storage, options: Partial<CompressOnceOptions> = {}, input = log) =>
  compressOnce(input, { store: bundleStore(storage), summarizer: fakeSummarizer(), ...options })

describe('compressOnce', () => {
  it('compresses a log the first time, and returns the record the second time', async () => {
    const storage = memoryStorage()
    const { summarizer, ...count } = counted()
    const first = await once(storage, { summarizer })
    if ('known' in first) throw new Error('nothing was done before')
    const before = await bytesIn(storage)
    const second = await once(storage, { summarizer: fakeSummarizer() })
    expect(second).toEqual({
      known: {
        schemaVersion: 1,
        id: first.bundle.id,
        track: 'main',
        createdAt: first.bundle.createdAt,
        format: first.bundle.source.format,
        sessionId: first.bundle.source.sessionId,
        sourceTokens: first.bundle.compression.sourceTokens,
        bundleTokens: first.bundle.compression.bundleTokens,
        summarizer: first.bundle.compression.summarizer,
        model: first.bundle.compression.model,
      },
    })
    expect(await bytesIn(storage)).toEqual(before)
    expect(count.calls).toBe(0)
  })

  it('compresses again after changes, for another request, and if forced', async () => {
    const storage = memoryStorage()
    await once(storage)
    const work: [Partial<CompressOnceOptions>, typeof log?][] = [
      [{}, logOf('Please make the parser faster.', 'The parser reads each line once now.', 'Thanks.')],
      [{ track: 'review' }],
      [{ kind: 'progress' }],
      [{ maxRatio: 0.2 }],
      [{ redactors: [] }],
      [{ summarizer: fakeSummarizer({ model: 'other' }) }],
      [{ summarizer: { ...fakeSummarizer(), promptVersion: '8' } }],
      [{ summarizer: { ...fakeSummarizer(), settings: 'effort high' } }],
      [{ again: true }],
    ]
    for (const [options, input] of work) expect(await once(storage, options, input)).toHaveProperty('bundle')
    for (const [options, input] of work.slice(0, -1))
      expect(await once(storage, options, input)).toHaveProperty('known')
    expect(await bundleStore(storage).list()).toHaveLength(work.length + 1)
  })

  it('saves no second bundle of a log that has not changed since the bundle it continues', async () => {
    const storage = memoryStorage()
    const store = bundleStore(storage)
    const latest = async () => (await store.latest('main'))?.bundle
    const grown = logOf(
      'Please make the parser faster.',
      'It reads each line once now.',
      'And the writer?',
      'Done.',
    )
    await once(storage)
    expect(await once(storage, { previous: await latest() })).toHaveProperty('known')
    for (const options of [{}, { kind: 'progress' }, { maxRatio: 0.2 }] as const) {
      const first = await once(storage, { ...options, previous: await latest() }, grown)
      expect(first).toHaveProperty('bundle')
      for (const previous of [await latest(), await latest()])
        expect(await once(storage, { ...options, previous }, grown)).toMatchObject({
          known: { id: 'bundle' in first && first.bundle.id },
        })
    }
    expect(await store.list()).toHaveLength(4)
  })

  it('does not pay again for a session that left nothing to store', async () => {
    const storage = memoryStorage()
    const greeting = logOf('Hello', 'Hello, what shall we do?')
    const count = counted()
    const first = await once(storage, { summarizer: count.summarizer }, greeting)
    expect(first).not.toHaveProperty('stored')
    expect(await bundleStore(storage).list()).toEqual([])
    expect(await once(storage, { summarizer: count.summarizer }, greeting)).toMatchObject({
      known: { stored: false, format: 'openai-chat' },
    })
    expect(count.calls).toBe(1)
    expect(await verifyStore(storage)).toMatchObject({ ok: true, findings: [] })
  })

  it('checks the options before it reads the log', async () => {
    await expect(once(memoryStorage(), { maxRatio: 2 })).rejects.toThrow('expected maxRatio')
  })

  it('is complete after a kill at any call of the storage, and asks no model again for a written bundle', async () => {
    const cuts = await cutOffEverywhere(
      async () => memoryStorage(),
      async (storage) => once(storage),
      async (storage, calls) => {
        const written = Object.keys(await bytesIn(storage)).some((key) => /^bundles\/.+\.json$/.test(key))
        const count = counted()
        await once(storage, { summarizer: count.summarizer })
        expect([calls, count.calls]).toEqual([calls, written ? 0 : 1])
        const after = await once(storage)
        expect(after).toHaveProperty('known')
        expect(await bundleStore(storage).list()).toHaveLength(1)
        expect(Object.keys(await bytesIn(storage)).filter((key) => key.includes('started'))).toEqual([])
        expect((await verifyStore(storage)).findings).toEqual([])
      },
      repeats({ few: 2, all: 1 }),
    )
    expect(cuts).toBeGreaterThan(10)
  })
})

describe('compressOnce with exclusive', () => {
  const exclusive = true

  it('saves one bundle if many machines compress a log at once, and returns it to all of them', async () => {
    const storage = memoryStorage()
    const results = await Promise.all(Array.from({ length: 8 }, () => once(storage, { exclusive })))
    const ids = results.map((result) => ('known' in result ? result.known.id : result.bundle.id))
    expect(new Set(ids).size).toBe(1)
    expect(results.filter((result) => 'bundle' in result).length).toBeLessThanOrEqual(1)
    expect((await bundleStore(storage).list()).map(({ id }) => id)).toEqual(ids.slice(0, 1))
    expect((await verifyStore(storage)).findings).toEqual([])
    expect(Object.keys(await bytesIn(storage)).filter((key) => key.startsWith('done/'))).toHaveLength(1)
  })

  it('keeps the first bundle if a machine that was stopped in the middle continues after the others', async () => {
    const storage = memoryStorage()
    // Stops at each call of the storage in turn, until another machine is done.
    for (let at = 0, stopped = true; stopped; at++) {
      stopped = false
      const input = logOf('Please make the parser faster.', `Run ${at}.`)
      let calls = 0
      const slow = new Proxy(storage, {
        get(target, name: keyof Storage) {
          if (name !== 'get' && name !== 'put' && name !== 'delete') return target[name]
          return async (...args: never[]) => {
            if (calls++ === at) {
              stopped = true
              await once(storage, { exclusive }, input)
            }
            return await (target[name] as (...all: never[]) => unknown)(...args)
          }
        },
      })
      await once(slow, { exclusive }, input)
      expect([at, (await bundleStore(storage).list()).length]).toEqual([at, at + 1])
    }
    expect((await verifyStore(storage)).findings).toEqual([])
  })

  it('is complete after a kill at any call of the storage, and asks no model again for a claimed bundle', async () => {
    await cutOffEverywhere(
      async () => memoryStorage(),
      async (storage) => once(storage, { exclusive }),
      async (storage, calls) => {
        const claimed = Object.keys(await bytesIn(storage)).some((key) => key.startsWith('done/'))
        const count = counted()
        await once(storage, { exclusive, summarizer: count.summarizer })
        expect([calls, count.calls]).toEqual([calls, claimed ? 0 : 1])
        expect(await once(storage)).toHaveProperty('known')
        expect(await bundleStore(storage).list()).toHaveLength(1)
        expect(Object.keys(await bytesIn(storage)).filter((key) => key.endsWith('claim'))).toEqual([])
        expect((await verifyStore(storage)).findings).toEqual([])
      },
      repeats({ few: 2, all: 1 }),
    )
  })
})

describe('a ledger', () => {
  it('completes no interrupted save if it is read only', async () => {
    const storage = memoryStorage()
    const { bundle } = await compressLog(log, { summarizer: fakeSummarizer() })
    const killed = { ...bundleStore(storage), save: () => Promise.reject(new Error('killed')) }
    await expect(
      openLedger(killed)
        .recording(() => 'ab')
        .save(bundle),
    ).rejects.toThrow('killed')
    await storage.put(`bundles/${bundle.id}.json`, encodeJson(bundle))
    const before = await bytesIn(storage)
    const ledger = openLedger(bundleStore(storage))
    expect(await ledger.find('ab', { readOnly: true })).toMatchObject({ id: bundle.id })
    expect(await bytesIn(storage)).toEqual(before)
    expect(await ledger.find('ab')).toMatchObject({ id: bundle.id })
    expect(await bundleStore(storage).list()).toHaveLength(1)
  })
})

describe('a log that holds several sessions', () => {
  it('has each of them compressed once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tenfold-ledger-'))
    const path = join(folder, 'sessions.json')
    const session = (id: string, said: string) => ({ id, messages: [{ role: 'user', content: said }] })
    writeFileSync(path, JSON.stringify([session('a', 'Sort the list.'), session('b', 'Round the totals.')]))
    const ids = (await listSessions(path))?.map(({ id }) => id) ?? []
    expect(ids).toHaveLength(2)
    const store = bundleStore(memoryStorage())
    const once = (id: string) => compressOnce(`${path}#${id}`, { store, summarizer: fakeSummarizer() })
    for (const id of ids) expect(await once(id)).not.toHaveProperty('known')
    for (const id of ids) expect(await once(id)).toHaveProperty('known')
    const sessions = (await store.list()).map(({ sessionId }) => sessionId)
    expect(new Set(sessions).size).toBe(2)
    rmSync(folder, { recursive: true })
  })
})

describe('workDigest', () => {
  const digest = (options: Parameters<typeof workDigest>[1]) => workDigest('0'.repeat(64), options)
  const summarizer = fakeSummarizer()

  it('does not depend on whether a default is given', () => {
    const given = {
      ...{ summarizer: [summarizer], kind: 'context' as const, track: 'main', maxRatio: 0.1, minRatio: 0.05 },
      ...{ minSourceTokens: 4000, archive: true, redactors: [secretRedactor()], dropUnverified: false },
    } as const
    expect(digest(given)).toBe(digest({ summarizer }))
  })

  it('depends on the redaction rules, but not on the values of secrets', () => {
    const of = (...redactors: ReturnType<typeof secretRedactor>[]) => digest({ summarizer, redactors })
    expect(of(secretRedactor({ emails: true }))).not.toBe(of(secretRedactor()))
    const pattern = (source: RegExp) => of(patternRedactor({ type: 'pattern', pattern: source }))
    expect(pattern(/a+/)).not.toBe(pattern(/b+/))
    expect(of(valueRedactor(['hunter22']))).toBe(of(valueRedactor(['hunter23'])))
    expect(of(valueRedactor(['hunter22']))).not.toBe(of())
  })
})
