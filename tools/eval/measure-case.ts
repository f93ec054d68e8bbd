import { bundleToMarkdown, type CompressLogOptions, compressLog, type TokenCounter } from '@tenfold/core'
import { atOnce } from '@tenfold/core/internal'
import { deriveFacts, isKnownCommand, measureText, type Scores, yardstickOf } from '@tenfold/measure/internal'
import { baselines } from './baselines.ts'
import type { EvalCase } from './load-cases.ts'
import type { Compressed } from './needles/needles.ts'
import { sessionUnits } from './units.ts'

/** One method on one case. */
interface MethodResult {
  readonly method: string
  readonly tokens: number
  readonly ratio: number
  readonly scores: Scores
}

export interface CaseResult {
  readonly name: string
  readonly repo: string
  readonly sourceTokens: number
  /** Tenfold first, then the shipped summary and the baselines if requested. */
  readonly methods: readonly MethodResult[]
  /** The command that the bundle proposes to continue with; `known` if a user or the agent proposed or ran it. */
  readonly nextCommand: { readonly command: string; readonly known: boolean } | null
  readonly withinBudget: boolean
}

export interface MeasureOptions {
  readonly counter: TokenCounter
  readonly compress: Omit<CompressLogOptions, 'counter'>
  readonly maxRatio: number
  /** Give each case the size of its shipped summary instead of `maxRatio`. */
  readonly shippedBudget: boolean
  readonly baselines: boolean
}

/** Compresses one log and measures every method on it; undefined if the log is too small for a meaningful ratio. */
export async function measureCase(
  evalCase: EvalCase,
  options: MeasureOptions,
): Promise<CaseResult | undefined> {
  const { counter } = options
  const shipped = evalCase.shippedSummary
  if (options.shippedBudget && shipped === undefined) return undefined
  const limits =
    options.shippedBudget && shipped !== undefined
      ? { maxRatio: 1, minRatio: 0, maxTokens: counter.count(shipped) }
      : { maxRatio: options.maxRatio, minRatio: options.maxRatio / 2 }
  const { bundle, session } = await compressLog(evalCase.path, { ...options.compress, ...limits, counter })
  if (bundle.compression.band === 'small') return undefined
  const { sourceTokens, bundleTokens } = bundle.compression
  const yardstick = atOnce(yardstickOf(session, evalCase.facts ?? atOnce(deriveFacts(session))))
  const measure = (method: string, text: string, tokens = counter.count(text)): MethodResult => ({
    method,
    tokens,
    ratio: tokens / sourceTokens,
    scores: atOnce(measureText(text, yardstick)),
  })
  const markdown = bundleToMarkdown(bundle)
  const units = options.baselines ? sessionUnits(session) : []
  const command = bundle.nextSteps[0]?.command
  return {
    name: evalCase.name,
    repo: evalCase.repo,
    sourceTokens,
    methods: [
      measure('Tenfold', markdown),
      ...(shipped === undefined ? [] : [measure('shipped summary', shipped)]),
      ...(options.baselines
        ? baselines.map(([name, method]) => measure(name, method(units, bundleTokens, counter)))
        : []),
    ],
    nextCommand: command === undefined ? null : { command, known: isKnownCommand(session, command) },
    withinBudget:
      counter.count(markdown) === bundleTokens &&
      bundleTokens <= Math.min(limits.maxTokens ?? Number.POSITIVE_INFINITY, sourceTokens * limits.maxRatio),
  }
}

/** Compresses the bytes of a synthetic log. */
export async function compressBytes(
  log: Uint8Array,
  name: string,
  { counter, compress, maxRatio }: MeasureOptions,
): Promise<Compressed> {
  const { bundle, session } = await compressLog(log, {
    ...compress,
    counter,
    name,
    maxRatio,
    minRatio: maxRatio / 2,
  })
  return { bundle, session, markdown: bundleToMarkdown(bundle) }
}
