import { describe, expect, it } from 'vitest'
import { findAnthropicBatch } from '../../src/anthropic/anthropic-batch.ts'
import { BatchError } from '../../src/batch/index.ts'

const since = new Date('2026-11-20T12:00:00Z')
const wanted = {
  job: 'job',
  attempt: 1,
  customIds: ['n_1_1_0_5', 'n_1_2_0_9'],
  since,
  notThese: new Set(['known']),
}

type Batch = Parameters<Parameters<typeof findAnthropicBatch>[1]['results']>[0]

function batch(id: string, minutes: number, more: { count?: number; ended?: boolean } = {}): Batch {
  const { count = 2, ended = true } = more
  const made = new Date(since.getTime() + minutes * 60_000).toISOString()
  const request_counts = { processing: 0, succeeded: 1, errored: 0, canceled: 0, expired: count - 1 }
  return {
    id,
    type: 'message_batch',
    processing_status: ended ? 'ended' : 'in_progress',
    request_counts,
    created_at: made,
    expires_at: made,
    archived_at: null,
    cancel_initiated_at: null,
    ended_at: null,
    results_url: 'url',
  }
}

/** Searches; `results` gives the ids in the results of a batch. */
async function find(batches: readonly Batch[], results: (id: string) => string[]) {
  const asked: string[] = []
  let listed = 0
  const finding = await findAnthropicBatch(wanted, {
    batches: (async function* () {
      for (const batch of batches) {
        listed += 1
        yield batch
      }
    })(),
    async *results({ id }) {
      asked.push(id)
      for (const custom_id of results(id)) yield { custom_id }
    },
  })
  return { finding, asked, listed }
}

describe('the batch of a submission whose answer was lost', () => {
  it('is found by one of its ids', async () => {
    const others = [batch('a', 30), batch('b', 20), batch('c', 3), batch('own', 1), batch('d', -5)]
    const { finding, asked } = await find(others, (id) => (id === 'own' ? ['n_1_2_0_9'] : ['x_1_2_0_9']))
    expect(finding).toMatchObject({ outcome: 'found', batch: { batchId: 'own' } })
    expect(asked).toEqual(['a', 'b', 'c', 'own'])
  })

  it('is not searched among those of another size or time, or among known ones', async () => {
    const others = [batch('late', 90), batch('known', 2), batch('small', 1, { count: 1 }), batch('old', -11)]
    const { finding, asked } = await find(others, () => ['n_1_1_0_5'])
    expect(finding).toEqual({ outcome: 'none' })
    expect(asked).toEqual([])
  })

  it('is not searched among older ones', async () => {
    const others = [batch('a', -20), batch('b', -30), batch('c', -40), batch('d', -50)]
    expect((await find(others, () => [])).listed).toBe(1)
  })

  it('is awaited if a running batch may be the one, unless it was already found', async () => {
    const others = [batch('runs', 2, { ended: false }), batch('ended', 1)]
    expect((await find(others, () => ['other'])).finding).toMatchObject({ outcome: 'pending' })
    expect((await find(others, () => ['n_1_1_0_5'])).finding).toMatchObject({ outcome: 'found' })
  })

  it('is uncertain if there are no results to identify it', async () => {
    expect((await find([batch('empty', 1)], () => [])).finding).toMatchObject({ outcome: 'uncertain' })
    const gone = () => {
      throw new BatchError('batch-results-gone', 'gone')
    }
    expect((await find([batch('gone', 1)], gone)).finding).toMatchObject({ outcome: 'uncertain' })
  })
})
