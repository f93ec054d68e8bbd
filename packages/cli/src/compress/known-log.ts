import {
  type BundleStore,
  bundleToMarkdown,
  type DoneWork,
  type RestoreArchiveOptions,
  restoreArchive,
} from '@tenfold/core'
import { type OpenArgumentOptions, openArgument } from '../logs/read-log.ts'
import { failureOfLog } from '../terminal/failure.ts'
import type { LogOutcome } from './compress-one.ts'
import type { CompressOptions } from './compress-options.ts'
import { writeOut } from './write-out.ts'

/** A log that was compressed before; with `sha256`, its archive is restored if the store lost it. */
interface KnownLog {
  readonly log: string
  readonly known: DoneWork
  readonly sha256?: string | undefined
}

/** The outcome of a log that was compressed before; `--out` gets the bundle of then. */
export async function knownLog(
  { log, known, sha256 }: KnownLog,
  options: Pick<CompressOptions, 'out' | 'dryRun' | 'archive'> & RestoreArchiveOptions & OpenArgumentOptions,
  store: BundleStore,
): Promise<LogOutcome> {
  const { out, dryRun, archive } = options
  if (known.stored === false) return { log, known }
  try {
    if (sha256 !== undefined && archive && !dryRun)
      await restoreArchive(store, known, { sha256, open: () => openArgument(log, options) }, options)
    if (out === undefined) return { log, known }
    const bundle = await store.load(known.id)
    if (out === '-') return { log, known, markdown: bundleToMarkdown(bundle) }
    if (!dryRun) await writeOut(out, bundle, known.id)
    return { log, known }
  } catch (error) {
    return { log, error: failureOfLog(log, error) }
  }
}
