import type { ContextBundle } from '../bundle/schema.ts'
import { itemLine } from '../bundle/sections.ts'
import { cleanLine } from '../session/clean-text.ts'
import { cutHead } from '../session/cut-text.ts'
import { addUsage, type TokenUsage } from '../session/usage.ts'
import type { SummarizerCall } from '../summarize/summarizer.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'

type AnyUsage = { readonly [K in keyof TokenUsage]: TokenUsage[K] | undefined }
type BundleCall = ContextBundle['compression']['calls'][number]

/** Maximum length of the description of a failure. */
const errorLength = 160

/**
 * Returns the summarizer calls for the bundle. Successful calls are listed separately if that takes at most
 * `maxTokens`, otherwise without ids and times, otherwise summed by summarizer, with the number of calls as purpose.
 * Failed calls are one entry, since a reader only needs to know that there were some. No billed token is lost.
 */
export function callList(
  calls: readonly SummarizerCall[],
  maxTokens: number,
  counter: TokenCounter,
): BundleCall[] {
  const all = calls.map(bundleCall)
  const done = all.filter(({ error }) => error === undefined)
  const failed = all.filter(({ error }) => error !== undefined)
  const forms = [
    () => done,
    () => done.map(({ requestId: _, durationMs: __, stop: ___, ...call }) => call),
    () => summed(done),
  ]
  for (const form of forms) {
    const list = [...form(), ...(failed.length === 0 ? [] : [asOne(failed)])]
    const size = list.reduce((sum, call) => sum + counter.count(`${itemLine('calls', call)}\n`), 0)
    if (size <= maxTokens) return list
  }
  return summed(all)
}

/** Combines calls of the same summarizer, model and tier. */
function summed(calls: readonly BundleCall[]): BundleCall[] {
  const groups = new Map<string, BundleCall[]>()
  for (const call of calls) {
    const key = JSON.stringify([call.summarizer, call.model, call.tier])
    groups.set(key, [...(groups.get(key) ?? []), call])
  }
  return [...groups.values()].map((group) => {
    const { error: _, ...call } = asOne(group)
    return group.length === 1
      ? { ...call, purpose: undefined }
      : { ...call, purpose: `${group.length} calls` }
  })
}

/** Combines several calls into one, with the number of failures for each reason. */
function asOne(calls: readonly BundleCall[]): BundleCall {
  const [first] = calls
  const distinct = (values: readonly (string | undefined)[]) => [
    ...new Set(values.filter((value) => value !== undefined)),
  ]
  const reasons = calls.map(({ error }) => error?.split(':')[0])
  const counted = distinct(reasons).map((reason) => {
    const times = reasons.filter((other) => other === reason).length
    return times === 1 ? reason : `${reason} ×${times}`
  })
  const models = distinct(calls.map(({ model }) => model))
  return {
    summarizer: distinct(calls.map(({ summarizer }) => summarizer)).join(', '),
    ...lineOf('model', models.length === 1 ? models[0] : undefined),
    ...lineOf('purpose', calls.length === 1 ? first?.purpose : `${calls.length} failed calls`),
    ...(calls.every(({ tier }) => tier === 'batch') ? { tier: 'batch' as const } : {}),
    ...lineOf('error', counted.join(', ')),
    usage: usageOfCalls(calls),
  }
}

/** Returns the total usage of all calls. */
export function usageOfCalls(calls: readonly { readonly usage: AnyUsage }[]): TokenUsage {
  return calls.reduce<TokenUsage>((sum, { usage }) => addUsage(sum, knownUsage(usage)), {})
}

/** Converts a call to the schema's form: a summarizer may report anything, and the call was paid for. */
function bundleCall(call: SummarizerCall): BundleCall {
  const { tier, durationMs } = call
  const ms = durationMs === undefined ? undefined : wholeNumber(durationMs)
  return {
    summarizer: cleanLine(call.summarizer) || 'unknown',
    ...lineOf('model', call.model),
    ...lineOf('purpose', call.purpose),
    ...lineOf('requestId', call.requestId),
    ...lineOf('stop', call.stop),
    tier,
    durationMs: ms,
    ...lineOf('error', call.error),
    usage: knownUsage(call.usage),
  }
}

function knownUsage(usage: AnyUsage): TokenUsage {
  return Object.fromEntries(
    Object.entries(usage).flatMap(([name, value]) => {
      const tokens = value === undefined ? undefined : wholeNumber(value)
      return tokens === undefined ? [] : [[name, tokens]]
    }),
  )
}

function wholeNumber(value: number): number | undefined {
  const whole = Math.round(value)
  return Number.isSafeInteger(whole) && whole >= 0 ? whole : undefined
}

function lineOf<K extends string>(key: K, value: string | undefined): { [P in K]?: string } {
  const line = value === undefined ? '' : cleanLine(cutHead(cleanLine(value), errorLength))
  return line === '' ? {} : ({ [key]: line } as { [P in K]?: string })
}
