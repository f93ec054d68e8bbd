import { join } from 'node:path'

/** Location of a stored object, as shown to the user: a path, or the URL of the object without the store's options. */
export function storedPath(store: string, key: string): string {
  if (!/^s3:\/\//i.test(store)) return join(store, key)
  return `${store.replace(/\?.*$/, '').replace(/\/+$/, '')}/${key}`
}
