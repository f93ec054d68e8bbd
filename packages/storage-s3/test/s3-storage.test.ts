import { type Storage, StorageConflictError, StorageError } from '@tenfold/core'
import { describe, expect, it } from 'vitest'
import { keysOf } from '../../core/test/support/stored.ts'
import { type S3Storage, s3Storage } from '../src/index.ts'
import { errorReply, type Reply, type Request, s3StandIn } from './stand-in-s3/index.ts'
import { directClient, overHttp, quick, scripted, standInStorage } from './support/storages.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

async function textOf(storage: Storage, key: string): Promise<string> {
  return new TextDecoder().decode((await storage.get(key))?.bytes)
}

describe('the trial of conditions', () => {
  it('is made once before the first puts that replace, below the prefix, and leaves nothing behind', async () => {
    const { storage, standIn } = standInStorage({ etags: 'quoted' }, { prefix: 'team/agents' })
    expect(await storage.get('a')).toBeUndefined()
    expect([...standIn.counts.keys()]).toEqual(['GET'])
    const etags = await Promise.all(
      [0, 1, 2, 3].map((number) => storage.put(`key-${number}`, bytes('1'), { ifAbsent: true })),
    )
    expect([...standIn.counts]).toEqual([
      ['GET', 1],
      ['PUT if-none-match', 4],
    ])
    await Promise.all(
      etags.map(({ etag }, number) => storage.put(`key-${number}`, bytes('2'), { ifMatch: etag })),
    )
    expect(standIn.counts.get('DELETE')).toBe(1)
    expect(standIn.counts.get('PUT if-match')).toBe(3 + 4)
    expect(standIn.counts.get('PUT if-none-match')).toBe(4 + 2)
    expect([...standIn.objects.keys()].sort()).toEqual(
      [0, 1, 2, 3].map((number) => `team/agents/key-${number}`),
    )
    expect(await storage.conditions()).toBe('full')
    expect(standIn.counts.get('DELETE')).toBe(1)
  })

  it('is not made if the options say what the store does', async () => {
    const { storage, standIn } = standInStorage({}, { conditions: 'full' })
    const { etag } = await storage.put('a', bytes('1'), { ifAbsent: true })
    await storage.put('a', bytes('2'), { ifMatch: etag })
    expect(Object.fromEntries(standIn.counts)).toEqual({ 'PUT if-none-match': 1, 'PUT if-match': 1 })
    const createOnly = standInStorage({}, { conditions: 'create-only' })
    await createOnly.storage.put('a', bytes('1'), { ifAbsent: true })
    await expect(createOnly.storage.put('a', bytes('2'), { ifMatch: etag })).rejects.toThrow(
      /not support If-Match/,
    )
    expect(Object.fromEntries(createOnly.standIn.counts)).toEqual({ 'PUT if-none-match': 1 })
  })

  for (const conditions of ['no-if-match', 'ignores-if-match'] as const)
    it(`finds a store of the kind "${conditions}", whose ifMatch throws and changes nothing`, async () => {
      const { storage } = standInStorage({ conditions })
      const { etag } = await storage.put('a', bytes('1'), { ifAbsent: true })
      await expect(storage.put('a', bytes('2'), { ifAbsent: true })).rejects.toThrow(StorageConflictError)
      const swap = storage.put('a', bytes('2'), { ifMatch: etag })
      await expect(swap).rejects.toMatchObject({ code: 'storage-failed', retryable: false, key: 'a' })
      expect(await textOf(storage, 'a')).toBe('1')
      expect(await storage.conditions()).toBe('create-only')
      await storage.put('a', bytes('3'))
      expect(await textOf(storage, 'a')).toBe('3')
    })

  for (const conditions of ['ignores-conditions', 'no-conditions'] as const)
    it(`finds a store of the kind "${conditions}", whose ifMatch throws`, async () => {
      const { storage, standIn } = standInStorage({ conditions })
      await expect(storage.put('a', bytes('1'), { ifMatch: 'x' })).rejects.toThrow(
        /Use a store that honours them/,
      )
      await expect(storage.conditions()).rejects.toThrow(StorageError)
      expect(standIn.objects.size).toBe(0)
      await storage.put('b', bytes('new'), { ifAbsent: true })
      const again = storage.put('b', bytes('newer'), { ifAbsent: true })
      if (conditions === 'no-conditions') await expect(again).rejects.toThrow(StorageConflictError)
      else await again
      await storage.delete('b')
      await storage.put('a', bytes('plain'))
      expect(await textOf(storage, 'a')).toBe('plain')
      expect(await keysOf(storage)).toEqual(['a'])
      await storage.delete('a')
      expect(await keysOf(storage)).toEqual([])
    })

  it('is repeated if the store could not be reached', async () => {
    let down = true
    const answer = ({ method }: Request): Reply | undefined =>
      down && method === 'PUT' ? errorReply(403, 'AccessDenied', 'Access Denied') : undefined
    const storage = await overHttp(s3StandIn(), answer)
    await expect(storage.put('a', bytes('1'))).rejects.toThrow(/permission was denied/)
    down = false
    await storage.put('a', bytes('1'))
  })

  it('does not need the right to delete, and is in no listing', async () => {
    const standIn = s3StandIn()
    const storage = await overHttp(standIn, ({ method }) =>
      method === 'DELETE' ? errorReply(403, 'AccessDenied', 'Access Denied') : undefined,
    )
    await storage.put('a', bytes('1'))
    expect(standIn.objects.size).toBe(2)
    expect(await keysOf(storage)).toEqual(['a'])
  })
})

describe('a put whose answer was lost', () => {
  const cases = ['lost-reply', 'time-out-after', 'error-500-after', 'own-412'] as const
  for (const fault of cases)
    it(`succeeds once (${fault}), and a later one of another writer is a conflict`, async () => {
      const standIn = s3StandIn()
      const plan = scripted([fault])
      const client = directClient(standIn, plan)
      const storage = s3Storage({ bucket: 'bucket', client, retry: quick, conditions: 'full' })
      const { etag } = await storage.put('a', bytes('mine'), { ifAbsent: true })
      expect((await storage.get('a'))?.etag).toBe(etag)
      plan.add(fault)
      const next = await storage.put('a', bytes('mine again'), { ifMatch: etag })
      expect(await storage.get('a')).toEqual({ bytes: bytes('mine again'), etag: next.etag })
      plan.add(fault)
      await expect(storage.put('a', bytes('mine again'), { ifMatch: etag })).rejects.toThrow(
        StorageConflictError,
      )
      plan.add(fault)
      await expect(storage.put('a', bytes('mine again'), { ifAbsent: true })).rejects.toThrow(
        StorageConflictError,
      )
      expect(plan.left()).toBe(0)
    })

  for (const kind of ['plain', 'ifAbsent', 'ifMatch'] as const)
    it(`is recognized after another writer built upon it (${kind}), whose bytes stay`, async () => {
      const standIn = s3StandIn()
      const plan = scripted([])
      const open = (client = directClient(standIn)): S3Storage =>
        s3Storage({
          bucket: 'bucket',
          client,
          conditions: 'full',
          retry: { ...quick, firstDelayMs: 200, maxDelayMs: 200 },
        })
      const [slow, fast] = [open(directClient(standIn, plan)), open()]
      const before = kind === 'ifAbsent' ? undefined : await fast.put('a', bytes('before'))
      if (kind === 'plain') plan.add(undefined)
      plan.add('time-out-after')
      const condition = { plain: {}, ifAbsent: { ifAbsent: true }, ifMatch: { ifMatch: before?.etag ?? '' } }[
        kind
      ]
      const putting = slow.put('a', bytes('slow'), condition)
      await expect.poll(() => standIn.objects.get('a')?.bytes.toString(), { interval: 1 }).toBe('slow')
      const { etag } = (await fast.get('a')) ?? { etag: '' }
      await fast.put('a', bytes('fast 1'), { ifMatch: etag })
      await fast.put('a', bytes('fast 2'))
      const { etag: replaced } = await putting
      expect(await textOf(fast, 'a')).toBe('fast 2')
      await expect(fast.put('a', bytes('3'), { ifMatch: replaced })).rejects.toThrow(StorageConflictError)
    })

  it('is looked for before it is given up', async () => {
    const plan = scripted(['time-out-after', 'slow-down', 'slow-down'])
    const client = directClient(s3StandIn(), plan)
    const retry = { ...quick, attempts: 3 }
    const storage = s3Storage({ bucket: 'bucket', client, conditions: 'full', retry })
    await storage.put('a', bytes('1'), { ifAbsent: true })
    expect(plan.left()).toBe(0)
    plan.add('slow-down', 'slow-down', 'slow-down')
    const failing = storage.put('b', bytes('1'), { ifAbsent: true })
    await expect(failing).rejects.toMatchObject({ retryable: true, message: /asks for fewer requests/ })
  })

  it('keeps its marks within the metadata that S3 accepts, after many puts on one another', async () => {
    const { storage, standIn } = standInStorage({}, { conditions: 'full' })
    let { etag } = await storage.put('a', bytes('0'))
    for (let round = 1; round <= 100; round++)
      ({ etag } = await storage.put('a', bytes(`${round}`), { ifMatch: etag }))
    expect(standIn.objects.get('a')?.metadata['x-amz-meta-tenfold-writes']?.split('.')).toHaveLength(64)
  })
})

describe('bytes', () => {
  it('that differ from those that were put are refused', async () => {
    const { storage, standIn } = standInStorage()
    await storage.put('a', bytes('whole'))
    const held = standIn.objects.get('a')
    if (held !== undefined) standIn.objects.set('a', { ...held, bytes: Buffer.from('whale') })
    const reading = storage.get('a')
    await expect(reading).rejects.toMatchObject({
      code: 'storage-failed',
      retryable: false,
      message: /damaged/,
    })
  })

  it('that are fewer than announced are refused, with a mark or without', async () => {
    const standIn = s3StandIn()
    standIn.objects.set('a', { bytes: Buffer.from('plain'), etag: 'e', metadata: {}, since: 0 })
    const short = { ...standIn, respond: (request: Request): Reply => cut(standIn.respond(request)) }
    const cut = (reply: Reply): Reply => ({ ...reply, body: reply.body.subarray(0, 2) })
    const storage = s3Storage({ bucket: 'bucket', client: directClient(short), retry: quick })
    await expect(storage.get('a')).rejects.toMatchObject({ retryable: true, message: /2 of 5 bytes came/ })
  })

  it('are those at the time of the put, even if the caller overwrites them while it runs', async () => {
    const { storage } = standInStorage()
    const given = bytes('as it was')
    const putting = storage.put('a', given)
    given.fill(0)
    await putting
    expect(await textOf(storage, 'a')).toBe('as it was')
  })

  it('that others put without a mark are read', async () => {
    const { storage, standIn } = standInStorage()
    standIn.objects.set('a', { bytes: Buffer.from('plain'), etag: 'e', metadata: {}, since: 0 })
    expect(await storage.get('a')).toEqual({ bytes: bytes('plain'), etag: 'e' })
    await storage.put('a', bytes('new'), { ifMatch: 'e' })
    expect(await textOf(storage, 'a')).toBe('new')
  })

  it('are sent whole, signed and encrypted as requested, with no checksum that stores may not know', async () => {
    const sent: Request[] = []
    const record = (request: Request): undefined => void sent.push(request)
    const options = { serverSideEncryption: 'aws:kms', kmsKeyId: 'key-1' } as const
    const storage = await overHttp(s3StandIn(), record, options)
    await storage.put('a', bytes('secret'), { ifAbsent: true })
    // The first put of this form finds out what the store knows of conditions.
    await storage.put('a', bytes('another secret'))
    const puts = sent.filter(({ method }) => method === 'PUT')
    expect(puts.length).toBeGreaterThan(4)
    for (const { headers } of puts) {
      expect(headers['x-amz-server-side-encryption']).toBe('aws:kms')
      expect(headers['x-amz-server-side-encryption-aws-kms-key-id']).toBe('key-1')
      expect(headers['x-amz-content-sha256']).toMatch(/^[0-9a-f]{64}$/)
      expect(Object.keys(headers).filter((name) => /checksum|trailer|transfer-encoding/.test(name))).toEqual(
        [],
      )
    }
  })
})
