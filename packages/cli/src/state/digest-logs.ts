import { createHash } from 'node:crypto'
import { renameSync, writeFileSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { regularFileBlocks } from '@tenfold/core/internal'
import { readJson } from '../terminal/regular-file.ts'
import { stateFolder, statePlace } from './state-folder.ts'

export type LogDigests = ReturnType<typeof openDigests>

type Known = Record<string, readonly [size: number, changed: number, sha256: string]>

const forgetAbove = 50_000

export function openDigests() {
  const path = join(stateFolder(), 'digests.json')
  const known = new Map(Object.entries(readKnown(path)))
  const used = new Set<string>()
  return {
    /** SHA-256 of a file; for a folder, of the names, sizes and times of its files. Throws if it cannot be read. */
    async digest(log: string): Promise<string> {
      const info = await stat(log)
      if (info.isDirectory()) return await digestFolder(log)
      used.add(log)
      const [size, changed, sha256] = known.get(log) ?? []
      if (sha256 !== undefined && size === info.size && changed === info.mtimeMs) return sha256
      const hash = await digestFile(log)
      known.set(log, [info.size, info.mtimeMs, hash])
      return hash
    },
    /** For the next run. Throws if the state folder cannot be written. */
    save(): void {
      statePlace()
      const kept = [...known].filter(([log]) => known.size < forgetAbove || used.has(log))
      const temporary = `${path}.${process.pid}.tmp`
      writeFileSync(temporary, JSON.stringify(Object.fromEntries(kept)), { mode: 0o600 })
      renameSync(temporary, path)
    },
  }
}

function readKnown(path: string): Known {
  // A cache: what is missing or damaged is computed again.
  const value = readJson(path)
  return isKnown(value) ? value : {}
}

function isKnown(value: unknown): value is Known {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.values(value).every(
    (entry) =>
      Array.isArray(entry) &&
      typeof entry[0] === 'number' &&
      typeof entry[1] === 'number' &&
      /^[0-9a-f]{64}$/.test(String(entry[2])),
  )
}

async function digestFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const block of regularFileBlocks(path, { blockBytes: 1024 * 1024 })) hash.update(block)
  return hash.digest('hex')
}

async function digestFolder(folder: string): Promise<string> {
  const lines: string[] = []
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    const info = await stat(file)
    lines.push(`${info.size} ${info.mtimeMs} ${relative(folder, file).split(sep).join('/')}\n`)
  }
  return createHash('sha256').update(lines.sort().join('')).digest('hex')
}
