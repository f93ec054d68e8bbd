import { encodeJson } from '@tenfold/core/internal'
import { describe, expect, it } from 'vitest'
import { testStandIn } from '../../../../test/support/test-stand-in.ts'
import { collectBatch, listBatches, submitBatch } from '../../src/batch/index.ts'
import { jobKey, readJob, updateAttempt } from '../../src/batch/job-store.ts'
import { bench, billedTimes } from './support/jobs.ts'
import { providerOf, type Vendor, vendors } from './support/providers.ts'
import { someSessions } from './support/sessions.ts'

const standIn = testStandIn('each')

const once = [1, 1, 1, 1, 1]

/** A job as left by a process that ended after the vendor accepted the batch, before that was recorded. */
async function interrupted(vendor: Vendor) {
  const bare = bench()
  const provider = await providerOf(vendor, standIn)
  const { job } = await submitBatch({ ...bare.options, provider, sessions: someSessions() })
  const stored = await readJob({ storage: bare.storage, job })
  const attempts = stored.attempts.map(({ batchId, fileId, submittedAt, expiresAt, ...attempt }) => ({
    ...attempt,
    state: 'submitting' as const,
  }))
  await bare.storage.put(jobKey(job, 'job.json'), encodeJson({ ...stored, attempts }))
  return { ...bare, provider, job, batchId: stored.attempts[0]?.batchId ?? '' }
}

describe.each(vendors)('a submission to %s whose answer is lost', (vendor) => {
  it('is found again, and no second batch is made', async () => {
    standIn.script(['lost_reply'])
    const { options, events, store } = bench()
    const provider = await providerOf(vendor, standIn)
    const submitted = await submitBatch({ ...options, provider, sessions: someSessions() })
    expect(submitted.unconfirmed).toBe(vendor === 'anthropic' ? 1 : 0)
    expect(events.map(({ step }) => step)).toContain('unconfirmed')
    standIn.endBatches()
    await collectBatch(submitted.job, { ...options, provider, wait: true, pollMs: 2 })
    expect(standIn.batches).toHaveLength(1)
    expect([...billedTimes(standIn, submitted.job).values()]).toEqual(once)
    expect(await store.list()).toHaveLength(3)
  })

  it.each([409, 504])('is found again after the status %i of a proxy', async (status) => {
    const proxy: typeof fetch = async (input, init) => {
      const response = await fetch(input, init)
      if (init?.method?.toUpperCase() !== 'POST' || !String(input).endsWith('batches')) return response
      return new Response('{"error":{"message":"gateway"}}', { status })
    }
    const { options } = bench()
    const provider = await providerOf(vendor, standIn, { fetch: proxy })
    const { job } = await submitBatch({ ...options, provider, sessions: someSessions() })
    standIn.endBatches()
    await collectBatch(job, { ...options, provider, wait: true, pollMs: 2 })
    expect(standIn.batches).toHaveLength(1)
    expect([...billedTimes(standIn, job).values()]).toEqual(once)
  })

  it('is sent again if the vendor has no such batch', async () => {
    standIn.script(['connection_reset', 500])
    const { options } = bench()
    const provider = await providerOf(vendor, standIn)
    const { job } = await submitBatch({ ...options, provider, sessions: someSessions() })
    await collectBatch(job, { ...options, provider, wait: true, pollMs: 2 })
    expect(standIn.batches).toHaveLength(1)
    expect([...billedTimes(standIn, job).values()]).toEqual(once)
  })

  it('is sent again after a temporary refusal, and not after a lasting one', async () => {
    standIn.script([429, 'ok', 400])
    const { options, storage } = bench()
    const provider = await providerOf(vendor, standIn)
    await submitBatch({ ...options, provider, sessions: someSessions() })
    expect(standIn.batches).toHaveLength(1)
    await expect(submitBatch({ ...options, provider, sessions: someSessions() })).rejects.toMatchObject({
      code: 'batch-refused',
      message: expect.stringMatching(/run job \S+ again/),
    })
    const job =
      (await listBatches(storage)).find(({ batches }) => batches[0]?.state === 'abandoned')?.job ?? ''
    await collectBatch(job, { ...options, provider, wait: true, pollMs: 2 })
    expect([...billedTimes(standIn, job).values()]).toEqual(once)
  })

  it('is not sent again by a process that lost the job to another one in the meantime', async () => {
    standIn.script([429])
    const { options, storage } = bench()
    const provider = await providerOf(vendor, standIn)
    const report = async ({ step }: { readonly step: string }) => {
      if (step !== 'retry') return
      const job = (await listBatches(storage))[0]?.job ?? ''
      await updateAttempt({ storage, job }, 1, 'submitting', { state: 'abandoned' })
    }
    const limits = { ...options.limits, pauseMs: 100 }
    await expect(
      submitBatch({ ...options, limits, report, provider, sessions: someSessions() }),
    ).rejects.toMatchObject({ code: 'batch-taken-over' })
    expect(standIn.batches).toEqual([])
  })

  it('is looked for twice before it counts as lost', async () => {
    const { options } = bench()
    standIn.script(['connection_reset'])
    const path = vendor === 'anthropic' ? '/v1/messages/batches' : '/v1/batches'
    const limits = { ...options.limits, settleMs: 300 }
    const provider = await providerOf(vendor, standIn)
    await submitBatch({ ...options, limits, provider, sessions: someSessions() })
    const looks = standIn.requests.filter(({ method, path: at }) => method === 'GET' && at === path)
    expect(looks).toHaveLength(2)
    expect((looks[1]?.at ?? 0) - (looks[0]?.at ?? 0)).toBeGreaterThan(250)
  })
})

describe.each(vendors)('a process that ended while it submitted to %s', (vendor) => {
  it('is followed by one that finds the batch among others of the same size', async () => {
    const { job, options, provider, store } = await interrupted(vendor)
    // Batches of other stores, unknown to this one.
    for (let other = 0; other < 2; other++) {
      const { options: others } = bench()
      await submitBatch({ ...others, provider, sessions: someSessions() })
    }
    standIn.endBatches()
    await collectBatch(job, { ...options, provider, wait: true, pollMs: 2 })
    expect(standIn.batches).toHaveLength(3)
    expect([...billedTimes(standIn, job).values()]).toEqual(once)
    expect(await store.list()).toHaveLength(3)
  })

  it('is not followed by a second submission with another key', async () => {
    const { job, options, store } = await interrupted(vendor)
    const provider = await providerOf(vendor, standIn, { apiKey: 'sk-other' })
    standIn.endBatches()
    await expect(collectBatch(job, { ...options, provider })).rejects.toMatchObject({
      code: 'batch-uncertain',
      message: expect.stringMatching(/resubmitUncertain/),
    })
    expect(standIn.batches).toHaveLength(1)
    // The operator agrees.
    await collectBatch(job, { ...options, provider, resubmitUncertain: true, wait: true, pollMs: 2 })
    expect(standIn.batches).toHaveLength(2)
    expect(await store.list()).toHaveLength(3)
  })
})

describe('a batch of Anthropic that may be the lost one', () => {
  it('is awaited, because its ids are known only when it has ended', async () => {
    const { job, options, provider, events } = await interrupted('anthropic')
    for (let look = 0; look < 3; look++)
      expect(await collectBatch(job, { ...options, provider })).toMatchObject({ open: 3 })
    expect(events.at(-1)).toMatchObject({
      step: 'unconfirmed',
      reason: expect.stringMatching(/when it has ended/),
    })
    expect(standIn.batches).toHaveLength(1)
    standIn.endBatches()
    expect(await collectBatch(job, { ...options, provider })).toMatchObject({ open: 0 })
    expect(standIn.batches).toHaveLength(1)
  })

  it('is uncertain if its results are deleted', async () => {
    const { job, options, provider } = await interrupted('anthropic')
    standIn.endBatches()
    standIn.scriptFor('GET /v1/messages/batches/', [404, 404])
    await expect(collectBatch(job, { ...options, provider })).rejects.toMatchObject({
      code: 'batch-uncertain',
    })
    expect(standIn.batches).toHaveLength(1)
  })
})
