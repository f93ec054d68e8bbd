import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { regularFileBlocks } from '@tenfold/core/internal'
import { asObject, readJson } from '../terminal/regular-file.ts'
import { stateFolder, writeState } from './trust.ts'

export type LogDigests = ReturnType<typeof openDigests>

const forgetAbove = 50_000

export function openDigests() {
  const path = join(stateFolder(), 'digests.json')
  // A cache: missing or damaged entries are computed again.
  const known = new Map<string, unknown>(Object.entries(asObject(readJson(path)) ?? {}))
  const used = new Set<string>()
  return {
    /** SHA-256 of a file, or of the names, sizes and times of a folder's files. Throws if the log cannot be read. */
    async digest(log: string): Promise<string> {
      const info = await stat(log)
      if (info.isDirectory()) return await digestFolder(log)
      used.add(log)
      const before = known.get(log)
      const [size, changed, sha256] = Array.isArray(before) ? before : []
      if (size === info.size && changed === info.mtimeMs && /^[0-9a-f]{64}$/.test(sha256)) return sha256
      const hash = await digestFile(log)
      known.set(log, [info.size, info.mtimeMs, hash])
      return hash
    },
    save(): void {
      const kept = [...known].filter(([log]) => known.size < forgetAbove || used.has(log))
      writeState(path, Object.fromEntries(kept))
    },
  }
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
