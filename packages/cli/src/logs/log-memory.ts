import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import type { FoundFiles } from '@tenfold/core'
import { digestLog } from '@tenfold/core/internal'
import { defaultReaders } from '@tenfold/core/readers'
import { ownVersion } from '../own-package.ts'
import { cwdOf } from '../sources/peek-log.ts'
import { stateFolder, writeState } from '../state/trust.ts'
import { readJson } from '../terminal/regular-file.ts'
import { unlessRefused } from '../terminal/thrown.ts'
import { type LogArgument, type OpenArgumentOptions, openArgument } from './gather-logs.ts'

interface Identity {
  /** Size and time of the last change of the file when this was recorded. */
  readonly bytes: number
  readonly changed: number
  readonly sha256: string
  readonly sessionId?: string | undefined
  readonly cwd?: string | undefined
}

interface Remembered {
  readonly found?: FoundFiles
  readonly logs: Record<string, Identity>
}

export type LogMemory = ReturnType<typeof logMemory>

/** A cache, so that logs unchanged since an earlier run are not opened again. Ignores missing and damaged entries. */
export function logMemory(paths: readonly string[], options: OpenArgumentOptions, except: string) {
  const { readers, format, maxLogBytes } = options.reading
  const about = [ownVersion(), paths.map((path) => resolve(path)), resolve(except), format, maxLogBytes]
  const name = createHash('sha256').update(JSON.stringify(about)).digest('hex').slice(0, 32)
  const isOn = readers.every((reader) => defaultReaders.includes(reader))
  const before: Remembered = (isOn ? readRemembered(place(name)) : undefined) ?? { logs: {} }
  const logs: Record<string, Identity> = {}
  let found = before.found

  return {
    /** What an earlier run found, if the only argument is the same folder. */
    before: paths.length === 1 ? before.found : undefined,
    remember(files: FoundFiles): void {
      found = files
    },
    async identify({ log, bytes, changed }: LogArgument): Promise<Identity> {
      const known = logs[log] ?? before.logs[log]
      if (known !== undefined && known.bytes === bytes && known.changed === changed) {
        logs[log] = known
        return known
      }
      const read = await readIdentity(log, options)
      const identity = { ...read, bytes: bytes ?? read.bytes, changed: changed ?? 0 }
      if (changed !== undefined) logs[log] = identity
      return identity
    },
    save(): void {
      if (!isOn || found === undefined) return
      const remembered: Remembered = { found, logs }
      // A cache that cannot be written costs only time.
      unlessRefused(() => writeState(place(name), remembered), undefined)
    },
  }
}

async function readIdentity(log: string, options: OpenArgumentOptions): Promise<Omit<Identity, 'changed'>> {
  const open = await openArgument(log, options)
  const { readers, format } = options.reading
  const sha256 = await digestLog(open, { readers, format, signal: options.signal })
  const bytes = open.files.reduce((sum, file) => sum + (file.bytes ?? 0), 0)
  return { bytes, sha256, sessionId: open.sessionId, cwd: cwdOf(log, open) }
}

function place(name: string): string {
  return join(stateFolder(), 'found', `${name}.json`)
}

function readRemembered(path: string): Remembered | undefined {
  const value = readJson(path)
  return typeof value === 'object' && value !== null && 'logs' in value ? (value as Remembered) : undefined
}
