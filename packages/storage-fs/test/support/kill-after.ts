import type { FileSystem, OpenFile } from '../../src/file-system.ts'
import { type MemoryDisk, type MemoryDiskOptions, memoryDisk } from './memory-disk.ts'

/** A disk whose first user can be killed. */
export interface KillableDisk {
  readonly disk: MemoryDisk
  /** The file system of the killed user: from then on no call returns. */
  readonly mortal: FileSystem
  /** Runs until the end (true) or until the kill (false). */
  survives(run: Promise<unknown>): Promise<boolean>
}

/** A memory disk whose user is killed after the n-th change; others see what it did, synced or not. */
export function killableDisk(n: number, options: MemoryDiskOptions = {}): KillableDisk {
  let kill = (): void => undefined
  const killed = new Promise<boolean>((resolve) => {
    kill = () => resolve(false)
  })
  let changes = 0
  const disk = memoryDisk({
    ...options,
    onChange() {
      changes += 1
      if (changes === n) kill()
    },
  })
  const never = new Promise<never>(() => undefined)

  function mortalCalls<T extends object>(target: T): T {
    const wrapped = new Map<string, unknown>()
    for (const [name, call] of Object.entries(target)) {
      wrapped.set(name, async (...args: unknown[]) => {
        if (changes >= n) return await never
        const result: unknown = await call(...args)
        if (changes >= n) return await never
        return name === 'open' ? mortalCalls(result as OpenFile) : result
      })
    }
    return Object.fromEntries(wrapped) as T
  }

  return {
    disk,
    mortal: mortalCalls(disk.fs),
    survives: async (run) => await Promise.race([run.then(() => true), killed]),
  }
}
