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
  // No key begins with such a prefix, and an odd prefix need not be sent.
  if (!/^[A-Za-z0-9._/-]*$/.test(prefix)) return
  let token: string | undefined
  let last = Buffer.alloc(0)
  do {
    const page = await retrying(times, () =>
      client.send(
        new ListObjectsV2Command({
          Bucket: bucket,
          Prefix: `${base}${prefix}`,
          // XML cannot hold every character of a name that others may have put there.
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
          `it gave ${JSON.stringify(name.slice(0, 100))}, which does not begin with the prefix`,
        )
      const bytes = Buffer.from(name)
      if (Buffer.compare(bytes, last) <= 0)
        throw wrong(
          prefix,
          'it is not in the order of bytes; directory buckets and such stores cannot be used',
        )
      last = bytes
      const key = name.slice(base.length)
      // Some stores know no StartAfter.
      if ((after === undefined || key > after) && storageKeyFault(key) === undefined)
        yield { key, size: Size ?? 0 }
    }
    if (page.IsTruncated === true && (page.NextContinuationToken ?? token) === token)
      throw wrong(prefix, 'it is cut off, without a place to continue from')
    token = page.IsTruncated === true ? page.NextContinuationToken : undefined
  } while (token !== undefined)
}

/** AWS writes a space as "+", others as "%20"; both write "+" as "%2B". */
function decodeName(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '))
  } catch (cause) {
    if (!(cause instanceof URIError)) throw cause
    // Not UTF-8: this package cannot have put such a name.
    return name
  }
}

function wrong(prefix: string, reason: string): StorageError {
  return new StorageError(prefix, `the store's listing cannot be trusted: ${reason}.`)
}
