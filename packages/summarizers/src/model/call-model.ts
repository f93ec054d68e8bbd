import { backoff, sleep as timer } from '@tenfold/core/internal/locks'
import { cleanLine, known } from '@tenfold/core/internal/summarizer'
import {
  type SummarizerCall,
  SummarizerError,
  type SummaryControl,
  type TokenUsage,
} from '@tenfold/core/summarizer'
import { callError } from '../provider/call-error.ts'
import { type Model, ModelError, type ModelReply, type ModelRequest } from '../provider/model.ts'
import { outOfTime } from '../provider/run-call.ts'
import { tokenUsage } from '../provider/token-usage.ts'
import { abortable, defaultCallMs, watchCall } from '../provider/watch-call.ts'

/** How often and how long a call is tried again. */
export interface RetryOptions {
  /** Retries of a call that failed in a way that may pass. @default 4 */
  readonly maxRetries?: number | undefined
  /** Most output tokens of a second try after an answer that was cut at `maxOutputTokens`. @default no second try */
  readonly outputLimit?: number | undefined
  /**
   * Most milliseconds for one call in all, no matter how often the server sends something; a call that takes longer is
   * not retried. @default 1_800_000
   */
  readonly timeoutMs?: number | undefined
  /** @default a timer */
  readonly sleep?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined
  /** Returns numbers from 0 up to 1, for the waits. @default Math.random */
  readonly random?: (() => number) | undefined
}

/** How a model is called. */
export interface CallModelOptions<T> extends RetryOptions {
  /** Calls the model once. */
  readonly call: Model
  /** Name in the ledger of calls. */
  readonly summarizer: string
  /** Name of the model in the ledger of calls. */
  readonly model?: string | undefined
  /** Purpose of the call in the ledger. */
  readonly purpose: string
  /** Limits and observes the calls. */
  readonly control: SummaryControl
  /** Receives each call as it ends, even if `callModel` throws. */
  readonly calls: SummarizerCall[]
  /** Parses a reply; throws ModelError if it is unusable. */
  readonly read: (reply: ModelReply) => T
  /** Fewest output tokens that a second try asks for. @default twice those of the first */
  readonly secondOutput?: number | undefined
  /** False if no input is billed as written to a cache. @default true */
  readonly writesCache?: boolean | undefined
  /** Lower estimate of the input. A server that reads less than half of it has cut the rest. @default not checked */
  readonly minInputTokens?: number | undefined
}

/**
 * Asks a model until it gives a usable reply. Retries failures that may pass, with growing random waits; retries an
 * empty answer once; and retries an answer that was cut at its limit once, with at least twice the room. Throws
 * ModelError, SummarizerError if `admit` does not allow a call, or the reason of the signal, promptly.
 */
export async function callModel<T>(request: ModelRequest, options: CallModelOptions<T>): Promise<T> {
  const { signal } = options.control
  const { maxRetries = 4, sleep = timer, random = Math.random } = options
  let current = request
  let retries = 0
  let answeredBefore = false
  for (;;) {
    const outcome = await attempt(current, options)
    if ('value' in outcome) return outcome.value
    const { error, reply } = outcome
    if (reply !== undefined) {
      const next = answeredBefore ? undefined : afterAnswer(current, error, reply, options)
      if (next === undefined) throw error
      answeredBefore = true
      current = next
      continue
    }
    if (!mayPass(error) || retries >= Math.min(maxRetries, error.retryLimit ?? Infinity)) throw error
    const wait = waitMs(error, retries++, random)
    await abortable(() => sleep(wait, signal), signal)
  }
}

/** The value of a usable reply; otherwise the error, and the reply if there was one. */
type Outcome<T> =
  | { readonly value: T }
  | { readonly error: ModelError; readonly reply: ModelReply | undefined }

/** One call, with its entries for the ledger: each request that the model sent. */
async function attempt<T>(request: ModelRequest, options: CallModelOptions<T>): Promise<Outcome<T>> {
  const { call, read, minInputTokens = 0, timeoutMs = defaultCallMs } = options
  const { signal } = options.control
  signal.throwIfAborted()
  await admit(request, options)
  signal.throwIfAborted()
  const watch = watchCall(signal, { idleMs: Number.POSITIVE_INFINITY, totalMs: timeoutMs })
  const enter = ledgerOf(options)
  let reply: ModelReply | undefined
  let outcome: Outcome<T>
  let begun = false
  let denied: { readonly cause: unknown } | undefined
  const onBegin = () => {
    begun = true
  }
  const onRefused = async (refused: ModelError) => {
    enter(refused, refused)
    await admit(request, options).catch((cause: unknown) => {
      denied = { cause }
      throw cause
    })
  }
  try {
    reply = checked(await watch.race(() => call(request, { signal: watch.signal, onBegin, onRefused })))
    if (wasCut(reply.usage, minInputTokens)) throw inputCut(reply, minInputTokens)
    outcome = { value: read(reply) }
  } catch (thrown) {
    outcome = { error: errorOf(thrown), reply }
  } finally {
    watch.close()
  }
  if (denied !== undefined) throw denied.cause
  const error = 'error' in outcome ? outcome.error : undefined
  enter(reply ?? error, error, begun)
  signal.throwIfAborted()
  return outcome

  function errorOf(thrown: unknown): ModelError {
    // An aborted call may have been billed: its usage is unknown, not 0.
    if (signal.aborted) return new ModelError('aborted by the caller', { reason: 'unknown', cause: thrown })
    if (watch.ended() === undefined || thrown instanceof ModelError) return asModelError(thrown)
    return outOfTime(timeoutMs)
  }
}

/** Enters requests of one call into the ledger: what a reply, or the error of one without a reply, says of it. */
function ledgerOf<T>({ summarizer, model, purpose, calls, control }: CallModelOptions<T>) {
  let started = performance.now()
  return (from: ModelReply | ModelError | undefined, error?: ModelError, begun = false): void => {
    const stop = from !== undefined && 'stop' in from ? from.stop : undefined
    const call: SummarizerCall = {
      summarizer,
      ...known({ model, purpose }),
      ...known({ model: from?.model, requestId: from?.requestId, stop }),
      usage: knownUsage(from?.usage),
      ...(error !== undefined && { error: ledgerError(error), ...(begun && { begun }) }),
      durationMs: Math.round(performance.now() - started),
    }
    started = performance.now()
    calls.push(call)
    control.onCall?.(call)
  }
}

async function admit<T>(
  { inputTokens, maxOutputTokens }: ModelRequest,
  options: CallModelOptions<T>,
): Promise<void> {
  const { summarizer, model, control, writesCache = true } = options
  try {
    await control.admit?.({
      summarizer,
      ...known({ model }),
      inputTokens,
      maxOutputTokens,
      ...(writesCache ? {} : { cacheWriteTokens: 0 }),
    })
  } catch (error) {
    control.signal.throwIfAborted()
    if (error instanceof SummarizerError) throw error
    const message = error instanceof Error ? error.message : String(error)
    throw new SummarizerError(message, { reason: 'over-budget', cause: error })
  }
}

/** Checks a reply, since an injected function may return less than its type says. */
function checked(reply: ModelReply): ModelReply {
  if (typeof reply?.text === 'string') return { ...reply, usage: knownUsage(reply.usage) }
  throw new ModelError('expected the model function to give a text', {
    reason: 'unknown',
    usage: knownUsage(reply?.usage),
  })
}

/** Requests below this size are not compared with the tokens read: estimates are too rough. */
const minChecked = 2000

function wasCut({ inputTokens, cacheReadTokens = 0 }: TokenUsage, least: number): boolean {
  return least >= minChecked && inputTokens !== undefined && cacheReadTokens === 0 && inputTokens < least / 2
}

function inputCut({ usage, ...reply }: ModelReply, least: number): ModelError {
  return new ModelError(
    `the server read ${usage.inputTokens} tokens of at least ${least}: it cuts its input silently. Give the model a larger window on the server (num_ctx), or this summarizer a smaller contextWindow`,
    {
      reason: 'prompt-too-long',
      usage,
      inputLimit: usage.inputTokens,
      requestId: reply.requestId,
    },
  )
}

function asModelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error
  if (error instanceof TypeError && error.message === 'fetch failed') return callError(error)
  // The message belongs to whoever threw it: it may contain a key or the prompt.
  const name = error instanceof Error ? error.name : typeof error
  const message = `the call failed with ${name}; see its cause`
  return new ModelError(message, { reason: 'unknown', cause: error })
}

/** Retrying would change nothing, no matter what the provider says. */
const lasting: ReadonlySet<ModelError['reason']> = new Set<ModelError['reason']>([
  'auth',
  'bad-request',
  'content-filter',
  'over-budget',
  'prompt-too-long',
  'refused',
  'spend-limit',
])

function mayPass(error: ModelError): boolean {
  return error.retryable && !lasting.has(error.reason)
}

/** The request to send after an unusable answer, if asking once more may help. */
function afterAnswer(
  request: ModelRequest,
  error: ModelError,
  { stop }: ModelReply,
  { outputLimit = 0, secondOutput = 0 }: Pick<CallModelOptions<unknown>, 'outputLimit' | 'secondOutput'>,
): ModelRequest | undefined {
  if (error.reason === 'empty' || error.reason === 'cut-off') return request
  if (error.reason !== 'truncated' || stop !== 'max-tokens') return
  const maxOutputTokens = Math.min(Math.max(request.maxOutputTokens * 2, secondOutput), outputLimit)
  return maxOutputTokens > request.maxOutputTokens ? { ...request, maxOutputTokens } : undefined
}

const maxRetryAfterMs = 120_000

/** Throws the error if the provider asks to wait longer than a call may. */
function waitMs(error: ModelError, retries: number, random: () => number): number {
  const { retryAfterMs: askedMs = 0 } = error
  if (!(askedMs > maxRetryAfterMs))
    return backoff(retries, { firstMs: 1000, mostMs: 30_000, askedMs, random })
  const { reason, retryable, usage, requestId } = error
  const message = `${error.message}; the provider asks to wait ${Math.ceil(askedMs / 1000)} s, more than the ${maxRetryAfterMs / 1000} s that a call waits`
  const details = { reason, retryable, retryAfterMs: askedMs, usage, requestId, cause: error }
  throw new ModelError(message, details)
}

/** The error of a call, in one line. */
function ledgerError({ reason, message }: ModelError): string {
  return cleanLine(reason === 'unknown' ? message : `${reason}: ${message}`).slice(0, 300)
}

/** Drops fields of a usage that are not counts: an unknown number is absent, not 0. */
function knownUsage(usage: TokenUsage | undefined): TokenUsage {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage ?? {}
  return tokenUsage({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens })
}
