import {
  type CallEstimate,
  type CompressLogOptions,
  cleanLine,
  compressLog,
  emptySummary,
  type LogInput,
  maxCostOf,
  type OpenLog,
  type PriceTable,
  type Summarizer,
} from '@tenfold/core'
import { formatCount, formatNumberOf } from '../terminal/numbers.ts'
import type { LogOutcome } from './compress-one.ts'

/** What one model would be asked for a log, at most. */
export interface ModelEstimate {
  readonly summarizer: string
  readonly model?: string
  readonly requests: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Absent if the model has no price. */
  readonly cost?: number
}

/**
 * Estimates the requests for a log to each model of a chain, as if it alone were asked; sends none. What a model would
 * be asked to merge the answers to several parts is not known before they are there, and not included.
 */
export async function estimateLog(
  input: LogInput | OpenLog,
  chain: readonly Summarizer[],
  prices: PriceTable,
  options: Omit<CompressLogOptions, 'summarizer' | 'store' | 'limits' | 'onCall'>,
): Promise<ModelEstimate[]> {
  const estimates: ModelEstimate[] = []
  for (const summarizer of chain) {
    if (summarizer.estimate === undefined) continue
    const calls: CallEstimate[] = []
    await compressLog(input, { ...options, summarizer: recording(summarizer, calls) })
    estimates.push(sumOf(summarizer, calls, prices))
  }
  return estimates
}

/** A summarizer that asks no model and only notes what it would have asked. */
function recording(summarizer: Summarizer, calls: CallEstimate[]): Summarizer {
  return {
    ...summarizer,
    async summarize(request) {
      const call = summarizer.estimate?.(request)
      if (call !== undefined) calls.push(call)
      return { summary: emptySummary(), calls: [] }
    },
  }
}

function sumOf(
  { name, model }: Summarizer,
  calls: readonly CallEstimate[],
  prices: PriceTable,
): ModelEstimate {
  const costs = calls.map((call) => maxCostOf(call, prices))
  const known = costs.every((cost) => cost !== undefined)
  return {
    summarizer: name,
    ...(model !== undefined && { model }),
    requests: calls.length,
    inputTokens: calls.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    outputTokens: calls.reduce((sum, { maxOutputTokens }) => sum + maxOutputTokens, 0),
    ...(known && { cost: costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0) }),
  }
}

export function estimatedLine({ log, estimates = [] }: LogOutcome, prices: PriceTable): string {
  const [first] = estimates
  const text = first === undefined ? 'no request' : estimateText(first, prices)
  return `${log === '-' ? 'stdin' : cleanLine(log)}: ${text}`
}

/** What all logs would take, for each model of the chain as if it alone were asked. */
export function estimateTotals(outcomes: readonly LogOutcome[], prices: PriceTable): string[] {
  const models = new Map<string, ModelEstimate>()
  for (const estimate of outcomes.flatMap(({ estimates = [] }) => estimates)) {
    const name = nameOf(estimate)
    const before = models.get(name)
    models.set(name, before === undefined ? estimate : add(before, estimate))
  }
  return [
    `${formatNumberOf(outcomes.length, 'log')} to compress; nothing was sent or written`,
    ...[...models].map(([name, estimate]) => `  ${name}: ${estimateText(estimate, prices)}`),
  ]
}

function nameOf({ summarizer, model }: ModelEstimate): string {
  return model === undefined ? summarizer : `${summarizer} ${cleanLine(model)}`
}

function estimateText(
  { requests, inputTokens, outputTokens, cost }: ModelEstimate,
  { currency }: PriceTable,
): string {
  const price = cost === undefined ? 'no known price' : `at most ${cost.toFixed(4)} ${currency}`
  return `${formatNumberOf(requests, 'request')} · up to ${formatCount(inputTokens)} tokens in, ${formatCount(outputTokens)} out · ${price}`
}

function add(a: ModelEstimate, b: ModelEstimate): ModelEstimate {
  const { cost: _, ...rest } = a
  return {
    ...rest,
    requests: a.requests + b.requests,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    ...(a.cost !== undefined && b.cost !== undefined && { cost: a.cost + b.cost }),
  }
}
