import { emptySummary } from '../../src/bundle/section-contents.ts'
import type { SessionSummary } from '../../src/bundle/session-summary.ts'
import type { BundlePlan } from '../../src/plan/plan-bundle.ts'
import { sizeExcerpts } from '../../src/plan/trail-caps.ts'
import type { TranscriptItem } from '../../src/plan/transcript-item.ts'
import { atOnce } from '../../src/session/pauses.ts'
import type { TokenUsage } from '../../src/session/usage.ts'
import type { Summarizer, SummarizerCall, SummaryRequest } from '../../src/summarize/summarizer.ts'
import { SummarizerError, type SummarizerFailure } from '../../src/summarize/summarizer-error.ts'
import { emptyFacts } from '../../src/testing/empty-facts.ts'
import type { TokenCounter } from '../../src/tokens/token-counter.ts'
import { makeSession } from '../support/session.ts'

/** A token for each word. */
export const words: TokenCounter = {
  name: 'words',
  count: (text) => text.split(/\s+/).filter((word) => word !== '').length,
}

/** An item of so many words; every tenth is a user turn. */
export function transcriptItem(number: number, size: number): TranscriptItem {
  const isUser = number % 10 === 1
  return {
    event: `e${number}`,
    agent: 'main',
    turn: Math.ceil(number / 10),
    type: isUser ? 'user' : 'assistant',
    label: isUser ? 'user' : 'assistant',
    text: Array.from({ length: size }, (_, index) => `w${number}.${index}`).join(' '),
  }
}

/** A plan that has only what summarizing needs: `items` of `size` words each. */
export function planOf(items: number, size: number, counter: TokenCounter = words): BundlePlan {
  const reading = Array.from({ length: items }, (_, index) => transcriptItem(index + 1, size))
  const total = items * size
  return {
    kind: 'context',
    session: makeSession([]),
    facts: emptyFacts,
    counter,
    tokens: { total, byEvent: [], byCategory: {}, byAgent: [] } as unknown as BundlePlan['tokens'],
    budget: {
      sourceTokens: total * 4,
      maxTokens: total / 2,
      minTokens: 0,
      small: false,
      capped: false,
      readRatio: 1,
    },
    excerpts: [],
    sized: atOnce(sizeExcerpts([])),
    scoreSentence: () => 0,
    transcript: reading,
    readTokens: total,
  }
}

export interface FakeOptions {
  readonly name?: string
  readonly model?: string
  readonly contextWindow?: number
  readonly incremental?: boolean
  /** Milliseconds until the answer to the n-th request, or what it waits for. @default 0 */
  readonly delay?: (index: number) => number | Promise<void>
  /** Why a request fails; undefined if it does not. */
  readonly fails?: (request: SummaryRequest, index: number) => SummarizerFailure | undefined
  readonly usage?: (request: SummaryRequest) => TokenUsage
  readonly estimates?: boolean
  /** Tokens that a request takes in addition to its items. @default 0 */
  readonly beside?: number
  /** Tokens that the server reports as its limit, in a failure. */
  readonly inputLimit?: (request: SummaryRequest) => number
  readonly answer?: (request: SummaryRequest) => SessionSummary
  /** Continues after an abort. */
  readonly deaf?: boolean
}

export interface FakeSummarizer extends Summarizer {
  readonly requests: SummaryRequest[]
  /** Most requests at the same time. */
  most: number
}

/** First and last event of a request. */
export function rangeOf({ items }: Pick<SummaryRequest, 'items'>): string {
  return items.length === 0 ? 'nothing' : `${items[0]?.event}-${items.at(-1)?.event}`
}

/** A summarizer whose summary is the events that it was given, with one finding for each item. */
export function fakeSummarizer(options: FakeOptions = {}): FakeSummarizer {
  const { name = 'fake', model = 'fake-1', contextWindow, incremental, delay, fails, usage } = options
  let running = 0
  const taken = (request: SummaryRequest) => sizeOf(request) + (options.beside ?? 0)
  const fake: FakeSummarizer = {
    name,
    model,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(incremental === undefined ? {} : { incremental }),
    ...(options.estimates && {
      estimate: (request) => ({ summarizer: name, model, inputTokens: taken(request), maxOutputTokens: 10 }),
    }),
    requests: [],
    most: 0,
    async summarize(request, { signal, admit, onCall }) {
      const index = fake.requests.push(request) - 1
      running++
      fake.most = Math.max(fake.most, running)
      try {
        admit?.({ summarizer: name, model, inputTokens: taken(request), maxOutputTokens: 10 })
        const used = usage?.(request) ?? { inputTokens: sizeOf(request), outputTokens: 10 }
        const call = (more: Partial<SummarizerCall>): SummarizerCall => ({
          summarizer: name,
          model,
          purpose: rangeOf(request),
          usage: used,
          ...more,
        })
        try {
          const wait = delay?.(index) ?? 0
          await (typeof wait === 'number' ? pause(wait, options.deaf ? undefined : signal) : wait)
        } catch (error) {
          onCall?.(call({ error: 'aborted' }))
          throw error
        }
        const reason = fails?.(request, index)
        const made = call(reason === undefined ? {} : { error: reason })
        onCall?.(made)
        if (reason !== undefined)
          throw new SummarizerError(`${name} said ${reason}`, {
            reason,
            calls: [made],
            ...(options.inputLimit && { inputLimit: options.inputLimit(request) }),
          })
        return { summary: (options.answer ?? plainAnswer)(request), calls: [made], promptVersion: '7' }
      } finally {
        running--
      }
    },
  }
  return fake
}

function plainAnswer(request: SummaryRequest): SessionSummary {
  const { items, earlier } = request
  if (earlier !== undefined) return { ...earlier, overview: `brought up to date with ${rangeOf(request)}` }
  return {
    ...emptySummary(),
    overview: `read ${rangeOf(request)}`,
    findings: items.map(({ event }) => ({ text: `finding ${event}`, evidence: [event] })),
  }
}

function sizeOf({ items }: SummaryRequest): number {
  return items.reduce((sum, { text }) => sum + words.count(text), 0)
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    // A fake that ignores the signal may outlive the tests.
    if (signal === undefined) timer.unref()
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
}
