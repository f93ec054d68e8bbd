import { createRedaction, type Redaction, type Redactor, secretRedactor } from '@tenfold/redact'
import type { ContextBundle } from './bundle/schema.ts'
import { findMemory, type Memory } from './carry/find-memory.ts'
import { LogReadError } from './errors.ts'
import { factSteps } from './facts/extract-facts.ts'
import type { Facts } from './facts/facts.ts'
import { budgetChecks, checkBudget, kindOfBundle, trackName, wholeBundle } from './options/bundle-options.ts'
import {
  aFunction,
  anAbortSignal,
  aString,
  bundleStoreObject,
  type Checks,
  checkOptions,
  listOf,
  namedObject,
  wholeNumber,
} from './options/check.ts'
import { type BundlePlan, type PlanOptions, planSteps } from './plan/plan-bundle.ts'
import { defaultReaders } from './readers/default-readers.ts'
import { isOpenLog, type LogInput, type OpenLog, openLog } from './readers/open-log.ts'
import { readSession } from './readers/read-session.ts'
import { bestReader, readerNamed } from './readers/reader/detect.ts'
import type { Reader } from './readers/reader/reader.ts'
import { redactionSteps } from './redact/redact-session.ts'
import type { AbortableOptions } from './session/abortable-options.ts'
import { cleanLine } from './session/clean-text.ts'
import { known } from './session/known.ts'
import { eventsDigest } from './session/log-digest.ts'
import { atOnce, pausing, type Steps } from './session/pauses.ts'
import type { Report } from './session/report-to-log.ts'
import type { Session } from './session/session.ts'
import type { BundleStore } from './store/bundle-store.ts'
import { tiktokenCounter } from './tokens/tiktoken-counter.ts'

/** How a log is read, redacted and planned. */
export interface PrepareOptions extends AbortableOptions, Omit<PlanOptions, 'counter'> {
  /** @default tiktokenCounter('o200k_base') */
  readonly counter?: PlanOptions['counter'] | undefined
  /**
   * Find the secrets, which are replaced by marks before a summarizer, the store or the archive sees the text. An empty
   * list keeps all secrets.
   * @default [secretRedactor()]
   */
  readonly redactors?: readonly Redactor[] | undefined
  /** Name of the log if the input has none. */
  readonly name?: string | undefined
  /** Name of the reader to use, instead of detecting it from the content. */
  readonly format?: string | undefined
  /** @default all readers of this package */
  readonly readers?: readonly Reader[] | undefined
  /** Maximum bytes of text in the log, uncompressed. @default 512 MiB */
  readonly maxLogBytes?: number | undefined
  /** An earlier bundle of this session, whose summary is updated instead of made again. */
  readonly previous?: ContextBundle | undefined
  /**
   * Id of the bundle whose brief the session was given. Needed if the log does not show it: not every agent logs what a
   * hook adds.
   */
  readonly given?: string | undefined
  /** Store of the bundle whose brief the session was given. @default nothing is carried over */
  readonly store?: BundleStore | undefined
  /** @default 'main' */
  readonly track?: string | undefined
  /** Called with each step. */
  readonly report?: Report | undefined
}

/** A session and all that is computed from it without a summarizer. */
export interface PreparedSession {
  readonly session: Session
  readonly facts: Facts
  readonly plan: BundlePlan
}

/** A prepared session with the log it came from and the secrets found in it. */
export interface PreparedLog extends PreparedSession {
  /** The opened log, for the archive. */
  readonly log: OpenLog
  /** The redaction that replaced the secrets of the session. */
  readonly redaction: Redaction
  /** What the session knew from earlier ones; absent without a store, or if the session was given no brief. */
  readonly memory?: Memory
  /** True if this log begins with the events of `previous`; absent without `previous`. */
  readonly continues?: boolean
}

export const prepareChecks: Checks<PrepareOptions> = {
  ...budgetChecks,
  kind: kindOfBundle,
  counter: namedObject('a TokenCounter', ['count']),
  store: bundleStoreObject,
  track: trackName,
  redactors: listOf(namedObject('a Redactor', ['find'])),
  name: aString,
  format: aString,
  readers: listOf(namedObject('a Reader', ['detect', 'read'])),
  maxLogBytes: wholeNumber(1),
  previous: wholeBundle,
  given: aString,
  signal: anAbortSignal,
  report: aFunction,
}

/**
 * Checks options that depend on each other. Throws RangeError for the bundle's limits, {@link LogReadError} for an
 * unknown format.
 */
export function checkTogether({ format, readers = defaultReaders, ...options }: PrepareOptions): void {
  checkBudget(options)
  if (format !== undefined) readerNamed(format, readers)
}

/**
 * Reads a log, replaces its secrets, and computes facts and plan. Throws {@link LogReadError}; before the log is read,
 * TypeError or RangeError for invalid options and {@link InvalidBundleError} if `previous` is not a valid bundle.
 */
export async function prepareLog(
  input: LogInput | OpenLog,
  options: PrepareOptions = {},
): Promise<PreparedLog> {
  checkOptions(options, prepareChecks)
  checkTogether(options)
  const {
    name,
    format,
    readers,
    maxLogBytes,
    previous,
    given,
    signal,
    report,
    redactors = [secretRedactor()],
  } = options
  const log = isOpenLog(input) ? input : await openLog(input, { name, format, readers, maxLogBytes })
  const read = await readSession(log, {
    format,
    readers,
    signal,
    onProgress: (bytes, total) => report?.({ step: 'read', bytes, ...known({ total }) }),
  })
  if (format !== undefined) checkFormat(read, log, readers)
  const redaction = createRedaction(redactors)
  const session = await pausing(redactionSteps(read, redaction), signal)
  const memory = options.store && (await findMemory(session, options.store, options.track, given))
  report?.({ step: 'plan', events: session.events.length })
  return {
    log,
    redaction,
    ...known({ memory }),
    ...(previous !== undefined && { continues: await continues(read, previous) }),
    ...(await pausing(preparationSteps(session, options), signal)),
  }
}

/** Throws LogReadError if no record of the log has the format that it was read as. */
function checkFormat(
  { format, source }: Session,
  { head }: OpenLog,
  readers: readonly Reader[] = defaultReaders,
): void {
  const { lines, blank, other, notes } = source.account
  if (lines === blank || other + notes < lines - blank) return
  const likely = bestReader(head, readers)?.name
  const advice =
    likely === undefined || likely === format
      ? 'name the right format'
      : `it looks like ${likely}: leave out the option format`
  throw new LogReadError('unknown-format', `No record of ${head.name} is one of format ${format}; ${advice}.`)
}

/** Computes facts and plan of a session without redacting it. */
export function prepareSession(
  session: Session,
  options: Omit<PlanOptions, 'counter'> & Pick<PrepareOptions, 'counter'> = {},
): PreparedSession {
  return atOnce(preparationSteps(session, options))
}

function* preparationSteps(
  session: Session,
  options: Omit<PlanOptions, 'counter'> & Pick<PrepareOptions, 'counter'>,
): Steps<PreparedSession> {
  const facts = yield* factSteps(session)
  const counter = options.counter ?? tiktokenCounter()
  const plan = yield* planSteps(session, facts, { ...options, counter })
  return { session, facts, plan }
}

async function continues({ format, id, events }: Session, { source }: ContextBundle): Promise<boolean> {
  return (
    source.format === format &&
    source.sessionId === cleanLine(id) &&
    source.events <= events.length &&
    source.eventsDigest === (await eventsDigest(events.slice(0, source.events)))
  )
}
