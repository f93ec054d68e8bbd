import { hash } from 'node:crypto'
import { DeleteObjectCommand, GetObjectCommand } from '@aws-sdk/client-s3'
import {
  assertStorageKey,
  type PutCondition,
  type Storage,
  StorageConflictError,
  StorageError,
} from '@tenfold/core/storage'
import { assertWritable } from './assert-writable.ts'
import { makeClient } from './client.ts'
import { listObjects } from './list-objects.ts'
import { type Conditions, checkOptions, type S3StorageOptions } from './options.ts'
import { compareHeader, isNotImplemented, probeConditions, type StoreConditions } from './probe-conditions.ts'
import { headObject, type ObjectPut, putObject, type Sender, unquoted } from './put-with-precondition.ts'
import { replaceObject } from './replace-object.ts'
import { answerOf, BrokenAnswerError, DamagedObjectError, defaultRetryTimes, retrying } from './retry.ts'
import { type FailedStep, storageFailure } from './storage-failure.ts'
import { fromMetadata, joinEtag, splitEtag } from './write-mark.ts'

/** A storage in a bucket. */
export interface S3Storage extends Storage {
  /**
   * Returns which conditional puts the store supports: `create-only` if it has no `If-Match`, so that a put with
   * `ifMatch` throws StorageError. Throws StorageError if it supports none.
   */
  conditions(): Promise<Conditions>
  /** Closes the connections. A client that was passed in stays open. */
  close(): void
}

// https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html
const maxKeyBytes = 1024

/**
 * A storage of objects below a prefix of a bucket, in AWS S3 or a compatible store. Uses the store's conditional puts,
 * which are tested before the first put that replaces an object. A request whose answer was lost is sent again; each
 * object has the id of its put, which reveals a put that has already taken effect.
 *
 * Limits: an object is put in one request (5 GB on AWS). If the store ignores or rejects `If-None-Match`, an `ifAbsent`
 * of two writers at the same moment may succeed for both. If the store has no `If-Match`, a resent plain put may undo
 * what another writer put in between. Directory buckets, which list without an order, are refused. Throws only
 * StorageError and StorageConflictError.
 */
export function s3Storage(options: S3StorageOptions): S3Storage {
  const base = checkOptions(options)
  const { bucket, serverSideEncryption, kmsKeyId, conditions: mode = 'probe' } = options
  const times = { ...defaultRetryTimes, ...options.retry }
  const client = options.client ?? makeClient(options, times)
  const sender: Sender = { client, bucket, times }
  const name = `s3://${bucket}/${base}`.replace(/\/$/, '')
  const encryption: ObjectPut['headers'] = {
    ...(serverSideEncryption !== undefined && { ServerSideEncryption: serverSideEncryption }),
    ...(kmsKeyId !== undefined && { SSEKMSKeyId: kmsKeyId }),
  }
  let known: Promise<StoreConditions> | undefined

  async function storeConditions(): Promise<StoreConditions> {
    if (mode === 'full') return { create: true, compare: 'bare' }
    if (mode === 'create-only') return { create: true }
    known ??= probeConditions(sender, base, encryption)
    try {
      return await known
    } catch (error) {
      // The probe failed; the next put repeats it.
      known = undefined
      throw error
    }
  }

  async function usableConditions(key: string): Promise<StoreConditions> {
    const found = await storeConditions()
    if (found.create) return found
    throw new StorageError(
      key,
      `${name} ignores or refuses conditional writes (If-None-Match), so two writers could silently overwrite each other. Use a store that honours them, such as AWS S3 or Ceph, or a folder.`,
    )
  }

  /** Puts the object if the key is not taken; otherwise returns undefined. */
  async function create(put: ObjectPut): Promise<string | undefined> {
    try {
      return await putObject(sender, { ...put, headers: { ...put.headers, IfNoneMatch: '*' } })
    } catch (error) {
      if (!isNotImplemented(error)) throw error
      return (await headObject(sender, put.key)) === undefined ? await putObject(sender, put) : undefined
    }
  }

  /** Puts the object if the condition holds; otherwise returns undefined. */
  async function putIf(put: ObjectPut, key: string, condition: PutCondition): Promise<string | undefined> {
    if (condition.ifMatch === undefined) return await create(put)
    const { compare } = await usableConditions(key)
    if (condition.ifAbsent === true) return undefined
    if (compare === undefined)
      throw new StorageError(
        key,
        `${name} does not support If-Match, so it cannot replace an object only if it is unchanged; use a store that does, such as AWS S3 or Ceph.`,
      )
    const { etag, writes } = splitEtag(condition.ifMatch)
    return await putObject(sender, {
      ...put,
      headers: { ...put.headers, IfMatch: compareHeader(etag, compare) },
      writes,
    })
  }

  /** Runs a step on a key and converts errors to StorageError. */
  async function step<T>(action: FailedStep['action'], key: string, run: () => Promise<T>): Promise<T> {
    try {
      return await run()
    } catch (cause) {
      throw storageFailure({ action, key, bucket, name }, cause)
    }
  }

  function objectKey(key: string): string {
    assertStorageKey(key)
    if (Buffer.byteLength(base) + key.length > maxKeyBytes)
      throw new StorageError(
        key,
        `${key} is too long below the prefix of ${name}: S3 keys have at most ${maxKeyBytes} bytes`,
      )
    return `${base}${key}`
  }

  async function read(Key: string): Promise<{ bytes: Uint8Array; etag: string } | undefined> {
    try {
      const { Body, ContentLength, ETag, Metadata } = await client.send(
        new GetObjectCommand({ Bucket: bucket, Key }),
      )
      const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array()
      const { sha256, writes = [] } = fromMetadata(Metadata)
      if (ContentLength !== undefined && ContentLength !== bytes.byteLength)
        throw new BrokenAnswerError(`${bytes.byteLength} of ${ContentLength} bytes arrived; try again`)
      if (sha256 !== undefined && sha256 !== hash('sha256', bytes))
        throw new DamagedObjectError(
          'the bytes differ from those that were put at each attempt; the object is damaged, restore it from a backup',
        )
      return { bytes, etag: joinEtag(unquoted(ETag), writes) }
    } catch (error) {
      if (answerOf(error).name === 'NoSuchKey') return undefined
      throw error
    }
  }

  return {
    name,
    remote: true,
    async get(key) {
      const Key = objectKey(key)
      return await step('read', key, () => retrying(times, () => read(Key)))
    },
    async put(key, bytes, condition = {}) {
      const put = { key: objectKey(key), body: Uint8Array.from(bytes), headers: encryption }
      const plain = condition.ifAbsent !== true && condition.ifMatch === undefined
      return await step('write', key, async () => {
        const etag = plain
          ? await replaceObject(sender, put, (await storeConditions()).compare)
          : await putIf(put, key, condition)
        if (etag !== undefined) return { etag }
        const reason = condition.ifAbsent === true ? 'exists already' : 'was changed or deleted meanwhile'
        throw new StorageConflictError(key, `${key} in ${name} ${reason}`)
      })
    },
    async assertWritable(key) {
      objectKey(key)
      await step('write', key, () => assertWritable(sender, base, encryption))
    },
    async *list(prefix, range) {
      try {
        yield* listObjects(sender, base, prefix, range)
      } catch (cause) {
        throw storageFailure({ action: 'list', key: prefix, bucket, name }, cause)
      }
    },
    async delete(key) {
      const Key = objectKey(key)
      await step('delete', key, async () => {
        await retrying(times, () => client.send(new DeleteObjectCommand({ Bucket: bucket, Key })))
      })
    },
    async conditions() {
      const { compare } = await step('write', '', () => usableConditions(''))
      return compare === undefined ? 'create-only' : 'full'
    },
    close() {
      if (options.client === undefined) client.destroy()
    },
  }
}
