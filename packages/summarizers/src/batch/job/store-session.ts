import { randomInt } from 'node:crypto'
import {
  type BundleStore,
  extractFacts,
  type Facts,
  planBundle,
  type Session,
  type Summarizer,
  type TokenCounter,
} from '@tenfold/core'
import {
  carriedBeside,
  carriedToShow,
  condenseTranscript,
  findMemory,
  newBundleId,
  sessionTitle,
  splitTranscript,
  summaryBudget,
  transcriptTokens,
} from '@tenfold/core/internal'
import { createRedaction, type Redaction } from '@tenfold/core/redact'
import type { ArchivableLog } from '@tenfold/core/store'
import type { ShownItem } from '@tenfold/core/summarizer'
import { modelSummarizer } from '../../model/model-summarizer.ts'
import type { BatchJob, JobSession, Range } from '../store/batch-job.ts'
import { putSession } from '../store/job-store.ts'
import type { BatchProvider } from '../vendor/batch-provider.ts'
import type { Engine, EngineOptions } from './engine.ts'
import { planOptionsOf } from './plan-session.ts'
import type { SessionWork } from './session-work.ts'

/** A session to be summarized in a batch. */
export interface BatchSession {
  /** Redacted: it is stored with the job, and the part to be read goes to the vendor. */
  readonly session: Session
  /** Name of the log. */
  readonly name: string
  /** The log itself, to be archived in the store before anything is sent. @default not archived */
  readonly log?: ArchivableLog
}

/** Where the bundles of a job will go. */
type Destination = Pick<EngineOptions, 'store' | 'signal'> & { readonly track?: string | undefined }

/** What all sessions of a job have in common while it is made. */
export interface JobInMaking {
  readonly draft: BatchJob
  readonly engine: Engine
  readonly options: Destination
  readonly redaction: Redaction
  /** Sizes the requests; calls no model. */
  readonly summarizer: Summarizer
  /** Ids of bundles that are taken. */
  readonly ids: Set<string>
}

/** A stored session for which nothing was sent yet. */
export type StoredWork = Omit<SessionWork, 'parts'>

export function jobInMaking(draft: BatchJob, engine: Engine, options: Destination): JobInMaking {
  return {
    draft,
    engine,
    options,
    redaction: createRedaction(engine.redactors),
    summarizer: sizesOf(engine.provider, engine.counter),
    ids: new Set(),
  }
}

/** Archives the log of a session, and stores what its requests are made of. */
export async function storeSession(
  { draft, engine, options, redaction, summarizer, ids }: JobInMaking,
  { session, name, log }: BatchSession,
  n: number,
): Promise<StoredWork> {
  const { store, signal } = options
  const { counter } = engine
  if (log !== undefined) await store.archive(log, session.source, signal === undefined ? {} : { signal })
  const facts = extractFacts(session)
  const plan = planBundle(session, facts, planOptionsOf(draft.options, counter))
  const { items, parts } = partsOf(condenseTranscript(plan, plan.transcript, summarizer), {
    maxTokens: summarizer.contextWindow ?? 0,
    counter,
  })
  const carried = await carriedFor(session, facts, { ...options, redaction })
  const tokens = transcriptTokens(items.slice(parts.at(-1)?.first), counter)
  const stored = {
    session,
    items,
    summaryBudget: summaryBudget(plan.budget),
    sourceTokens: plan.tokens.total,
    carried,
    shown: carriedBeside(carried, { tokens, contextWindow: summarizer.contextWindow }, counter),
  }
  const entry: JobSession = {
    n,
    name,
    title: sessionTitle(session),
    source: session.source.sha256,
    digest: await putSession(store.storage, draft.job, n, stored),
    ...newBundle(ids, await timeOf(options, session)),
    archived: log !== undefined,
    parts,
  }
  return { entry, stored, facts, kind: draft.options.kind, sent: [] }
}

/** A summarizer of the provider's window, for the sizes of requests; it calls no model. */
function sizesOf({ name, window }: BatchProvider, counter: TokenCounter): Summarizer {
  const call = () => Promise.reject(new Error('never called'))
  return modelSummarizer({ name, call, counter, ...window })
}

/** Parts as ranges over one list of items; an item larger than a part is shortened. */
function partsOf(
  transcript: Parameters<typeof splitTranscript>[0],
  options: Parameters<typeof splitTranscript>[1],
): { items: ReturnType<typeof splitTranscript>[number]; parts: Range[] } {
  const split = splitTranscript(transcript, options)
  let first = 0
  const parts = split.map((part) => {
    const range = { first, last: first + part.length }
    first = range.last
    return range
  })
  return { items: split.flat(), parts }
}

/** When a session ended, as the ids of a store have it. */
async function timeOf({ store, track = 'main' }: Destination, session: Session): Promise<Date> {
  const ended = Date.parse(session.endedAt ?? '')
  return await store.nextTime(track, Number.isNaN(ended) ? {} : { endedAt: new Date(ended) })
}

/** Time and random part of a bundle's id that no other session of the job has. */
function newBundle(ids: Set<string>, time: Date): { createdAt: string; random: number } {
  for (;;) {
    const random = randomInt(1e9) / 1e9
    const id = newBundleId(time, () => random)
    if (ids.has(id)) continue
    ids.add(id)
    return { createdAt: time.toISOString(), random }
  }
}

/** What earlier sessions left to this one, as a live call shows it; its secrets are replaced. */
async function carriedFor(
  session: Session,
  facts: Facts,
  {
    store,
    track,
    redaction,
  }: { readonly store: BundleStore; readonly track?: string | undefined; readonly redaction: Redaction },
): Promise<readonly ShownItem[]> {
  const memory = await findMemory(session, store, track)
  return memory?.parent === undefined
    ? []
    : carriedToShow(redaction.redactValue(memory.parent), session, facts)
}
