import { randomBytes } from 'node:crypto'
import { DeleteObjectCommand } from '@aws-sdk/client-s3'
import { type ObjectPut, putObject, type Sender, unquoted } from './put-with-precondition.ts'
import { answerOf, retrying } from './retry.ts'
import { splitEtag } from './write-mark.ts'

/**
 * Which conditions a store supports: whether it honours `If-None-Match: *`, and the form of etag for `If-Match`, if
 * any.
 */
export interface StoreConditions {
  readonly create: boolean
  readonly compare?: 'bare' | 'quoted'
}

/**
 * Tries conditional puts on a new key below `prefix`, then removes it. Some stores answer 200 but ignore conditions
 * (https://github.com/pithings/mountx/issues/19), so each condition is tried when it holds and when it does not.
 */
export async function probeConditions(
  sender: Sender,
  prefix: string,
  encryption: ObjectPut['headers'],
): Promise<StoreConditions> {
  const key = probeKey(prefix)
  const put = async (
    text: string,
    headers: ObjectPut['headers'],
  ): Promise<string | undefined | 'refused'> => {
    try {
      const body = new TextEncoder().encode(
        `A trial of conditional writes (${text}); delete it if you find it.\n`,
      )
      return await putObject(sender, { key, body, headers: { ...encryption, ...headers } })
    } catch (error) {
      if (isNotImplemented(error)) return 'refused'
      throw error
    }
  }
  try {
    const created = await put('1', { IfNoneMatch: '*' })
    if (created === undefined || created === 'refused') return { create: false }
    if ((await put('2', { IfNoneMatch: '*' })) !== undefined) return { create: false }
    if ((await put('3', { IfMatch: '0123456789abcdef0123456789abcdef' })) !== undefined)
      return { create: true }
    const etag = unquoted(splitEtag(created).etag)
    for (const compare of ['bare', 'quoted'] as const) {
      const swapped = await put('4', { IfMatch: compareHeader(etag, compare) })
      if (swapped !== undefined && swapped !== 'refused') return { create: true, compare }
    }
    return { create: true }
  } finally {
    await removeProbe(sender, key)
  }
}

/** Whether a store reports that it does not support a header of the request. */
export function isNotImplemented(error: unknown): boolean {
  const { status, name } = answerOf(error)
  return status === 501 || name === 'NotImplemented'
}

/** A new key below `prefix`. A leading dot keeps the object out of listings if it remains. */
export function probeKey(prefix: string): string {
  return `${prefix}.tenfold-probe-${randomBytes(9).toString('hex')}`
}

export function compareHeader(etag: string, compare: 'bare' | 'quoted'): string {
  return compare === 'quoted' ? `"${etag}"` : etag
}

export async function removeProbe({ client, bucket, times }: Sender, key: string): Promise<void> {
  try {
    await retrying(times, () => client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key })))
  } catch {
    // Some users may write but not delete. The small object then remains, but is in no listing.
  }
}
