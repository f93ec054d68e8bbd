import * as json from '../../session/json.ts'
import { addUsage, type TokenUsage } from '../../session/usage.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { exceeding, isUnused, usageIn } from '../shared/usage.ts'
import { createWriter, type NewCall, type WrittenCall } from '../shared/writer.ts'

export type OpenHandsState = ReturnType<typeof createOpenHandsState>

export function createOpenHandsState(out: SessionWriter) {
  return Object.assign(createWriter(out), {
    byAction: new Map<string, WrittenCall>(),
    last: undefined as WrittenCall | undefined,
    children: new Map<string, string>(),
    responses: new Set<string>(),
    /** Usage of the responses, and the log's own sum. */
    counted: new Map<string, TokenUsage>(),
    accumulated: undefined as { usage: TokenUsage; model: string | undefined } | undefined,
    /** Usage by purpose of its model (V1), which the state of the conversation and its events repeat. */
    purposes: new Map<string, number>(),
    parents: [] as string[],
    settingsModel: undefined as string | undefined,
    messages: 0,
    naive: false,
  })
}

export function writeCall(state: OpenHandsState, given: NewCall, action: string | undefined): WrittenCall {
  const call = state.call(given)
  if (action !== undefined) state.byAction.set(action, call)
  state.last = call
  return call
}

export function callOf(state: OpenHandsState, id: string | undefined, action: string | undefined) {
  const { byAction, last, open } = state
  const ofLast = id === undefined && action === undefined && last !== undefined && open.has(last)
  return byAction.get(action ?? '') ?? (ofLast ? last : id === undefined ? undefined : state.take(id))
}

/** Reads the time of a record. OpenHands writes local times without a zone; they are read as UTC. */
export function readTime(state: OpenHandsState, value: unknown): void {
  const text = json.text(value) ?? ''
  const isNaive = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?$/.test(text)
  state.time = isNaive ? `${text}Z` : text
  if (isNaive && !state.naive) state.out.note('naive-time', 'times have no zone; they were read as UTC')
  state.naive ||= isNaive
}

export function readResponseUsage(state: OpenHandsState, response: json.Fields): void {
  const id = json.text(response.id)
  if (id === undefined || json.object(response.usage) === undefined || state.counted.has(id)) return
  const counts = usageIn(response.usage, 'chat')
  const model = json.text(response.model) ?? state.settingsModel ?? 'unknown'
  state.counted.set(id, counts)
  state.out.usage(`response ${id}`, 'main', model, counts)
}

export function readAccumulated(state: OpenHandsState, metrics: unknown): void {
  const sum = json.object(metrics, 'accumulated_token_usage')
  const usage = usageIn(sum, 'openhands')
  if (sum === undefined || (usage.inputTokens ?? 0) < (state.accumulated?.usage.inputTokens ?? 0)) return
  state.accumulated = { usage, model: sum.model === 'default' ? undefined : json.text(sum.model) }
}

export function writeRest(state: OpenHandsState): void {
  const { accumulated, counted, out } = state
  const { reasoningTokens: _, ...total } = accumulated?.usage ?? {}
  const rest = exceeding(total, [...counted.values()].reduce<TokenUsage>(addUsage, {}))
  const model = accumulated?.model ?? state.model ?? state.settingsModel ?? 'unknown'
  if (!isUnused(rest)) out.usage('accumulated', 'main', model, rest)
}

/** Reads `stats` of a conversation (V1): sums by the purpose of a model, of which the highest one is kept. */
export function readStats(state: OpenHandsState, stats: unknown): void {
  for (const [purpose, metrics] of Object.entries(json.fields(stats, 'usage_to_metrics'))) {
    const usage = usageIn(json.at(metrics, 'accumulated_token_usage'), 'openhands')
    const size = (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0)
    if (size === 0 || size < (state.purposes.get(purpose) ?? 0)) continue
    state.purposes.set(purpose, size)
    const model = json.text(metrics, 'model_name') ?? state.model ?? 'unknown'
    if (purpose === 'default' || purpose === 'agent') state.model = model
    state.out.usage(`stats ${purpose}`, 'main', model, usage)
    for (const each of json.list(metrics, 'token_usages')) state.model ??= json.text(each, 'model')
  }
}
