import { known } from '../session/known.ts'
import type { Storage, StoredObject } from '../storage/storage.ts'
import type { Handlers, PortCalls } from './port-calls.ts'

/** What a thread must know about a storage in order to call it. */
export interface StorageOutline {
  /** The same for each call that has this storage. */
  readonly id: number
  readonly name: string
  readonly assertsWritable: boolean
  readonly remote?: boolean | undefined
}

const ids = new WeakMap<Storage, number>()
let lastId = 0

export function outlineOfStorage(storage: Storage): StorageOutline {
  const { name, assertWritable, remote } = storage
  const id = ids.get(storage) ?? ++lastId
  ids.set(storage, id)
  return { id, name, assertsWritable: assertWritable !== undefined, remote }
}

/** Answers the calls of a storage in another thread. */
export function storageHandlers(storage: Storage): Handlers {
  return {
    get: (key: string) => storage.get(key),
    put: (...args: Parameters<Storage['put']>) => storage.put(...args),
    delete: (key: string) => storage.delete(key),
    assertWritable: (key: string) => storage.assertWritable?.(key),
    async list(...args: Parameters<Storage['list']>) {
      const objects: StoredObject[] = []
      for await (const object of storage.list(...args)) objects.push(object)
      return objects
    },
  }
}

/** The storage of the main thread, as seen from another one: a put that has begun ends even if this thread is killed. */
export function storageOfPort(
  { name, assertsWritable, remote }: Omit<StorageOutline, 'id'>,
  { call }: PortCalls,
): Storage {
  return {
    name,
    get: (key) => call('get', key),
    put: (...args) => call('put', ...args),
    delete: (key) => call('delete', key),
    async *list(...args) {
      yield* await call<StoredObject[]>('list', ...args)
    },
    ...known({
      assertWritable: assertsWritable ? (key: string) => call<void>('assertWritable', key) : undefined,
      remote,
    }),
  }
}
