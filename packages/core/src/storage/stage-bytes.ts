import type { StagedBytes, Storage } from './storage.ts'

/**
 * Stages bytes in the storage if it can, otherwise in memory; `expected` is about how many there will be.
 */
export async function stageBytes(storage: Storage, prefix: string, expected: number): Promise<StagedBytes> {
  return (await storage.stage?.(prefix)) ?? stageInMemory(storage, expected)
}

/** Holds the bytes in memory until they are put in one piece. */
export function stageInMemory(storage: Pick<Storage, 'put'>, expected: number): StagedBytes {
  // Joined as they come: pieces and the whole of them would take the memory twice.
  let held = Buffer.allocUnsafeSlow(expected + 1024)
  let length = 0
  return {
    async write(bytes) {
      if (length + bytes.length > held.length) {
        const larger = Buffer.allocUnsafeSlow(2 * held.length + bytes.length)
        larger.set(held.subarray(0, length))
        held = larger
      }
      held.set(bytes, length)
      length += bytes.length
    },
    put: (key, condition) => storage.put(key, held.subarray(0, length), condition),
    async discard() {
      held = Buffer.alloc(0)
      length = 0
    },
  }
}
