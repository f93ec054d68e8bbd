import type { BundleStore } from '@tenfold/core'
import { type CompressWork, compressOne } from '../../compress/compress-one.ts'
import { oneRunAtATime } from '../../compress/one-run-at-a-time.ts'
import type { SeenLog, SeenLogs } from '../../state/seen-logs.ts'
import { openStoreToWrite } from '../../store/open-store.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { messageOf } from '../../terminal/thrown.ts'
import type { SweepReport } from './sweep-report.ts'
import { isLasting, type SweepTarget, type SweptLog } from './sweep-target.ts'

export interface SweepWork {
  readonly work: Omit<CompressWork, 'store' | 'report' | 'given' | 'again'>
  readonly report: SweepReport
  readonly seen: SeenLogs
  readonly terminal: Terminal
  readonly version: string
}

/** Compresses one log into its store and remembers that. Never rejects because of a faulty log or store. */
export async function compressTarget(
  target: SweepTarget,
  { work, report, seen, terminal, version }: SweepWork,
  stores: Map<string, Promise<OpenedStore>>,
): Promise<SweptLog> {
  let opened: OpenedStore
  try {
    const opening = stores.get(target.store) ?? openWithSources(target.store, terminal)
    stores.set(target.store, opening)
    opened = await opening
  } catch (error) {
    const message = messageOf(error)
    return { target, log: target.log, error: { code: 'store-failed', message: `${target.log}: ${message}` } }
  }
  const remember = (fields: Pick<SeenLog, 'bundle' | 'failed' | 'begun'>, digest = target.digest): void =>
    seen.add({
      digest,
      log: target.log,
      store: target.store,
      version,
      at: new Date().toISOString(),
      ...fields,
    })
  // The run that made the bundle was killed before it could remember it.
  const known = opened.sources.get(target.digest)
  if (known !== undefined) {
    remember({ bundle: known })
    return { target, log: target.log, known }
  }
  const options = { ...work.options, store: target.store, track: target.track }
  const begun = seen.get(target.digest)?.begun ?? 0
  remember({ begun: begun + 1 })
  const given = target.job?.given ?? (await bundleBefore(target, opened.store))
  const one = { ...work, options, store: opened.store, given, again: false }
  const { known: doneBefore, ...outcome } = await oneRunAtATime(
    { log: target.log },
    one,
    { terminal },
    async (lease) =>
      await compressOne(
        { log: target.log },
        { ...one, lease, report: (event) => report.progress(target.log, event) },
      ),
  )
  const bundle = outcome.done?.bundle.id ?? doneBefore?.id
  if (bundle !== undefined)
    for (const digest of [target.digest, ...(target.parts ?? [])]) remember({ bundle }, digest)
  if (outcome.error !== undefined && isLasting(outcome.error.code)) remember({ failed: outcome.error.code })
  return { ...outcome, target, ...(doneBefore !== undefined && { known: doneBefore.id }) }
}

export interface OpenedStore {
  readonly store: BundleStore
  readonly sources: ReadonlyMap<string, string>
}

async function openWithSources(place: string, terminal: Terminal): Promise<OpenedStore> {
  const store = await openStoreToWrite(place, terminal)
  const entries = await store.list()
  return { store, sources: new Map(entries.map((entry) => [entry.sourceSha256, entry.id])) }
}

/**
 * The newest bundle of the project when a session was last written to: what holds in a project holds on, even if a
 * session was given no brief or its log does not show it.
 */
async function bundleBefore(
  { track, changed }: SweepTarget,
  store: BundleStore,
): Promise<string | undefined> {
  if (track !== 'main') return undefined
  const [newest] = await store.list({ track, until: new Date(changed), limit: 1 })
  return newest?.id
}
