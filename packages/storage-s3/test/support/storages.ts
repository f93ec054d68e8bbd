import { createHash } from 'node:crypto'
import { S3Client } from '@aws-sdk/client-s3'
import { memoryStorage, type Storage } from '@tenfold/core'
import { storageKeyFault } from '@tenfold/core/storage'
import { onTestFinished } from 'vitest'
import { withoutNodeNotice } from '../../src/client.ts'
import { type S3Storage, type S3StorageOptions, s3Storage } from '../../src/index.ts'
import {
  directHandler,
  type Fault,
  type FaultPlan,
  type Reply,
  type Request,
  type S3StandIn,
  type StandInOptions,
  s3StandIn,
  serveStandIn,
  standInKeys,
} from '../stand-in-s3/index.ts'

/** Waits of almost no time, for tests with many failing requests. */
export const quick = { attempts: 12, firstDelayMs: 1, maxDelayMs: 8, idleMs: 250 }

/** A client without a network between it and the stand-in. */
export function directClient(standIn: S3StandIn, plan?: FaultPlan): S3Client {
  return withoutNodeNotice(
    () =>
      new S3Client({
        region: standIn.options.region ?? 'us-east-1',
        endpoint: 'http://stand-in.invalid',
        forcePathStyle: true,
        credentials: standInKeys,
        maxAttempts: 1,
        requestChecksumCalculation: 'WHEN_REQUIRED',
        requestHandler: directHandler(standIn, plan),
      }),
  )
}

/** A storage directly over a new stand-in. */
export function standInStorage(
  behaviour: StandInOptions = {},
  options: Partial<S3StorageOptions> = {},
  plan?: FaultPlan,
): { readonly storage: S3Storage; readonly standIn: S3StandIn } {
  const standIn = s3StandIn(behaviour)
  const client = directClient(standIn, plan)
  return { standIn, storage: s3Storage({ bucket: 'bucket', client, retry: quick, ...options }) }
}

/**
 * A storage whose puts reach the stand-in without a request, for listings of more keys than fit one page: thousands of
 * requests would show nothing about them. `prefix` is that of the storage, with its "/".
 */
export function filledDirectly(storage: Storage, standIn: S3StandIn, prefix = ''): Storage {
  return {
    ...storage,
    async put(key, bytes) {
      const etag = createHash('md5').update(bytes).digest('hex')
      standIn.objects.set(prefix + key, { bytes: Buffer.from(bytes), etag, metadata: {}, since: 0 })
      return { etag }
    },
  }
}

/** Objects of a stand-in in the whole bucket, read without requests and faults. */
export async function copyOf(standIn: S3StandIn): Promise<Storage> {
  const copy = memoryStorage()
  for (const [key, { bytes }] of standIn.objects) {
    if (storageKeyFault(key) === undefined) await copy.put(key, bytes)
  }
  return copy
}

/** A plan that gives these faults to the next requests, in order, and then none. `undefined` lets one pass. */
export function scripted(script: (Fault | undefined)[]): FaultPlan & {
  add(...more: (Fault | undefined)[]): void
  left(): number
} {
  const given = new Map<Fault, number>()
  return {
    given,
    pick: () => 0,
    next: () => script.shift(),
    add: (...more) => void script.push(...more),
    left: () => script.length,
  }
}

/** A storage over HTTP, which ends with the test. */
export async function overHttp(
  standIn: S3StandIn,
  answer: (request: Request) => Reply | undefined,
  options: Partial<S3StorageOptions> = {},
): Promise<S3Storage> {
  const server = await serveStandIn(standIn, { answer })
  const basics = { bucket: 'bucket', endpoint: server.endpoint, credentials: standInKeys, retry: quick }
  const storage = s3Storage({ ...basics, ...options })
  onTestFinished(async () => {
    storage.close()
    await server.close()
  })
  return storage
}
