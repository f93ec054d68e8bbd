import { assembleClean } from './assemble-clean.ts'
import type { ContextBundle } from './bundle/schema.ts'
import { emptySummary } from './bundle/section-contents.ts'
import { carriedToShow } from './carry/carried-to-show.ts'
import { type Continuation, continueBundle } from './continue-bundle.ts'
import {
  assembleLog,
  type CompressedBundle,
  type CompressedLog,
  type FinishOptions,
  finishChecks,
  type LogToStore,
  storeLog,
} from './finish-log.ts'
import { type Checks, checkOptions } from './options/check.ts'
import {
  checkTogether,
  type PreparedLog,
  type PrepareOptions,
  prepareChecks,
  prepareLog,
} from './prepare-log.ts'
import type { LogInput, OpenLog } from './readers/open-log.ts'
import { known } from './session/known.ts'
import type { Note } from './session/note.ts'
import type { Storage } from './storage/storage.ts'
import { bundleKey, latestKey } from './store/keys.ts'
import { assertReady } from './summarize/chain.ts'
import type { ShownItem } from './summarize/shown-items.ts'
import {
  type SummarizedPlan,
  type SummarizeOptions,
  summarizeChecks,
  summarizePlan,
} from './summarize/summarize-plan.ts'
import { carrySummarized } from './summarize/summarized-of.ts'
import type { Summarizer } from './summarize/summarizer.ts'

/** How a log is read, summarized, fitted to its budget and stored. */
export interface CompressLogOptions
  extends PrepareOptions,
    Omit<FinishOptions, 'previous'>,
    Pick<SummarizeOptions, 'limits' | 'concurrency' | 'timeoutMs' | 'onCall'> {
  /** One summarizer, or a chain: if the first one fails, the next one is called, and the bundle notes it. */
  readonly summarizer: Summarizer | readonly Summarizer[]
}

const { earlier: _, carried: __, ...ownChecks } = summarizeChecks
const checks: Checks<CompressLogOptions> = { ...finishChecks, ...prepareChecks, ...ownChecks }

/** Throws TypeError or RangeError for invalid options of `compressLog`, {@link LogReadError} for an unknown format. */
export function checkCompressOptions(options: CompressLogOptions): void {
  checks.summarizer('summarizer', options?.summarizer)
  checkOptions(options, checks)
  checkTogether(options)
}

/**
 * Compresses the log of one session into a validated bundle. If a store is given, it saves the archive first, then the
 * bundle, then the pointer. Throws {@link LogReadError}, {@link SummarizerError}, {@link InvalidBundleError} or {@link
 * StorageError}; before the log is read, TypeError or RangeError for invalid options and TenfoldError `missing-api-key`
 * if no summarizer can work. After a failure the store's earlier contents are unchanged. An error after paid calls
 * carries their results: see {@link summarizedOf}.
 */
export async function compressLog(
  input: LogInput | OpenLog,
  options: CompressLogOptions,
): Promise<CompressedLog> {
  checkCompressOptions(options)
  const { toStore, summarized, ...made } = await assemble(input, options)
  return { ...made, ...(await storeAssembled(toStore, summarized, options)) }
}

/**
 * Compresses a log like `compressLog`, but releases the session, which takes most of the memory of a large log, before
 * anything is stored.
 */
export async function compressLetGo(
  input: LogInput | OpenLog,
  options: CompressLogOptions,
): Promise<CompressedBundle> {
  checkCompressOptions(options)
  const { toStore, summarized, ...made } = await withoutSession(assemble(input, options))
  return { ...made, ...(await storeAssembled(toStore, summarized, options)) }
}

type Assembled = Awaited<ReturnType<typeof assembleLog>> & { readonly summarized: SummarizedPlan }

/** A separate function, because a local variable of a function that awaits the store would keep the session in memory. */
async function withoutSession(assembling: Promise<Assembled>) {
  const { bundle, calls, session, toStore, summarized } = await assembling
  return { bundle, calls, sessionNotes: session.notes, toStore, summarized }
}

async function assemble(input: LogInput | OpenLog, options: CompressLogOptions): Promise<Assembled> {
  const finish = finishOptions(options)
  await assertReady([options.summarizer].flat())
  const prepared = await prepareLog(input, options)
  await checkBeforePaying(prepared, finish)
  const summarized = await summarize(prepared, options)
  const assembled = await carrying(summarized, options, () => assembleLog(prepared, summarized, finish))
  return { ...assembled, summarized }
}

async function storeAssembled(
  toStore: LogToStore,
  summarized: SummarizedPlan,
  options: CompressLogOptions,
): ReturnType<typeof storeLog> {
  return await carrying(summarized, options, () => storeLog(toStore, finishOptions(options)))
}

function finishOptions({ previous, ...rest }: CompressLogOptions) {
  return { ...rest, ...(previous !== undefined && { previous: previous.id }) }
}

async function carrying<T>(
  summarized: SummarizedPlan,
  { signal }: CompressLogOptions,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (signal?.aborted !== true) carrySummarized(error, summarized)
    throw error
  }
}

/** The parts of a bundle that cannot be shortened take a few hundred tokens. */
const surelyEnough = 5000

/**
 * Finds failures that do not depend on what the summarizers return, before they are paid: a store that cannot be read
 * or written, or facts that do not fit into the requested size. Does nothing if no summarizer bills.
 */
async function checkBeforePaying(
  prepared: PreparedLog,
  options: Omit<CompressLogOptions, 'previous'> & FinishOptions,
): Promise<void> {
  const chain = [options.summarizer].flat()
  if (chain.every(({ estimate }) => estimate === undefined)) return
  const { store, track = 'main', signal } = options
  if (store !== undefined) await assertUsable(store.storage, latestKey(track))
  signal?.throwIfAborted()
  const { readTokens, budget } = prepared.plan
  if (budget.maxTokens > surelyEnough) return
  const calls = chain.map(({ name, model }) => ({
    summarizer: name,
    ...known({ model }),
    usage: { inputTokens: readTokens, outputTokens: readTokens },
  }))
  const nothingSaid = { summary: emptySummary(), summarizer: chain[0]?.name ?? '', calls, notes: [] }
  // `random` is fixed so that the caller's random numbers are used only for the bundle that is kept.
  assembleClean(prepared, nothingSaid, { ...options, ...known({ memory: prepared.memory }), random: () => 0 })
}

async function assertUsable(storage: Storage, key: string): Promise<void> {
  await storage.get(key)
  await storage.assertWritable?.(key)
  await storage.assertWritable?.(bundleKey('next'))
}

async function summarize(prepared: PreparedLog, options: CompressLogOptions): Promise<SummarizedPlan> {
  const { previous, signal, report, limits, concurrency, timeoutMs, onCall } = options
  const chain: readonly Summarizer[] = [options.summarizer].flat()
  const [first] = chain
  if (first === undefined) throw new TypeError('expected at least one summarizer')
  report?.({ step: 'summarize', summarizer: first.name, tokens: prepared.plan.readTokens })
  const start = previous === undefined ? undefined : continueBundle(prepared, previous, first)
  const [earlier, notes] = isNote(start) ? [undefined, [start]] : [start, []]
  if (previous !== undefined && earlier?.items.length === 0) return nothingNew(previous, earlier)
  const summarized = await summarizePlan(prepared.plan, chain, {
    signal,
    report,
    limits,
    concurrency,
    timeoutMs,
    onCall,
    earlier,
    carried: chain.some(({ estimate }) => estimate !== undefined) ? carriedIn(prepared) : [],
  })
  return { ...summarized, notes: [...notes, ...summarized.notes] }
}

/** Secrets are replaced, because the earlier bundle may have been made without this redactor. */
function carriedIn({ session, facts, memory, redaction }: PreparedLog): ShownItem[] {
  const { parent } = memory ?? {}
  return parent === undefined ? [] : carriedToShow(redaction.redactValue(parent), session, facts)
}

function isNote(start: Continuation | Note | undefined): start is Note {
  return start !== undefined && 'code' in start
}

/** The earlier summary of the same events remains valid; no summarizer is called. */
function nothingNew({ id, compression }: ContextBundle, { summary }: Continuation): SummarizedPlan {
  const { summarizer, model, promptVersion } = compression
  const note = { code: 'nothing-new', message: `the log has no new events since ${id} was made from it` }
  return {
    summary,
    summarizer,
    ...known({ model, promptVersion }),
    calls: [],
    readTokens: 0,
    notes: [note],
  }
}
