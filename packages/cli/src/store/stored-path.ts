import { join } from 'node:path'

/** Where an object of a store lies, as a person finds it: a path, or the URL of an object without the store's options. */
export function storedPath(store: string, key: string): string {
  if (!/^s3:\/\//i.test(store)) return join(store, key)
  return `${store.replace(/\?.*$/, '').replace(/\/+$/, '')}/${key}`
}
