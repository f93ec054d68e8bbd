import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, it } from 'vitest'
import { answerOf } from '../../../../test/stand-in/index.ts'
import { testStandIn } from '../../../../test/support/test-stand-in.ts'
import { keysOf } from '../../../core/test/support/stored.ts'
import { anthropicBatch } from '../../src/anthropic/anthropic-batch.ts'
import { batchStatus, cancelBatch, collectBatch, submitBatch } from '../../src/batch/index.ts'
import { jobKey } from '../../src/batch/job-store.ts'
import { extractiveSummarizer } from '../../src/extractive/index.ts'
import { bench, billedTimes } from './support/jobs.ts'
import { oneVendor, providerOf, vendors } from './support/providers.ts'
import { batchSession, someSessions } from './support/sessions.ts'

const standIn = testStandIn('each')

describe.each(oneVendor)('a job with %s', (vendor) => {
  it('can be collected by several processes at once without harm', async () => {
    standIn.batchRow = (customId) =>
      customId.split('_')[1] === '1' && customId.split('_')[2] === '1' ? 'expired' : 'succeeded'
    const { options, store, storage } = bench()
    const { job } = await submitBatch({
      ...options,
      provider: await providerOf(vendor, standIn),
      sessions: someSessions(),
    })
    const provider = await providerOf(vendor, standIn)
    const collectors = Array.from({ length: 4 }, () =>
      collectBatch(job, { ...bench(storage).options, provider, wait: true, pollMs: 3 }),
    )
    const results = await Promise.all(collectors)
    expect(results.map(({ open, saved }) => [open, saved.length])).toEqual(Array(4).fill([0, 3]))
    expect([...billedTimes(standIn, job).values()]).toEqual([1, 1, 1, 1, 1])
    expect(standIn.batches).toHaveLength(2)
    expect(await store.list()).toHaveLength(3)
  })

  it.each([
    [{ track: 'a b' }, 'expected track'],
    [{ kind: 'all' }, 'expected kind'],
    [{ task: '' }, 'expected task'],
    [{ maxRatio: 7 }, 'expected maxRatio'],
    [{ store: undefined }, 'expected store to be a BundleStore'],
    [{ provider: undefined }, 'expected provider to be a BatchProvider'],
    [{ limits: { maxSends: 0 } }, 'expected maxSends'],
  ])('refuses %j before a session is read', async (wrong, message) => {
    const { options, storage } = bench()
    const unread = {
      [Symbol.iterator]: () => {
        throw new Error('a session was read')
      },
    }
    const given = { ...options, provider: await providerOf(vendor, standIn), sessions: unread, ...wrong }
    await expect(submitBatch(given as never)).rejects.toThrow(message)
    expect(await keysOf(storage, '')).toEqual([])
    expect(standIn.requests).toEqual([])
  })

  it('has a failed session saved when it is collected again with a fallback, and sends nothing', async () => {
    standIn.batchRow = () => ({ scenario: 'refusal' })
    const { options, store } = bench()
    const provider = await providerOf(vendor, standIn)
    const { job } = await submitBatch({
      ...options,
      provider,
      sessions: [batchSession('one', 3)],
      minSourceTokens: 0,
      maxRatio: 1,
    })
    const { failed } = await collectBatch(job, { ...options, provider, wait: true, pollMs: 2 })
    expect(failed[0]?.reason).toMatch(/with a fallback, collecting again saves the session/)
    const again = await collectBatch(job, { ...options, provider, fallback: extractiveSummarizer() })
    expect(again).toMatchObject({ open: 0, failed: [], saved: [{ n: 1 }] })
    expect(again.saved[0]?.calls).toEqual(failed[0]?.calls)
    const [entry] = await store.list()
    const { notes, compression } = await store.load(entry?.id ?? '')
    expect(notes.find(({ code }) => code === 'summarizer-failed')?.message).toMatch(/refused to summarize/)
    expect(compression.fallback).toBe(`${vendor}: refused`)
    expect(standIn.batches).toHaveLength(1)
  })

  it('is left to the process that works on it', async () => {
    const { options, storage } = bench()
    const limits = { ...options.limits, leaseMs: 1_500 }
    const provider = await providerOf(vendor, standIn)
    const { job } = await submitBatch({ ...options, provider, sessions: someSessions() })
    const release = standIn.hold(vendor === 'anthropic' ? 'GET /v1/messages/batches/' : 'GET /v1/batches/')
    const sent = standIn.requests.length
    const first = collectBatch(job, { ...options, limits, provider })
    await standIn.requested(sent + 1)
    const second = await collectBatch(job, { ...bench(storage).options, limits, provider })
    expect(second).toMatchObject({ busy: true, open: 3 })
    release()
    expect(await first).toMatchObject({ busy: false })
  })

  it('is refused with another model or counter, and if its name is unknown', async () => {
    const { options, storage } = bench()
    const provider = await providerOf(vendor, standIn)
    const { job } = await submitBatch({ ...options, provider, sessions: [batchSession('one', 2)] })
    const mismatch = { code: 'batch-mismatch' }
    await expect(
      collectBatch(job, { ...options, provider: { ...provider, model: 'other' } }),
    ).rejects.toMatchObject(mismatch)
    await expect(
      collectBatch(job, { ...options, provider: { ...provider, endpoint: 'http://other' } }),
    ).rejects.toMatchObject(mismatch)
    const { counter: _, ...withoutCounter } = options
    await expect(collectBatch(job, { ...withoutCounter, provider })).rejects.toMatchObject(mismatch)
    await expect(collectBatch('nothing', { ...options, provider })).rejects.toMatchObject({
      code: 'batch-missing',
    })
    expect((await keysOf(storage, 'batches/')).length).toBeGreaterThan(0)
  })

  it('writes no key into the store, and sends it to the server alone', async () => {
    const { options, storage } = bench()
    const provider = await providerOf(vendor, standIn, { apiKey: 'sk-very-secret-key' })
    const { job } = await submitBatch({ ...options, provider, sessions: [batchSession('one', 2)] })
    await collectBatch(job, { ...options, provider, wait: true, pollMs: 2 })
    for (const key of await keysOf(storage, '')) {
      const text = Buffer.from((await storage.get(key))?.bytes ?? []).toString('utf8')
      expect(text).not.toContain('sk-very-secret')
    }
    expect((await storage.get(jobKey(job, 'job.json'))) && provider.keyFingerprint).toMatch(/^[0-9a-f]{12}$/)
  })

  it("removes secrets from the model's answers", async () => {
    const secret = ['ghp', 'Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6'].join('_')
    const { options, storage } = bench()
    const provider = await providerOf(vendor, standIn)
    standIn.answer = (call) => ({ ...(answerOf(call) as object), summary: `The token is ${secret}.` })
    const { job } = await submitBatch({ ...options, provider, sessions: [batchSession('one', 2)] })
    const { saved } = await collectBatch(job, { ...options, provider, wait: true, pollMs: 2 })
    expect(saved).toHaveLength(1)
    for (const key of await keysOf(storage, 'bundles/'))
      expect(Buffer.from((await storage.get(key))?.bytes ?? []).toString('utf8')).not.toContain(secret)
  })

  it('does not let one faulty batch or session hold up the others', async () => {
    const { options, storage, store } = bench()
    const provider = await providerOf(vendor, standIn)
    const limits = { ...options.limits, maxRequests: 1 }
    const sessions = ['one', 'two', 'three'].map((name) => batchSession(name, 2))
    const { job } = await submitBatch({ ...options, limits, provider, sessions })
    standIn.endBatches()
    const start = vendor === 'anthropic' ? 'GET /v1/messages/batches/' : 'GET /v1/batches/'
    standIn.scriptFor(start, [404])
    await storage.put(jobKey(job, 'sessions/2.json.br'), new TextEncoder().encode('junk'))
    await expect(collectBatch(job, { ...options, provider })).rejects.toMatchObject({
      code: 'batch-results-gone',
    })
    expect((await store.list()).map(({ sessionId }) => sessionId)).toEqual(['session-three'])
    await expect(collectBatch(job, { ...options, provider })).rejects.toThrow(
      /sessions\/2\.json\.br is damaged/,
    )
    expect(await store.list()).toHaveLength(2)
  })

  it('names what is damaged', async () => {
    const { options, storage } = bench()
    const provider = await providerOf(vendor, standIn)
    const { job } = await submitBatch({ ...options, provider, sessions: [batchSession('one', 2)] })
    standIn.endBatches()
    await storage.put(jobKey(job, 'sessions/1.json.br'), new TextEncoder().encode('junk'))
    await expect(collectBatch(job, { ...options, provider })).rejects.toThrow(
      /sessions\/1\.json\.br is damaged/,
    )
    await storage.put(jobKey(job, 'job.json'), new TextEncoder().encode('{"schemaVersion":"1"}'))
    await expect(collectBatch(job, { ...options, provider })).rejects.toThrow(
      /job\.json is damaged: schemaVersion/,
    )
    await storage.put(jobKey(job, 'job.json'), new TextEncoder().encode('{"schemaVersion":2}'))
    await expect(collectBatch(job, { ...options, provider })).rejects.toThrow(
      /job\.json was made by a newer tenfold/,
    )
  })
})

describe.each(vendors)('a job over %s', (vendor) => {
  it('collects what ran when it is canceled, leaves the rest to the fallback, and sends nothing more', async () => {
    const { options, store } = bench()
    const provider = await providerOf(vendor, standIn)
    const { job } = await submitBatch({ ...options, provider, sessions: someSessions() })
    standIn.batchRow = (customId) => (customId.split('_')[2] === '1' ? 'succeeded' : 'canceled')
    await cancelBatch(job, { ...options, provider })
    await cancelBatch(job, { ...options, provider })
    standIn.endBatches()
    const fallback = extractiveSummarizer()
    await collectBatch(job, { ...options, provider, fallback, wait: true, pollMs: 2 })
    expect(standIn.batches).toHaveLength(1)
    const bundles = await Promise.all((await store.list()).map(({ id }) => store.load(id)))
    expect(bundles.map(({ compression }) => compression.summarizer).sort()).toEqual(
      [vendor, 'extractive', 'extractive'].sort(),
    )
    expect(await batchStatus(options.store.storage, job)).toMatchObject({
      canceledAt: expect.any(String),
      saved: 3,
    })
  })

  it('says so if the vendor has deleted the results, and sends again with consent', async () => {
    const { options } = bench()
    const provider = await providerOf(vendor, standIn)
    const { job } = await submitBatch({ ...options, provider, sessions: [batchSession('one', 2)] })
    standIn.endBatches()
    const start = vendor === 'anthropic' ? 'GET /v1/messages/batches/' : 'GET /v1/files/'
    const missing = vendor === 'anthropic' ? ['ok', 'ok', 404] : [404]
    standIn.scriptFor(start, [...missing, ...missing] as never)
    const error = await collectBatch(job, { ...options, provider }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'batch-results-gone',
      message: expect.stringMatching(/resubmitUncertain/),
    })
    expect(standIn.batches).toHaveLength(1)
    await collectBatch(job, { ...options, provider, resubmitUncertain: true, wait: true, pollMs: 2 })
    expect(standIn.batches).toHaveLength(2)
  })

  it('continues after an hour without a network', async () => {
    const { options, events } = bench()
    const provider = await providerOf(vendor, standIn)
    const { job } = await submitBatch({ ...options, provider, sessions: [batchSession('one', 2)] })
    const start = vendor === 'anthropic' ? 'GET /v1/messages/batches/' : 'GET /v1/batches/'
    const outage = ['connection_reset', 500, 529] as const
    standIn.scriptFor(start, [...outage, ...outage, ...outage, ...outage])
    await expect(collectBatch(job, { ...options, provider })).rejects.toMatchObject({
      code: 'batch-call-failed',
      message: expect.stringContaining(job),
    })
    const { saved } = await collectBatch(job, { ...options, provider, wait: true, pollMs: 2 })
    expect(saved).toHaveLength(1)
    expect(events.filter(({ step }) => step === 'retry').length).toBeGreaterThan(8)
  })
})

describe('a request that Anthropic would not run', () => {
  it('is rejected before anything is stored or sent', async () => {
    const path = 'POST /v1/messages/count_tokens'
    standIn.scriptFor(path, [400])
    const { options, storage } = bench()
    const provider = await providerOf('anthropic', standIn)
    const sessions = [batchSession('one', 2)]
    const error = await submitBatch({ ...options, provider, sessions }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'batch-refused', message: expect.stringMatching(/Nothing was sent/) })
    expect(await keysOf(storage, '')).toEqual([])
    expect(standIn.batches).toEqual([])
    await submitBatch({ ...options, provider, sessions })
    await submitBatch({ ...options, provider, sessions, check: false })
    expect(standIn.requests.filter((request) => request.path.endsWith('count_tokens'))).toHaveLength(2)
    expect(standIn.batches).toHaveLength(2)
    expect(standIn.bill).toEqual([])
  })
})

describe('results of Anthropic', () => {
  it('are not fetched from another host', async () => {
    const seen: string[] = []
    const foreign = createServer((request, response) => {
      seen.push(`${request.headers.authorization}`)
      response.end()
    })
    await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve))
    const host = `http://127.0.0.1:${(foreign.address() as AddressInfo).port}`
    const lying: typeof fetch = async (input, init) => {
      const response = await fetch(input, init)
      const text = await response.text()
      return new Response(text.replaceAll(`"results_url":"${standIn.url}`, `"results_url":"${host}`), {
        status: response.status,
        headers: { 'content-type': 'application/json' },
      })
    }
    const client = new Anthropic({ apiKey: 'sk-test', baseURL: standIn.url, logLevel: 'off', fetch: lying })
    const provider = await anthropicBatch({ model: 'claude-opus-5-5', client })
    const { options } = bench()
    const { job } = await submitBatch({ ...options, provider, sessions: [batchSession('one', 2)] })
    standIn.endBatches()
    await expect(collectBatch(job, { ...options, provider })).rejects.toMatchObject({
      code: 'batch-foreign-host',
    })
    expect(seen).toEqual([])
    await new Promise((resolve) => foreign.close(resolve))
  })
})
