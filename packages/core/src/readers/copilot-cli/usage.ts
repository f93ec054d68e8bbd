import { addUsage, type TokenUsage } from '../../session/usage.ts'
import { asCount, asObject, asText, type JsonObject } from '../shared/json-values.ts'
import type { CopilotState } from './state.ts'

/** Counts the usage of one response and remembers it until the run ends and reports its sums. */
export function countResponse(
  state: CopilotState,
  key: string,
  agent: string,
  model: string,
  usage: TokenUsage,
): void {
  state.out.usage(key, agent, model, usage)
  state.run.set(model, addUsage(state.run.get(model) ?? {}, usage))
}

/** `{inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens}`; input includes the cache. */
export function usageOf(value: JsonObject | undefined): TokenUsage {
  const usage: Record<string, number> = {}
  for (const field of fields) {
    const count = asCount(value?.[field])
    if (count !== undefined) usage[field] = count
  }
  return usage
}

const fields = [
  'inputTokens',
  'outputTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'reasoningTokens',
] as const

/** The sums of a run, reported by model when it ends: what no response reported goes to the main agent. */
export function readShutdown(state: CopilotState, data: JsonObject): void {
  for (const [model, metrics] of Object.entries(asObject(data.modelMetrics) ?? {})) {
    const total = usageOf(asObject(asObject(metrics)?.usage))
    const counted = state.run.get(model) ?? {}
    const rest: Record<string, number> = {}
    for (const field of fields) {
      const sum = total[field]
      if (sum !== undefined) rest[field] = Math.max(0, sum - (counted[field] ?? 0))
    }
    state.out.usage(`run ${state.runs} ${model}`, 'main', model, rest)
  }
  startRun(state)
  state.out.absorb('usage')
}

/** Begins a run: a session is started or resumed. */
export function startRun(state: CopilotState): void {
  state.run.clear()
  state.runs++
}

/** Counts a compaction, which is a response of its own. */
export function countCompaction(state: CopilotState, data: JsonObject): void {
  const reported = asObject(data.compactionTokensUsed)
  if (reported === undefined) return
  const model = asText(reported.model) ?? state.model ?? 'unknown'
  const key = `compaction ${asText(data.requestId) ?? state.runs}`
  countResponse(state, key, state.agent, model, usageOf(reported))
}
