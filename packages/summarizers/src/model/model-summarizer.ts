import { known, tiktokenCounter } from '@tenfold/core/internal/summarizer'
import {
  type Summarizer,
  type SummarizerCall,
  SummarizerError,
  type SummaryControl,
  type SummaryRequest,
  type TokenCounter,
} from '@tenfold/core/summarizer'
import { type Model, ModelError, type ModelReply, type ModelRequest } from '../provider/model.ts'
import { defaultCallMs, waitingTime } from '../provider/watch-call.ts'
import { callModel, type RetryOptions } from './call-model.ts'
import { answerSize, summaryThatFits } from './length-text.ts'
import { promptVersion } from './prompt.ts'
import { readSummary } from './read-summary.ts'
import {
  answerFrom,
  defaultTokenFactor,
  maxFactsTokens,
  modelRequestFor,
  type ReadAnswer,
  repairRequest,
  tokensBeside,
} from './summary-call.ts'

/** How a model summarizes. */
export interface ModelSummarizerOptions extends RetryOptions {
  /** Name in bundles and ledgers: `anthropic`, `my-model`. */
  readonly name: string
  /** Name of the model in bundles and ledgers. */
  readonly model?: string | undefined
  /** What else shapes its answers, such as `effort high`: a ledger tells summarizers of one model apart by it. */
  readonly settings?: string | undefined
  /** Calls the model once. The simplest one is `async ({ system, messages }) => ({ text, usage, stop: 'end' })`. */
  readonly call: Model
  /** The whole context window of the model, including the answer, in its tokens. */
  readonly contextWindow: number
  /**
   * Most output tokens of an answer, including reasoning. If given, every request asks for as many. Otherwise a request
   * asks for what its answer should take, and only after an answer that was cut for 16_000, or a quarter of the window.
   */
  readonly maxOutputTokens?: number | undefined
  /**
   * False to ask only for what an answer should take, no matter what `maxOutputTokens` is. @default true if that is
   * given
   */
  readonly wholeOutput?: boolean | undefined
  /** False if the provider bills no cache writes: the upper bound of a call is lower then. @default true */
  readonly writesCache?: boolean | undefined
  /** Most output tokens of a second try after an answer was cut at `maxOutputTokens`. @default twice maxOutputTokens */
  readonly outputLimit?: number | undefined
  /**
   * Most tokens of the model in one request, for example if a provider charges more for longer ones. @default the
   * window
   */
  readonly maxInputTokens?: number | undefined
  /** Most tokens of the model for one token of the counter. @default 1.35 */
  readonly tokenFactor?: number | undefined
  /** @default o200k_base */
  readonly counter?: TokenCounter | undefined
  /**
   * Returns numbers from 0 up to 1, for waits and marks around data: a guessable one is for tests. @default
   * Math.random, crypto
   */
  readonly random?: (() => number) | undefined
  /** Ask once more, saying what is wrong, if an answer is not a summary. @default true */
  readonly repair?: boolean | undefined
}

/**
 * A summarizer over any language model: it has the prompt, checks, retries and ledger; the call is the caller's.
 * Throws RangeError if the window leaves no room to read.
 */
export function modelSummarizer(options: ModelSummarizerOptions): Summarizer {
  const { name, model, settings, contextWindow } = options
  const { counter = tiktokenCounter(), tokenFactor = defaultTokenFactor, repair = true } = options
  if (!/^\S(.*\S)?$/.test(name))
    throw new RangeError(`expected name to be one line, got ${JSON.stringify(name)}`)
  waitingTime('timeoutMs', options.timeoutMs ?? defaultCallMs)
  if (!(tokenFactor > 0)) throw new RangeError(`expected tokenFactor above 0, got ${tokenFactor}`)
  const maxOutputTokens = options.maxOutputTokens ?? Math.min(16_000, Math.floor(contextWindow / 4))
  if (!(maxOutputTokens >= 1))
    throw new RangeError(`expected maxOutputTokens of at least 1, got ${maxOutputTokens}`)
  const inputLimit = Math.min(contextWindow - maxOutputTokens, options.maxInputTokens ?? Infinity)
  const itemTokens = roomForItems(inputLimit / tokenFactor)
  if (!(itemTokens >= minItemTokens)) {
    const least = Math.ceil(inputFor(minItemTokens) * tokenFactor)
    throw new RangeError(
      `expected contextWindow without maxOutputTokens, and maxInputTokens, of at least ${least}, got ${inputLimit}`,
    )
  }

  const wholeOutput = options.wholeOutput ?? options.maxOutputTokens !== undefined
  const cacheWrite = options.writesCache === false ? { cacheWriteTokens: 0 } : {}

  const mostTokens = summaryThatFits(maxOutputTokens, tokenFactor)
  const requestFor = (asked: SummaryRequest): ModelRequest => {
    const request = { ...asked, maxTokens: Math.min(asked.maxTokens, mostTokens) }
    return modelRequestFor(request, {
      maxOutputTokens: wholeOutput
        ? maxOutputTokens
        : Math.min(maxOutputTokens, answerSize(request, tokenFactor)),
      counter,
      tokenFactor,
      maxInputTokens: inputLimit,
      random: options.random,
    })
  }

  const summarize = async (
    request: SummaryRequest,
    control: SummaryControl,
    calls: SummarizerCall[],
  ): Promise<ReadAnswer> => {
    const first = requestFor(request)
    if (first.inputTokens > inputLimit)
      throw new ModelError(
        `the request takes up to ${first.inputTokens} tokens, more than the ${inputLimit} that it may`,
        { reason: 'prompt-too-long' },
      )
    let reply: ModelReply | undefined
    const ask = (sent: ModelRequest, purpose: string) =>
      callModel(sent, {
        ...options,
        purpose,
        control,
        calls,
        summarizer: name,
        outputLimit: Math.min(options.outputLimit ?? maxOutputTokens * 2, contextWindow - sent.inputTokens),
        secondOutput: maxOutputTokens,
        minInputTokens: Math.floor((sent.inputTokens / tokenFactor) * surelyRead),
        read(answer) {
          reply = answer
          return answerFrom(request, answer, { counter })
        },
      })
    const purpose = purposeOf(request)
    try {
      return await ask(first, purpose)
    } catch (error) {
      if (!repair || !(error instanceof ModelError) || error.reason !== 'invalid-output') throw error
      const again = reply === undefined ? first : repairRequest(first, reply, error)
      if (again.inputTokens > inputLimit) throw error
      return await ask(again, `${purpose} repair`)
    }
  }

  return {
    name,
    ...known({ model }),
    promptVersion,
    ...known({ settings }),
    contextWindow: itemTokens,
    incremental: true,
    promptTokens: (facts, sourceTokens) => tokensBeside(facts, sourceTokens, counter),
    estimate(request) {
      const asked = isEmpty(request) ? { inputTokens: 0, maxOutputTokens: 0 } : requestFor(request)
      return {
        summarizer: name,
        ...known({ model }),
        inputTokens: asked.inputTokens,
        maxOutputTokens: asked.maxOutputTokens,
        ...cacheWrite,
      }
    },
    async summarize(request, control) {
      control.signal.throwIfAborted()
      // There is nothing to summarize, and a model would make something up.
      if (isEmpty(request)) return { summary: readSummary({}, request), calls: [], promptVersion }
      const calls: SummarizerCall[] = []
      try {
        return { ...(await summarize(request, control, calls)), calls, promptVersion }
      } catch (error) {
        if (control.signal.aborted) throw control.signal.reason
        throw failed(name, error, calls)
      }
    },
  }
}

/** Share of the counter's tokens that any tokenizer needs at least; the schema may not count. */
const surelyRead = 0.7

/** Upper estimate, in tokens of the counter, of a request without its items, facts and earlier statements. */
export const promptTokens = 2800

/** For the bar before each line of an item: measured 1.03 to 1.13. */
const lineFactor = 1.15

const minItemTokens = 500

/** Room for items next to facts and earlier statements; what those do not use is not worth the effort to pass on. */
function roomForItems(tokens: number): number {
  const rest = tokens - promptTokens
  return Math.floor((rest - Math.min(maxFactsTokens * 2, rest * besideItems)) / lineFactor)
}

const besideItems = 0.2

/** Inverse of `roomForItems` for small windows. */
function inputFor(itemTokens: number): number {
  return (itemTokens * lineFactor) / (1 - besideItems) + promptTokens + 1
}

function isEmpty({ items, earlier }: SummaryRequest): boolean {
  return items.length === 0 && earlier === undefined
}

function purposeOf({ part, earlier, items }: SummaryRequest): string {
  if (part !== undefined) return `part ${part.number}/${part.of}`
  if (earlier === undefined) return 'summarize'
  return items.length === 0 ? 'merge' : 'update'
}

function failed(name: string, error: unknown, calls: readonly SummarizerCall[]): SummarizerError {
  const known = error instanceof ModelError || error instanceof SummarizerError
  const { reason, retryable } = known ? error : ({ reason: 'unknown', retryable: false } as const)
  const inputLimit = known ? error.inputLimit : undefined
  const message = error instanceof Error ? error.message : String(error)
  const tries = calls.length - 1 - calls.findLastIndex((call) => call.error === undefined)
  const tried = retryable && tries > 1 ? `; failed after ${tries} attempts, but may succeed later` : ''
  return new SummarizerError(`${name}: ${message}${tried}`, {
    reason,
    retryable,
    calls,
    cause: error,
    inputLimit,
  })
}
