import type { AssembleOptions } from './assemble/assemble-bundle.ts'
import { cleanSteps } from './assemble-clean.ts'
import { createdAtOf } from './bundle/bundle-id.ts'
import type { ContextBundle } from './bundle/schema.ts'
import { isTrivial } from './carry/is-trivial.ts'
import { TenfoldError } from './errors.ts'
import type { Facts } from './facts/facts.ts'
import { bundleId, taskName, timeOfCreation, trackName } from './options/bundle-options.ts'
import { aBoolean, aFunction, bundleStoreObject, type Checks, checkOptions } from './options/check.ts'
import type { BundlePlan } from './plan/plan-bundle.ts'
import {
  checkTogether,
  type PreparedLog,
  type PreparedSession,
  type PrepareOptions,
  prepareChecks,
} from './prepare-log.ts'
import type { AbortableOptions } from './session/abortable-options.ts'
import { cleanLine } from './session/clean-text.ts'
import { known } from './session/known.ts'
import type { Note } from './session/note.ts'
import { pausing } from './session/pauses.ts'
import type { Report } from './session/report-to-log.ts'
import type { Session } from './session/session.ts'
import { archivableLog } from './store/archive/archivable-log.ts'
import type { ArchivableLog } from './store/archive/archive-log.ts'
import type { BundleStore } from './store/bundle-store.ts'
import { readableEntries } from './store/history.ts'
import type { SavedBundle } from './store/save-to-store.ts'
import type { SummarizedPlan } from './summarize/summarize-plan.ts'
import type { SummarizerCall } from './summarize/summarizer.ts'

/** How a bundle is assembled and stored. */
export interface FinishOptions
  extends AbortableOptions,
    Omit<AssembleOptions, 'memory'>,
    Omit<PrepareOptions, 'previous' | 'redactors' | 'store' | 'track'> {
  /** Where bundle and log are saved. @default nothing is written */
  readonly store?: BundleStore | undefined
  /** Keep the log in the store, compressed, with its secrets replaced. @default true */
  readonly archive?: boolean | undefined
  /** The store already has the log from an earlier step. @default false */
  readonly archived?: boolean | undefined
  /**
   * If the store already has a bundle of this id with other content, as after a repeated run of another version, keep
   * and return the stored one instead of failing.
   * @default false
   */
  readonly keepStored?: boolean | undefined
  /** Called with each step. */
  readonly report?: Report | undefined
}

/** Result of `compressLog`: the bundle, and what it was made from. */
export interface CompressedLog {
  /** Validated, redacted and fitted to its budget. */
  readonly bundle: ContextBundle
  /** The log in one vocabulary, with its secrets replaced. */
  readonly session: Session
  /** Computed from the tool calls of the session. */
  readonly facts: Facts
  /** The transcript for the summarizer, and the budget. */
  readonly plan: BundlePlan
  /** Every call to a model, failed ones included; a small bundle keeps only their sums. */
  readonly calls: readonly SummarizerCall[]
  /** The complete reasons why summarizers failed, and what to do about them; a small bundle may have no room for these. */
  readonly notes: readonly Note[]
  /** Absent without a store, or if the session has nothing worth storing, which a note then reports. */
  readonly stored?: SavedBundle
}

/** A compressed log whose session was released before it was stored. */
export interface CompressedBundle extends Pick<CompressedLog, 'bundle' | 'calls' | 'notes' | 'stored'> {
  /** All notes of the log; a small bundle may hold only some. */
  readonly sessionNotes: readonly Note[]
}

/** A prepared log. Without `log`, nothing is archived. */
export type LogToFinish = PreparedSession &
  Pick<PreparedLog, 'redaction' | 'memory'> &
  Partial<Pick<PreparedLog, 'log'>>

export const finishChecks: Checks<FinishOptions> = {
  ...prepareChecks,
  track: trackName,
  task: taskName,
  previous: bundleId,
  now: timeOfCreation,
  random: aFunction,
  dropUnverified: aBoolean,
  store: bundleStoreObject,
  archive: aBoolean,
  archived: aBoolean,
  keepStored: aBoolean,
}

/**
 * Checks the options common to all ways to make a bundle, for code with its own flow, such as batch jobs. Throws
 * TypeError or RangeError that names the option, {@link LogReadError} for an unknown format.
 */
export function checkBundleOptions(options: object): void {
  checkOptions(options, finishChecks)
  checkTogether(options)
}

/**
 * Assembles the bundle of a prepared log and saves it if a store is given: the archive first, the bundle next, the
 * pointer last. Throws {@link InvalidBundleError}, {@link StorageError}, {@link TenfoldError} `secret-left`, or
 * TypeError or RangeError for invalid options.
 */
export async function finishLog(
  prepared: LogToFinish,
  summarized: SummarizedPlan,
  options: FinishOptions = {},
): Promise<CompressedLog> {
  checkBundleOptions(options)
  const { toStore, ...made } = await assembleLog(prepared, summarized, options)
  return { ...made, ...(await storeLog(toStore, options)) }
}

/** A bundle that is ready to be stored. Holds the session only if the session itself is archived. */
export interface LogToStore extends Pick<CompressedLog, 'bundle' | 'notes'> {
  readonly source: Session['source']
  readonly isTrivial: boolean
  readonly startedAt?: string
  readonly archivable?: ArchivableLog
  /** Words of the archived log, for the search index. */
  readonly words?: string
}

/** Assembles the bundle of a prepared log, with checked options. */
export async function assembleLog(
  prepared: LogToFinish,
  summarized: SummarizedPlan,
  options: FinishOptions,
): Promise<Omit<CompressedLog, 'notes' | 'stored'> & { readonly toStore: LogToStore }> {
  const { store, signal, report } = options
  const { memory, redaction } = prepared
  const log = store !== undefined && (options.archive ?? true) ? prepared.log : undefined
  report?.({ step: 'assemble' })
  const previous = options.previous ?? memory?.previous
  const now = await timeOfBundle(prepared.session, { ...options, previous })
  const archived = log !== undefined || options.archived === true
  const { bundle, session, facts, plan } = await pausing(
    cleanSteps(prepared, summarized, { ...options, archived, ...known({ now, memory }) }),
    signal,
  )
  signal?.throwIfAborted()
  const { calls, notes } = summarized
  const trivial = store !== undefined && isTrivial({ bundle, session, facts, memory })
  const archivable = log === undefined || trivial ? undefined : archivableLog(log, session, redaction)
  const { source, startedAt } = session
  const words =
    archivable && (await pausing((await import('./recall/words.ts')).wordsOfSession(session), signal))
  const toStore = { bundle, notes, source, isTrivial: trivial, ...known({ archivable, startedAt, words }) }
  return { bundle, session, facts, plan, calls, toStore }
}

export async function storeLog(
  { bundle, notes, source, startedAt, isTrivial: trivial, archivable, words }: LogToStore,
  options: FinishOptions,
): Promise<Pick<CompressedLog, 'bundle' | 'notes' | 'stored'>> {
  const { store, signal, report } = options
  if (store === undefined) return { bundle, notes }
  if (trivial) return { bundle, notes: [...notes, trivialSession] }
  report?.({ step: 'save', id: bundle.id })
  if (archivable !== undefined) await store.archive(archivable, source, { signal })
  if (words !== undefined)
    await (await import('./recall/log-cache.ts')).writeWords(store.storage, bundle.source, words)
  const saved = await save(bundle, store, options)
  // Imported here, so that programs that only make bundles do not load the code for archives.
  const { supersedeEarlier } = await import('./store/supersede.ts')
  const fault = await supersedeEarlier(saved.bundle, startedAt, store)
  const warning = [saved.stored.warning, fault].filter((text) => text !== undefined).join('; ')
  return { notes, ...saved, stored: { ...saved.stored, ...(warning !== '' && { warning }) } }
}

async function save(
  bundle: ContextBundle,
  store: BundleStore,
  { keepStored, signal }: FinishOptions,
): Promise<{ readonly bundle: ContextBundle; readonly stored: SavedBundle }> {
  try {
    return { bundle, stored: await store.save(bundle, { signal }) }
  } catch (error) {
    if (!keepStored || !(TenfoldError.isInstance(error) && error.code === 'storage-conflict')) throw error
    const kept = await store.load(bundle.id)
    // The earlier run may have ended before the bundle was put on its track.
    return { bundle: kept, stored: await store.save(kept, { signal }) }
  }
}

const trivialSession: Note = {
  code: 'trivial-session',
  message: 'the session left nothing to remember: its bundle was not stored',
}

/**
 * Returns the time when the session ended, but later than the bundle that this one continues and than earlier bundles
 * of the session: `nextTime` of the store explains why.
 */
async function timeOfBundle(
  { id, startedAt, endedAt }: Session,
  { store, now, track = 'main', previous }: FinishOptions,
): Promise<Date | undefined> {
  if (store === undefined || now !== undefined) return now
  const ended = Date.parse(endedAt ?? '')
  if (Number.isNaN(ended)) return await store.nextTime(track)
  const own =
    startedAt === undefined
      ? []
      : await readableEntries(store.storage, {
          track,
          sessionId: cleanLine(id),
          since: new Date(startedAt),
          until: new Date(ended + soonAfter),
        })
  const before = [previous, own.at(-1)?.id].map((of) =>
    of === undefined ? 0 : Date.parse(createdAtOf(of)) + 1,
  )
  return await store.nextTime(track, { endedAt: new Date(Math.max(ended, ...before)) })
}

/** Maximum milliseconds between the end of a session and the times of its bundles. */
const soonAfter = 60_000
