import { dirname, resolve } from 'node:path'
import { unpackedName } from '../log/log-file.ts'
import type { SeenLog } from './look-at-file.ts'

/** Which log a file belongs to. */
export type Owners = ReturnType<typeof createOwners>

const journals = ['-wal', '-shm', '-journal']

/** Nothing belongs to a log yet. Files are identified by absolute path. */
export function createOwners() {
  const readers = new Map<string, string>()
  const copies = new Map<string, string>()
  /** Files, and folders with everything in them. */
  const places = new Map<string, string>()

  function mainOf(file: string): string {
    let main = file
    for (let next = readers.get(main); next !== undefined; next = readers.get(main)) main = next
    return main
  }

  return {
    /** Adds the files that are read with a log, and the places of those that only belong to it. */
    add(log: string, { reader, sessionFiles, isDatabase }: SeenLog): void {
      for (const other of sessionFiles.map((path) => resolve(path))) {
        // Two files may each name the other: the first of them is the log.
        if (mainOf(log) !== other && !readers.has(other)) readers.set(other, log)
      }
      const plain = unpackedName(log)
      const around = reader.companions?.(plain) ?? []
      const own = isDatabase ? journals.map((end) => `${plain}${end}`) : []
      for (const place of [...around, ...own]) {
        const key = resolve(place)
        if (!places.has(key)) places.set(key, log)
      }
    },
    /** Adds a log that is the packed copy of another one next to it. */
    addPackedCopy(log: string, { start }: SeenLog, logs: ReadonlyMap<string, SeenLog>): void {
      const plain = unpackedName(log)
      if (plain !== log && logs.get(plain)?.start === start) copies.set(log, plain)
    },
    /** The log that a file is read with; `undefined` if there is none, or the file is that log. */
    readWith(file: string): string | undefined {
      const main = mainOf(file)
      return main === file ? undefined : main
    },
    /** The log of which a file is a packed copy. */
    copyOf: (file: string): string | undefined => copies.get(file),
    /** The log that a file belongs to because of its place. */
    belongsTo(file: string): string | undefined {
      const plain = places.get(unpackedName(file))
      if (plain !== undefined) return mainOf(plain)
      for (let place = file; ; place = dirname(place)) {
        const log = places.get(place)
        if (log !== undefined) return mainOf(log)
        if (place === dirname(place)) return undefined
      }
    },
  }
}
