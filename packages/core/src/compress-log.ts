import { type AssembleOptions, assembleBundle } from './assemble/assemble-bundle.ts'
import type { ContextBundle } from './bundle/schema.ts'
import { extractFacts } from './facts/extract-facts.ts'
import type { Facts } from './facts/facts.ts'
import { type BundlePlan, type PlanOptions, planBundle } from './plan/plan-bundle.ts'
import { type LogInput, openLog } from './readers/open-log.ts'
import { readSession } from './readers/read-session.ts'
import type { Reader } from './readers/reader.ts'
import { redactSession } from './redact/redact-session.ts'
import type { Redactor } from './redact/redactor.ts'
import type { Report } from './report/report.ts'
import type { Session } from './session/session.ts'
import type { BundleStore, SavedBundle } from './store/bundle-store.ts'
import { summarizePlan } from './summarize/summarize-plan.ts'
import type { Summarizer } from './summarize/summarizer.ts'
import { tiktokenCounter } from './tokens/tiktoken-counter.ts'

export interface CompressLogOptions extends Omit<PlanOptions, 'counter'>, Omit<AssembleOptions, 'archived'> {
  readonly summarizer: Summarizer
  /** @default tiktokenCounter('o200k_base') */
  readonly counter?: PlanOptions['counter']
  /** Where bundle and raw log go; without it nothing is written. */
  readonly store?: BundleStore
  /** Keep the raw log in the store, compressed. @default true */
  readonly archive?: boolean
  /** Run over all text before a summarizer or the store sees it. The archive holds the log as it is. @default none */
  readonly redactors?: readonly Redactor[]
  /** Name of the log where the input has none. */
  readonly name?: string
  /** Name of the reader, instead of the one that the content tells. */
  readonly format?: string
  /** @default all readers of this package */
  readonly readers?: readonly Reader[]
  readonly signal?: AbortSignal
  readonly report?: Report
}

export interface CompressedLog {
  readonly bundle: ContextBundle
  readonly session: Session
  readonly facts: Facts
  readonly plan: BundlePlan
  /** Absent where no store was given. */
  readonly stored?: SavedBundle
}

/**
 * Compresses the log of one session into a validated bundle and saves it where a store is given: the archive first, the
 * bundle next, the pointer last. Throws LogReadError, SummarizerError, InvalidBundleError or StorageError; whatever
 * fails, what the store held before stays as it was.
 */
export async function compressLog(input: LogInput, options: CompressLogOptions): Promise<CompressedLog> {
  const { summarizer, store, signal, report, counter = tiktokenCounter(), redactors = [] } = options
  const archive = store !== undefined && (options.archive ?? true)
  const log = await openLog(input, pick(options, 'name', 'format', 'readers'))
  const session = await readSession(log, {
    ...pick(options, 'format', 'readers', 'signal'),
    onProgress: (bytes, total) =>
      report?.({ step: 'read', bytes, ...(total === undefined ? {} : { total }) }),
  })
  const clean = redactSession(session, redactors)
  report?.({ step: 'plan', events: clean.events.length })
  const facts = extractFacts(clean)
  const plan = planBundle(clean, facts, { ...options, counter })
  report?.({ step: 'summarize', summarizer: summarizer.name, tokens: plan.readTokens })
  const judged = await summarizePlan(plan, summarizer, pick(options, 'signal'))
  report?.({ step: 'assemble' })
  const bundle = assembleBundle(plan, judged, { ...options, archived: archive })
  signal?.throwIfAborted()
  if (store === undefined) return { bundle, session: clean, facts, plan }
  report?.({ step: 'save', id: bundle.id })
  if (archive) await store.archive(log, session.source, pick(options, 'signal'))
  const stored = await store.save(bundle, pick(options, 'signal'))
  return { bundle, session: clean, facts, plan, stored }
}

/** The named options that were given: an absent option stays absent. */
function pick<T extends object, K extends keyof T>(
  options: T,
  ...keys: K[]
): { [P in K]?: Exclude<T[P], undefined> } {
  return Object.fromEntries(
    keys.flatMap((key) => (options[key] === undefined ? [] : [[key, options[key]]])),
  ) as {
    [P in K]?: Exclude<T[P], undefined>
  }
}
