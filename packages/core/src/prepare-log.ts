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
   * Finds the secrets, which are replaced by marks before a summarizer, the store or the archive sees the text. An
   * empty list keeps them.
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
  /** An earlier bundle of this session: its summary is updated instead of made again. */
  readonly previous?: ContextBundle | undefined
  /**
   * Id of the bundle whose brief the session was given, if its log may not show it: not every agent logs what a hook
   * gives it.
   */
  readonly given?: string | undefined
  /** Where the bundle is whose brief the session was given. @default nothing is carried over */
  readonly store?: BundleStore | undefined
  /** @default 'main' */
  readonly track?: string | undefined
  /** Called with each step. */
  readonly report?: Report | undefined
}

/** A session that was read, with everything that is computed from it without a summarizer. */
export interface PreparedSession {
  /** Secrets replaced. */
  readonly session: Session
  readonly facts: Facts
  readonly plan: BundlePlan
}

/** A prepared session with the log it came from and the secrets found in it. */
export interface PreparedLog extends PreparedSession {
  /** The opened log, for the archive. */
  readonly log: OpenLog
  /** What replaced its secrets. */
  readonly redaction: Redaction
  /** What the session knew of earlier ones; absent if it was given no brief, or without a store. */
  readonly memory?: Memory
  /** True if the events of `previous` are the first ones of this log; absent without it. */
  readonly continues?: boolean
}

/** Checks of the options that `prepareLog` takes besides the log. */
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
 * Reads a log, replaces its secrets, computes facts and plan. Throws {@link LogReadError}, and before the log is read
 * TypeError or RangeError for invalid options, {@link InvalidBundleError} if `previous` is not a valid bundle.
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

/** Throws LogReadError if not one record of a log is of the format that it was read as. */
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

/** Computes facts and plan of a given session without redacting it. Pure. */
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
