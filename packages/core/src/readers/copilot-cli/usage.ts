import { asCount, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { addUsage, type TokenUsage, usageFields } from '../../session/usage.ts'
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
  if (usage.inputTokens === undefined) state.unread++
  else if (usage.outputTokens === undefined) state.unread--
  for (const sums of [state.run, state.total]) sums.set(model, addUsage(sums.get(model) ?? {}, usage))
}

/** The usage of one request (1.0.102), before its answer. */
export function readUsageRecord(state: CopilotState, data: JsonObject): boolean {
  const usage = asObject(data.usage)
  const id = asText(usage?.apiCallId)
  if (usage === undefined || id === undefined) return false
  const model = asText(usage.model) ?? state.model ?? 'unknown'
  if (!state.recorded.has(id)) countResponse(state, `record ${id}`, state.agent, model, usageOf(usage))
  state.recorded.add(id)
  state.out.absorb('usage')
  return true
}

/** `{inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens}`; input includes the cache. */
export function usageOf(value: JsonObject | undefined): TokenUsage {
  const usage: Record<string, number> = {}
  for (const field of usageFields) {
    const count = asCount(value?.[field])
    if (count !== undefined) usage[field] = count
  }
  return usage
}

/**
 * The sums reported by model when a run ends, since 1.0.102 those of all runs of the session: what no response reported
 * goes to the main agent.
 */
export function readShutdown(state: CopilotState, data: JsonObject): void {
  const isCumulative = data.accountingSnapshot !== undefined
  for (const [model, metrics] of Object.entries(asObject(data.modelMetrics) ?? {})) {
    const total = usageOf(asObject(asObject(metrics)?.usage))
    const counted = (isCumulative ? state.total : state.run).get(model) ?? {}
    const rest: Record<string, number> = {}
    for (const field of usageFields) {
      const sum = total[field]
      if (sum !== undefined) rest[field] = Math.max(0, sum - (counted[field] ?? 0))
    }
    state.out.usage(`run ${isCumulative ? 'all' : state.runs} ${model}`, 'main', model, rest)
  }
  startRun(state)
  state.unread = 0
  state.out.absorb('usage')
}

/** Notes, at the end, that what the model read is not counted. */
export function noteUnread({ out, unread }: CopilotState): void {
  if (unread > 0)
    out.note(
      'partial-usage',
      `of ${unread} response${unread === 1 ? '' : 's'} the log has only the output tokens: the input is reported when a run ends`,
    )
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
  const key = `compaction ${asText(data.requestId) ?? asText(data.compactionAttemptId) ?? state.runs}`
  const usage = usageOf(reported)
  // The sums of later versions leave it out.
  if (state.recorded.size > 0) state.out.usage(key, state.agent, model, usage)
  else countResponse(state, key, state.agent, model, usage)
}
