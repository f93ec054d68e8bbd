import {
  type CompressLogOptions,
  compressLog,
  emptySummary,
  type LogInput,
  type PriceTable,
  type Summarizer,
} from '@tenfold/core'
import { maxCostOf } from '@tenfold/core/internal'
import type { OpenLog } from '@tenfold/core/readers'
import type { CallEstimate } from '@tenfold/core/summarizer'

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
