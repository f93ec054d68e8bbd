import {
  HeadObjectCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  type S3Client,
} from '@aws-sdk/client-s3'
import { answerOf, isPassing, neverArrived, type RetryTimes, retrying, waitBefore } from './retry.ts'
import { fromMetadata, joinEtag, newMark, toMetadata } from './write-mark.ts'

export interface Sender {
  readonly client: S3Client
  readonly bucket: string
  readonly times: RetryTimes
}

/** A put. `key` is the key in the bucket, `writes` are the ids of the puts that it builds upon. */
export interface ObjectPut {
  readonly key: string
  readonly body: Uint8Array
  readonly headers: Pick<
    PutObjectCommandInput,
    'IfMatch' | 'IfNoneMatch' | 'ServerSideEncryption' | 'SSEKMSKeyId'
  >
  readonly writes?: readonly string[]
}

/**
 * Puts an object, retries if the outcome is unclear, and finds out whether this put took effect. Returns its etag, or
 * `undefined` if the condition did not hold. Throws what the SDK threw.
 */
export async function putObject(sender: Sender, put: ObjectPut): Promise<string | undefined> {
  const { client, bucket, times } = sender
  const mark = newMark(put.body, put.writes ?? [])
  const command = { Bucket: bucket, Key: put.key, Body: put.body, Metadata: toMetadata(mark), ...put.headers }
  const conditional = put.headers.IfMatch !== undefined || put.headers.IfNoneMatch !== undefined
  let mayHaveHappened = false
  for (let attempt = 1; ; attempt++) {
    try {
      const { ETag } = await client.send(new PutObjectCommand(command))
      return joinEtag(unquoted(ETag), mark.writes)
    } catch (error) {
      if (conditional && isLost(error)) return await findWrite(sender, put.key, mark.writes)
      if (!isPassing(error)) throw error
      mayHaveHappened ||= !neverArrived(error)
      if (attempt >= times.attempts) {
        const found = mayHaveHappened ? await findWrite(sender, put.key, mark.writes) : undefined
        if (found === undefined) throw error
        return found
      }
    }
    await waitBefore(attempt, times)
  }
}

/**
 * Whether the store reports that the condition did not hold. This put itself may be the cause, if the answer to a first
 * try was lost or a proxy sent it twice. For a missing object, AWS answers an If-Match with 404, others with 412.
 */
function isLost(error: unknown): boolean {
  const { status, name } = answerOf(error)
  return status === 412 || name === 'PreconditionFailed' || name === 'NoSuchKey'
}

/** The etag of a put if it wrote the object or a later put built upon it. Undefined if others wrote the object. */
async function findWrite(
  sender: Sender,
  key: string,
  [own = '', ...before]: readonly string[],
): Promise<string | undefined> {
  const found = await headObject(sender, key)
  if (found === undefined || !found.writes.includes(own)) return undefined
  // If others have built upon the put, its etag is outdated and no longer matches.
  return joinEtag(found.writes[0] === own ? found.etag : 'replaced', [own, ...before])
}

/** The store's etag of an object, and the writes behind it. Undefined if there is no object. */
export async function headObject(
  { client, bucket, times }: Sender,
  key: string,
): Promise<{ readonly etag: string; readonly writes: readonly string[] } | undefined> {
  try {
    const head = await retrying(times, () => client.send(new HeadObjectCommand({ Bucket: bucket, Key: key })))
    return { etag: unquoted(head.ETag), writes: fromMetadata(head.Metadata).writes ?? [] }
  } catch (error) {
    if (answerOf(error).status === 404) return undefined
    throw error
  }
}

/** Some stores, such as Ceph 16, compare `If-Match` literally with the bare etag. */
export function unquoted(etag: string | undefined): string {
  return (etag ?? '').replaceAll('"', '')
}
