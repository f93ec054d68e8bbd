import { cleanLine, type PriceTable } from '@tenfold/core'
import { formatCount, formatNumberOf } from '../terminal/numbers.ts'
import type { LogOutcome } from './compress-one.ts'
import type { ModelEstimate } from './estimate-log.ts'

/** The line about a log that a dry run estimated. */
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
