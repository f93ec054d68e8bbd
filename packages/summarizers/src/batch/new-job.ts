import { randomBytes, randomInt } from 'node:crypto'
import {
  type BudgetOptions,
  type BundleKind,
  type Session,
  type Summarizer,
  type TokenCounter,
  tiktokenCounter,
} from '@tenfold/core'
import { extractFacts, planBundle } from '@tenfold/core/facts'
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
import { known } from '@tenfold/core/internal/summarizer'
import { createRedaction } from '@tenfold/core/redact'
import type { ArchivableLog } from '@tenfold/core/store'
import type { CallEstimate } from '@tenfold/core/summarizer'
import { modelSummarizer } from '../model/model-summarizer.ts'
import { promptVersion } from '../model/prompt.ts'
import { wireJsonSchema } from '../model/wire-schema.ts'
import type { Engine } from './engine.ts'
import { type BatchJob, canonicalHash, type JobSession } from './job.ts'
import { putSession } from './job-store.ts'
import type { BatchProvider } from './provider.ts'
import type { JobWork } from './session-parts.ts'

/** Options for the bundles of a job. */
export interface BatchBundleOptions extends BudgetOptions {
  /** The batch API of a vendor. */
  readonly provider: BatchProvider
  /** @default tiktokenCounter('o200k_base') */
  readonly counter?: TokenCounter | undefined
  /** @default 'context' */
  readonly kind?: BundleKind | undefined
  /** @default 'main' */
  readonly track?: string | undefined
  /** Name of the task that the bundles belong to. */
  readonly task?: string | undefined
  /** Drop statements that the log does not confirm, instead of marking them. @default false */
  readonly dropUnverified?: boolean | undefined
  /** Called for every request before any is sent. Should throw if the caller's limits do not allow it. */
  readonly admit?: ((estimate: CallEstimate) => void) | undefined
}

/** A session to be summarized in a batch. */
export interface BatchSession {
  /** Must be redacted, because it is stored with the job and parts of it are sent to the vendor. */
  readonly session: Session
  /** Name of the log. */
  readonly name: string
  /** The log, which is archived in the store before anything is sent. @default not archived */
  readonly log?: ArchivableLog
}

/** A new job without sessions, with the options for all its bundles. */
export function newJob(options: BatchBundleOptions): BatchJob {
  const { provider, counter = tiktokenCounter(), kind = 'context' } = options
  const { track, task, dropUnverified, maxRatio, minRatio, maxTokens, minSourceTokens, maxReadRatio } =
    options
  const { contextWindow, maxOutputTokens, maxInputTokens = contextWindow, tokenFactor } = provider.window
  const bundle = { track, task, dropUnverified, maxRatio, minRatio, maxTokens, minSourceTokens, maxReadRatio }
  const nonce = newNonce()
  const createdAt = new Date().toISOString()
  return {
    schemaVersion: 1,
    job: `${createdAt.replace(/[-:]|\.\d+/g, '')}-${nonce}`,
    nonce,
    createdAt,
    provider: provider.name,
    model: provider.model,
    endpoint: provider.endpoint,
    keyFingerprint: provider.keyFingerprint,
    promptVersion,
    schemaHash: canonicalHash(wireJsonSchema(kind)).slice(0, 12),
    options: {
      kind,
      counter: counter.name,
      maxOutputTokens,
      ...(options.admit !== undefined && { sizedOutput: true as const }),
      maxInputTokens: Math.min(contextWindow - maxOutputTokens, maxInputTokens),
      tokenFactor,
      ...known(bundle),
    },
    sessions: [],
    attempts: [],
  }
}

const letters = 'abcdefghijklmnopqrstuvwxyz'

function newNonce(): string {
  const rest = [...randomBytes(9)].map((byte) => (byte % 36).toString(36)).join('')
  return `${letters[randomInt(26)]}${rest}`
}

/** Digest of a job's options that affect its bundles. Leaves out the length of answers, which follows from limits. */
export function digestOfJob({
  provider,
  model,
  endpoint,
  promptVersion,
  schemaHash,
  options,
}: BatchJob): string {
  const { sizedOutput: _, ...rest } = options
  return canonicalHash({ provider, model, endpoint, promptVersion, schemaHash, options: rest })
}

/** Returns a function that archives a session's log and stores the session with the data for its requests. */
export function sessionStorer(
  engine: Engine,
  job: BatchJob,
): (session: BatchSession, n: number) => Promise<JobWork> {
  const { store, counter, signal } = engine
  const { track = 'main' } = job.options
  const redaction = createRedaction(engine.redactors)
  const sizes = sizesOf(engine)
  const { contextWindow = 0 } = sizes
  const ids = new Set<string>()

  return async ({ session, name, log }, n) => {
    if (log !== undefined) await store.archive(log, session.source, { signal })
    const facts = extractFacts(session)
    const plan = planBundle(session, facts, { ...job.options, counter })
    const condensed = condenseTranscript(plan, plan.transcript, sizes)
    const split = splitTranscript(condensed, { maxTokens: contextWindow, counter })
    const memory = await findMemory(session, store, job.options.track)
    // Shown as in a live call, with secrets redacted.
    const carried =
      memory?.parent === undefined ? [] : carriedToShow(redaction.redactValue(memory.parent), session, facts)
    const tokens = transcriptTokens(split.at(-1) ?? [], counter)
    const stored = {
      session,
      items: split.flat(),
      summaryBudget: summaryBudget(plan.budget),
      sourceTokens: plan.tokens.total,
      carried,
      shown: carriedBeside(carried, { tokens, contextWindow }, counter),
    }
    let first = 0
    const parts = split.map(({ length }) => {
      const range = { first, last: first + length }
      first = range.last
      return range
    })
    const entry: JobSession = {
      n,
      name,
      title: sessionTitle(session),
      source: session.source.sha256,
      digest: await putSession(engine, n, stored),
      ...newBundle(ids, await timeOf(session)),
      archived: log !== undefined,
      parts,
    }
    return { job, entry, stored, facts }
  }

  /** The time for the bundle's id: when the session ended. */
  async function timeOf(session: Session): Promise<Date> {
    const ended = Date.parse(session.endedAt ?? '')
    return await store.nextTime(track, Number.isNaN(ended) ? {} : { endedAt: new Date(ended) })
  }
}

/** A summarizer with the provider's window that only computes the sizes of requests. */
function sizesOf({ provider: { name, window }, counter }: Engine): Summarizer {
  const call = () => Promise.reject(new Error('never called'))
  return modelSummarizer({ name, call, counter, ...window })
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
