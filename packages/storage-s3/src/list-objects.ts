import { ListObjectsV2Command } from '@aws-sdk/client-s3'
import { type ListOptions, StorageError, type StoredObject, storageKeyFault } from '@tenfold/core/storage'
import type { Sender } from './put-with-precondition.ts'
import { retrying } from './retry.ts'

/**
 * Objects of a bucket below `base` whose keys begin with `prefix`, page by page. Leaves out names that are not storage
 * keys. Throws StorageError if the store's listing cannot be right, so that nothing is missed silently.
 */
export async function* listObjects(
  { client, bucket, times }: Sender,
  base: string,
  prefix: string,
  { after }: ListOptions = {},
): AsyncGenerator<StoredObject> {
  // No key can begin with such a prefix, so it is not sent.
  if (!/^[A-Za-z0-9._/-]*$/.test(prefix)) return
  let token: string | undefined
  let last = Buffer.alloc(0)
  do {
    const page = await retrying(times, () =>
      client.send(
        new ListObjectsV2Command({
          Bucket: bucket,
          Prefix: `${base}${prefix}`,
          // XML cannot contain every character of a name that others may have put there.
          EncodingType: 'url',
          ...(token !== undefined && { ContinuationToken: token }),
          ...(token === undefined && after !== undefined && { StartAfter: `${base}${after}` }),
        }),
      ),
    )
    for (const { Key, Size } of page.Contents ?? []) {
      const name = page.EncodingType === 'url' ? decodeName(Key ?? '') : (Key ?? '')
      if (!name.startsWith(`${base}${prefix}`))
        throw wrong(
          prefix,
          `it contains ${JSON.stringify(name.slice(0, 100))}, which does not begin with the prefix`,
        )
      const bytes = Buffer.from(name)
      if (Buffer.compare(bytes, last) <= 0)
        throw wrong(prefix, 'it is not in byte order; directory buckets and similar stores cannot be used')
      last = bytes
      const key = name.slice(base.length)
      // Some stores ignore StartAfter.
      if ((after === undefined || key > after) && storageKeyFault(key) === undefined)
        yield { key, size: Size ?? 0 }
    }
    if (page.IsTruncated === true && (page.NextContinuationToken ?? token) === token)
      throw wrong(prefix, 'it is cut off and has no continuation token')
    token = page.IsTruncated === true ? page.NextContinuationToken : undefined
  } while (token !== undefined)
}

/** AWS writes a space as "+", others as "%20"; both write "+" as "%2B". */
function decodeName(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '))
  } catch (cause) {
    if (!(cause instanceof URIError)) throw cause
    // The name is not UTF-8, so this package did not put it.
    return name
  }
}

function wrong(prefix: string, reason: string): StorageError {
  return new StorageError(prefix, `the store's listing cannot be trusted: ${reason}.`)
}
