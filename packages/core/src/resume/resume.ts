import { frame, wholeIfShort } from '../brief/block.ts'
import type { ContextBundle } from '../bundle/schema.ts'
import { TenfoldError } from '../errors.ts'
import type { LiveCheck } from '../git/live-check.ts'
import type { GitReading } from '../git/read-git.ts'
import type { HaltDump } from '../halt/stored-dumps.ts'
import { bundleStoreObject } from '../options/check.ts'
import type { AbortableOptions } from '../session/abortable-options.ts'
import { cutHead } from '../session/cut-text.ts'
import { known } from '../session/known.ts'
import { foldersToIgnore } from '../storage/folders-to-ignore.ts'
import type { BundleStore } from '../store/bundle-store.ts'
import { tiktokenCounter } from '../tokens/tiktoken-counter.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'
import { checkClaims } from './check-claims.ts'
import { checkpointBlocks, liveBlock } from './checkpoint-blocks.ts'
import { contentTime, type Gathered, type GatherOptions, gather } from './gather.ts'
import type { LoadedFiles, LoadFilesOptions } from './load-files.ts'

/** Options of {@link resume}. `store` or `dump` must be given. */
export interface ResumeOptions extends AbortableOptions, Omit<GatherOptions, 'store'> {
  /** Holds bundles and checkpoints. Required without `dump`. */
  readonly store?: BundleStore | undefined
  /**
   * A halted run, whose conversation is included in the brief. The bundle and checkpoints of its task come from the
   * store.
   * @default with `task`, the newest dump of the task, unless the newest bundle holds later work
   */
  readonly dump?: HaltDump | undefined
  /** Maximum tokens of the brief. Throws RangeError below 100. @default 4000 */
  readonly maxTokens?: number | undefined
  /** @default the counter of `tiktokenCounter('o200k_base')` */
  readonly counter?: TokenCounter | undefined
  /** Compare with this folder and its repository as they are now. @default false */
  readonly verify?: string | false | undefined
  /** Result of {@link readGit} for that folder, if the caller has it already. */
  readonly git?: GitReading | undefined
  /**
   * Adds the current content of files that the bundle and the checkpoint name, after the brief.
   * @default no contents
   */
  readonly files?: LoadFilesOptions | undefined
  /** Returns a line about the origin of what was found. It precedes the brief and counts towards its tokens. */
  readonly origin?: ((found: Gathered) => Promise<string | undefined>) | undefined
  /** Folders whose files do not count as changed. @default the folder of the store */
  readonly ignore?: readonly string[] | undefined
}

/** The brief, with what it was made from. */
export interface Resumed extends Gathered {
  /** The brief, for the next prompt. */
  readonly text: string
  /** Exact tokens of `text`. */
  readonly tokens: number
  /** The requested files that are in `text`, and those that are not, with reasons. */
  readonly files?: Pick<LoadedFiles, 'loaded' | 'left'>
  /** Result of the live check; absent without one. */
  readonly live?: LiveCheck
  /** Id of the dump, if any. */
  readonly haltId?: string
}

/**
 * Makes the brief for the next prompt, in at most `maxTokens`: the resume point of the newest checkpoint or of the
 * bundle, what no longer holds, what binds, newer checkpoints in order of time, then the bundle as history. With a
 * dump, the halted run comes first, or after a newer checkpoint. Nothing in the brief is run. Throws {@link
 * TenfoldError} `no-bundle` if there is nothing to resume, and {@link StorageError}.
 */
export async function resume(options: ResumeOptions): Promise<Resumed> {
  if (options?.store !== undefined) bundleStoreObject('store', options.store)
  else if (options?.dump === undefined) throw new TypeError('expected store or dump, got neither')
  const { maxTokens = 4000, counter = tiktokenCounter(), verify = false, files, signal } = options
  const ignore = foldersToIgnore(options.ignore, options.store?.storage)
  const { gathered, dump } = await gatherFor(options)
  const { bundle, checkpoints, track } = gathered
  const checkpoint = checkpoints.at(-1)
  const origin = await options.origin?.(gathered)
  // The code that reads logs is imported only for a dump, and the code that reads bundles only for a bundle.
  const run = dump && (await (await import('../halt/read-halted.ts')).readHalted(dump))
  const live =
    verify === false
      ? undefined
      : await checkClaims({ bundle, checkpoint, dump }, verify, { ignore, signal, git: options.git })
  const folder = verify === false ? '' : verify
  const hasRecord = bundle !== undefined || checkpoint !== undefined
  const now =
    bundle && live
      ? await (await import('./done-since.ts')).withDoneSince(bundle, live, folder, { signal })
      : bundle
  const ofBundle =
    now &&
    (await import('./resume-blocks.ts')).bundleRecord(
      { ...gathered, bundle: now },
      { live, folder, maxTokens },
    )
  const record = ofBundle?.blocks ?? checkpointBlocks(checkpoints, live, folder)
  const ofDump = dump && (await import('./dump-blocks.ts'))
  const halted = dump && run ? (ofDump?.dumpBlocks(dump, run, !hasRecord) ?? []) : []
  const dumpIsNewer = checkpoint === undefined || dump === undefined || checkpoint.id < dump.haltId
  const [point, ...rest] = record
  const liveAlone = !hasRecord && live !== undefined ? [liveBlock(live, folder)] : []
  const parts = {
    head: [
      `# Resume: ${cutHead(ofBundle?.title ?? (dump && ofDump?.dumpTitle(dump)) ?? `track ${track}`, maxTitle)}`,
      ofBundle?.origin ?? frame,
      ...(origin === undefined ? [] : [origin]),
    ],
    blocks:
      dumpIsNewer || point === undefined ? [...halted, ...liveAlone, ...record] : [point, ...halted, ...rest],
    chosen: ofBundle?.chosen,
    ...{ maxTokens, counter },
  }
  const brief = wholeIfShort(parts) ?? (await (await import('./fit-brief.ts')).fitBrief(parts, signal))
  const claims = { bundle, checkpoint }
  const contents =
    files &&
    (await (await import('./load-files.ts')).loadFiles(claims, files, { counter, signal, git: options.git }))
  const text = contents === undefined || contents.text === '' ? brief : `${brief}\n${contents.text}`
  const warnings = [...gathered.warnings, ...(run?.warnings ?? [])]
  let tokens: number | undefined
  return {
    ...gathered,
    warnings,
    text,
    // Counted when it is read, because loading the encoding takes longer than a short brief.
    get tokens() {
      tokens ??= counter.count(text)
      return tokens
    },
    ...known({ live, haltId: dump?.haltId }),
    ...(contents !== undefined && { files: { loaded: contents.loaded, left: contents.left } }),
  }
}

async function gatherFor({
  store,
  dump: given,
  ...options
}: ResumeOptions): Promise<{ readonly gathered: Gathered; readonly dump: HaltDump | undefined }> {
  const nothing = { track: options.track ?? 'main', checkpoints: [], linked: [], warnings: [] }
  if (store === undefined) return { gathered: nothing, dump: given }
  const { bundle, task = given?.metadata?.taskId } = options
  const looked = given === undefined && bundle === undefined && task !== undefined
  const dump = looked ? await newestDumpOf(task, store) : given
  try {
    const gathered = await gather({ store, ...options, task })
    return { gathered, dump: looked && dump && isContinued(dump, gathered.bundle) ? undefined : dump }
  } catch (error) {
    if (dump === undefined || !TenfoldError.isInstance(error) || error.code !== 'no-bundle') throw error
    return { gathered: nothing, dump }
  }
}

async function newestDumpOf(taskId: string, { storage }: BundleStore): Promise<HaltDump | undefined> {
  const { listDumps, loadDump } = await import('../halt/stored-dumps.ts')
  const [newest] = await listDumps(storage, { taskId, limit: 1 })
  return newest && (await loadDump(storage, newest.haltId))
}

/** Whether a bundle holds work later than the halt, which makes the halted run history. */
function isContinued(dump: HaltDump, bundle: ContextBundle | undefined): boolean {
  const halted = dump.metadata?.createdAt
  return bundle !== undefined && halted !== undefined && contentTime(bundle) > halted
}

const maxTitle = 120
