import { type BundleStore, bundleToMarkdown, type DoneWork } from '@tenfold/core'
import { failureOfLog } from '../terminal/failure.ts'
import type { LogOutcome } from './compress-one.ts'
import type { CompressOptions } from './compress-options.ts'
import { writeOut } from './write-out.ts'

/** The outcome of a log that was compressed before; `--out` gets the bundle of then. */
export async function knownLog(
  { log, known }: { readonly log: string; readonly known: DoneWork },
  { out, dryRun }: Pick<CompressOptions, 'out' | 'dryRun'>,
  store: BundleStore,
): Promise<LogOutcome> {
  if (out === undefined || known.stored === false) return { log, known }
  try {
    const bundle = await store.load(known.id)
    if (out === '-') return { log, known, markdown: bundleToMarkdown(bundle) }
    if (!dryRun) await writeOut(out, bundle, known.id)
    return { log, known }
  } catch (error) {
    return { log, error: failureOfLog(log, error) }
  }
}
