import { createHash } from 'node:crypto'
import { fileStorage } from '@tenfold/storage-fs'

/** Results in a folder, so that a run that was stopped goes on where it was. */
export interface KeptResults {
  /** Returns what is kept under the inputs, or makes it and keeps it. Other inputs make another result. */
  once<T>(kind: string, inputs: unknown, make: () => Promise<T>): Promise<T>
  /** Number of results that were made, not found. */
  made(): number
}

/** Opens a folder of results, which is created when the first one is kept. */
export function keptResults(folder: string): KeptResults {
  const storage = fileStorage(folder)
  let made = 0
  return {
    made: () => made,
    async once(kind, inputs, make) {
      const digest = createHash('sha256').update(JSON.stringify(inputs)).digest('hex').slice(0, 32)
      const key = `${kind}/${digest}.json`
      const found = await storage.get(key)
      if (found !== undefined) return JSON.parse(new TextDecoder().decode(found.bytes)).value
      const value = await make()
      await storage.put(key, new TextEncoder().encode(`${JSON.stringify({ inputs, value }, null, 2)}\n`))
      made += 1
      return value
    },
  }
}
