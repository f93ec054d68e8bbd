import { appendTo } from '../../session/append-to.ts'
import type { ToolKind } from '../../session/event.ts'
import { asCount, asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import { addUsage, type TokenUsage } from '../../session/usage.ts'
import { toolKindOf } from '../../tools/tool-kind.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { createWriter } from '../shared/writer.ts'

/** A tool call, or what was written in place of one. */
export interface OpenHandsCall {
  readonly callId: string
  readonly kind: ToolKind
  readonly child?: string | undefined
  /** A command that the user ran, or `finish`, whose text is the answer. */
  readonly shownAs?: 'command' | 'answer'
  done: boolean
}

export type OpenHandsState = ReturnType<typeof createOpenHandsState>

export function createOpenHandsState(out: SessionWriter) {
  return Object.assign(createWriter(out), {
    byAction: new Map<string, OpenHandsCall>(),
    byCallId: new Map<string, OpenHandsCall[]>(),
    lastCall: undefined as OpenHandsCall | undefined,
    responses: new Set<string>(),
    /** Usage of the responses, and what the log says that all of them used. */
    counted: new Map<string, TokenUsage>(),
    accumulated: undefined as { usage: TokenUsage; model: string | undefined } | undefined,
    /** Usage by purpose of its model (V1): the state of the conversation and its events repeat it. */
    purposes: new Map<string, number>(),
    /** Agents above the running one, innermost last. */
    parents: [] as string[],
    /** Model in the settings, for responses that do not report theirs. */
    settingsModel: undefined as string | undefined,
    messages: 0,
    naive: false,
  })
}

/** Remembers a call under an id that no other call has. */
export function openCall(
  state: OpenHandsState,
  rawId: string | undefined,
  action: string | undefined,
  call: Omit<OpenHandsCall, 'callId' | 'done'>,
): OpenHandsCall {
  const opened = { callId: state.freshId(rawId), ...call, done: false }
  if (action !== undefined) state.byAction.set(action, opened)
  appendTo(state.byCallId, rawId ?? opened.callId, opened)
  state.lastCall = opened
  return opened
}

/** The call that a result belongs to: by its action, otherwise by its id, otherwise the last one. */
export function closeCall(
  state: OpenHandsState,
  rawId: string | undefined,
  action: string | undefined,
): OpenHandsCall | undefined {
  const same = state.byCallId.get(rawId ?? '') ?? []
  while (same[0]?.done === true) same.shift()
  const last = rawId === undefined && action === undefined ? state.lastCall : undefined
  const call = state.byAction.get(action ?? '') ?? same[0] ?? (last?.done === false ? last : undefined)
  if (call !== undefined) call.done = true
  return call
}

/** Kind of a tool of OpenHands; an editor call that only views is a read. */
export function openHandsKind(name: string, input: unknown): ToolKind {
  if (/^browser?_/.test(name) || /^browse/.test(name)) return 'fetch'
  if (/^(?:planning_)?file_editor$/.test(name) || name === 'str_replace_editor')
    return asObject(input)?.command === 'view' ? 'read' : 'edit'
  return toolKindOf(name)
}

const naive = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?$/

/** Reads the time of a record. OpenHands writes local times without their zone; they are read as UTC. */
export function readTime(state: OpenHandsState, value: unknown): void {
  const text = asText(value)
  state.time = text !== undefined && naive.test(text) ? `${text}Z` : text
  if (state.naive || state.time === text) return
  state.naive = true
  state.out.note('naive-time', 'times have no zone; they were read as UTC')
}

/** Reads usage as an API response reports it; prompt tokens include the cache. */
export function readResponseUsage(state: OpenHandsState, response: JsonObject): void {
  const usage = asObject(response.usage)
  const id = asText(response.id)
  if (usage === undefined || id === undefined || state.counted.has(id)) return
  const counts = known<TokenUsage>({
    inputTokens: asCount(usage.prompt_tokens),
    outputTokens: asCount(usage.completion_tokens),
    cacheReadTokens:
      asCount(usage.cache_read_input_tokens) ?? asCount(asObject(usage.prompt_tokens_details)?.cached_tokens),
    cacheWriteTokens: asCount(usage.cache_creation_input_tokens),
    reasoningTokens: asCount(asObject(usage.completion_tokens_details)?.reasoning_tokens),
  })
  state.counted.set(id, counts)
  state.out.usage(
    `response ${id}`,
    'main',
    asText(response.model) ?? state.settingsModel ?? 'unknown',
    counts,
  )
}

/** `{prompt_tokens, completion_tokens, cache_read_tokens, …}`, as OpenHands sums it up. */
function sumOf(value: unknown): TokenUsage {
  const usage = asObject(value)
  return known<TokenUsage>({
    inputTokens: asCount(usage?.prompt_tokens),
    outputTokens: asCount(usage?.completion_tokens),
    cacheReadTokens: asCount(usage?.cache_read_tokens),
    cacheWriteTokens: asCount(usage?.cache_write_tokens),
    reasoningTokens: asCount(usage?.reasoning_tokens),
  })
}

/** Remembers the latest sum over all responses so far. */
export function readAccumulated(state: OpenHandsState, metrics: unknown): void {
  const sum = asObject(asObject(metrics)?.accumulated_token_usage)
  if (sum === undefined) return
  const usage = sumOf(sum)
  if ((usage.inputTokens ?? 0) < (state.accumulated?.usage.inputTokens ?? 0)) return
  const reported = asText(sum.model)
  state.accumulated = { usage, model: reported === 'default' ? undefined : reported }
}

/** Writes the part of the sum that exceeds the responses in the log. */
export function writeRest(state: OpenHandsState): void {
  const { accumulated, counted, out } = state
  if (accumulated === undefined) return
  const sum = [...counted.values()].reduce<TokenUsage>(addUsage, {})
  const { reasoningTokens: _, ...total } = accumulated.usage
  const rest: TokenUsage = Object.fromEntries(
    Object.entries(total).map(([key, count]) => [
      key,
      Math.max(0, count - (sum[key as keyof TokenUsage] ?? 0)),
    ]),
  )
  if (!Object.values(rest).some((count) => count > 0)) return
  out.usage('accumulated', 'main', accumulated.model ?? state.model ?? state.settingsModel ?? 'unknown', rest)
}

/** Reads `stats` of a conversation (V1): sums by the purpose of a model; the highest one stays. */
export function readStats(state: OpenHandsState, stats: unknown): void {
  for (const [purpose, value] of Object.entries(asObject(asObject(stats)?.usage_to_metrics) ?? {})) {
    const metrics = asObject(value)
    const usage = sumOf(metrics?.accumulated_token_usage)
    const size = (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0)
    if (size === 0 || size < (state.purposes.get(purpose) ?? 0)) continue
    state.purposes.set(purpose, size)
    const model = asText(metrics?.model_name) ?? state.model ?? 'unknown'
    if (purpose === 'default' || purpose === 'agent') state.model = model
    state.out.usage(`stats ${purpose}`, 'main', model, usage)
    for (const each of asList(metrics?.token_usages)) state.model ??= asText(asObject(each)?.model)
  }
}
