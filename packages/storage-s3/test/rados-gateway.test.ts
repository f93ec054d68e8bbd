import { bundleStore } from '@tenfold/core'
import { storageCases } from '@tenfold/core/testing'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { everyPoint } from '../../../test/support/repeats.ts'
import { type S3Storage, type S3StorageOptions, s3Storage, s3StorageFromUrl } from '../src/index.ts'
import { type FaultProxy, startFaultProxy } from './stand-in-s3/index.ts'
import { createBucket } from './support/bucket.ts'
import {
  installRadosGateway,
  missingPrograms,
  type RadosGateway,
  startRadosGateway,
} from './support/rados-gateway.ts'
import { newBundle, runWriters } from './support/writers.ts'

const bucket = 'tenfold-test'
const missing = missingPrograms()
const hint = `needs ${missing.join(', ')}: ${installRadosGateway}`

if (missing.length === 0) describe('Ceph RADOS Gateway', withGateway)
else if (process.env.TENFOLD_REQUIRE_PARTS === '1')
  it('is installed, as TENFOLD_REQUIRE_PARTS=1 demands', () => expect.unreachable(hint))
else {
  console.warn(`The tests against a real S3 server were skipped; they ${hint.replace('needs', 'need')}`)
  it.skip(`Ceph RADOS Gateway ${hint}`, () => undefined)
}

function withGateway(): void {
  let gateway: RadosGateway | undefined
  let proxy: FaultProxy | undefined
  const opened: S3Storage[] = []

  beforeAll(async () => {
    gateway = await startRadosGateway()
    const { endpoint, startMs } = gateway
    console.info(`Ceph was up after ${Math.round(startMs)} ms`)
    await createBucket(gateway, bucket)
    proxy = await startFaultProxy(endpoint, { seed: 11, rate: 0.04 })
  }, 300_000)

  afterAll(async () => {
    for (const storage of opened) storage.close()
    await proxy?.close()
    await gateway?.stop()
  })

  let prefixes = 0
  function open(options: Partial<S3StorageOptions> = {}): S3Storage {
    prefixes += 1
    const { endpoint, credentials } = gateway ?? {}
    const storage = s3Storage({
      bucket,
      prefix: `case-${prefixes}`,
      ...(endpoint !== undefined && { endpoint }),
      ...(credentials !== undefined && { credentials }),
      ...options,
    })
    opened.push(storage)
    return storage
  }
  function openThroughProxy(prefix: string): S3Storage {
    const retry = { attempts: 12, firstDelayMs: 5, maxDelayMs: 100, idleMs: 1500 }
    return open({ prefix, ...(proxy !== undefined && { endpoint: proxy.endpoint }), retry })
  }

  const oddPrefix = 'sp ace/\u00fcn\u00ef \u{1f642}/50%+1 %41&=?#\'"<>;'
  for (const { name, run } of storageCases)
    it(name, () => run(async () => open({ prefix: `${oddPrefix}/${prefixes}` })))

  // In `npm test` those that lost answers can break on a real server.
  for (const { name, run } of storageCases.filter(
    (one) => everyPoint || /ifAbsent win|staged/.test(one.name),
  ))
    it(`keeps a law through a proxy with faults: ${name}`, async () => {
      prefixes += 1
      await run(async () => openThroughProxy(`shaky/${prefixes}`))
    })

  it('honours all conditions', async () => {
    expect(await open().conditions()).toBe('full')
  })

  it('keeps the saves of four writers through a proxy with faults', async () => {
    const result = await runWriters(() => openThroughProxy('writers'), { writers: 4, saves: 8 })
    expect(result.acknowledged).toHaveLength(32)
    expect(proxy?.plan.given.size).toBe(7)
  })

  it('is reached by a URL and the environment', async () => {
    const { endpoint = '', credentials } = gateway ?? {}
    vi.stubEnv('AWS_ACCESS_KEY_ID', credentials?.accessKeyId)
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', credentials?.secretAccessKey)
    try {
      const url = `s3://${bucket}/by%20url?endpoint=${encodeURIComponent(endpoint)}&region=us-east-1&path-style=1`
      const storage = s3StorageFromUrl(url)
      opened.push(storage)
      const saved = await bundleStore(storage).save(newBundle())
      expect((await bundleStore(open({ prefix: 'by url' })).latest('main'))?.bundle.id).toBe(saved.id)
    } finally {
      vi.unstubAllEnvs()
    }
  })

  it('reports what is wrong with keys, a secret, a bucket', async () => {
    const { accessKeyId = '' } = gateway?.credentials ?? {}
    const wrongSecret = { credentials: { accessKeyId, secretAccessKey: 'wrong' } }
    await expect(open(wrongSecret).get('a')).rejects.toThrow(/secret key does not match/)
    const wrongKey = { credentials: { accessKeyId: 'NOBODY', secretAccessKey: 'wrong' } }
    await expect(open(wrongKey).get('a')).rejects.toThrow(/does not know the access key/)
    await expect(open({ bucket: 'no-such-bucket' }).get('a')).rejects.toThrow(
      /there is no bucket "no-such-bucket"/,
    )
    await expect(open({ bucket: 'no-such-bucket' }).put('a', new Uint8Array())).rejects.toThrow(
      /there is no bucket/,
    )
  })
}
