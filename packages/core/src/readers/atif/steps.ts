import { basename } from 'node:path'
import { appendTo } from '../../session/append-to.ts'
import { toolKinds } from '../../session/event.ts'
import { asCount, asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import { type TokenUsage, usageFields } from '../../session/usage.ts'
import { parseLine } from '../log/parse-line.ts'
import {
  type Conversation,
  callArguments,
  createConversation,
  writeResult,
  writeStanding,
  writeUser,
} from '../messages/conversation.ts'
import { contentParts } from '../shared/content.ts'
import {
  type AtifRun,
  continuation,
  keepEmbedded,
  readUnnamed,
  referencesIn,
  startChild,
} from './children.ts'
import { atifOutcome, ownEvent, ownFields } from './outcome.ts'

/** Reads the steps of one trajectory as messages and calls of `conversation`'s agent. */
export function readTrajectory(run: AtifRun, conversation: Conversation, trajectory: JsonObject): void {
  const embedded = keepEmbedded(run, trajectory)
  const model = asText(asObject(trajectory.agent)?.model_name)
  if (!asList(trajectory.steps).some(hasMetrics))
    addTotal(conversation, asObject(trajectory.final_metrics), model)
  for (const step of asList(trajectory.steps)) readStep(run, speakerOf(run, conversation, step), step, model)
  Object.assign(conversation, { time: undefined, copied: false, undone: false, at: undefined })
  const next = continuation(trajectory)
  if (next !== undefined) {
    const { agent } = conversation
    appendTo(run.waiting, basename(next), { agent, parent: conversation, callId: undefined })
  }
  readUnnamed(run, conversation, embedded, (child, inner) => readTrajectory(run, child, inner))
  if (asList(trajectory.steps).length === 0) run.out.absorb('empty trajectory')
}

/** Harbor's converter leaves the steps of Claude Code's subagents among those of their parent, with a mark. */
function speakerOf(run: AtifRun, conversation: Conversation, step: unknown): Conversation {
  if (asObject(asObject(step)?.extra)?.is_sidechain !== true || conversation !== run.main) return conversation
  run.sidechain ??= createConversation(run.out, 'sidechain', run.main)
  return run.sidechain
}

function readStep(run: AtifRun, conversation: Conversation, value: unknown, model: string | undefined): void {
  const step = asObject(value)
  if (step === undefined) {
    conversation.other(value, 'no-object')
    return
  }
  const own = ownFields(step)
  const turn = asCount(own?.turn)
  conversation.at = turn === undefined ? undefined : { ...run.place, turn }
  conversation.time = asText(step.timestamp)
  conversation.copied = step.is_copied_context === true
  conversation.undone = own?.in_context === false
  // A redacted log may hide the source.
  const isHidden =
    !/^(?:user|system|agent)$/.test(asText(step.source) ?? '') && Array.isArray(step.tool_calls)
  const source = isHidden ? 'agent' : step.source
  conversation.model = source === 'agent' ? (asText(step.model_name) ?? model) : undefined
  if (source === 'agent') readAgentStep(run, conversation, step)
  else if (source === 'user') readUserStep(conversation, step, own)
  else if (source === 'system') readSystemStep(conversation, step, own)
  else conversation.other(value, `step/${asText(source) ?? 'untold'}`)
  if (source === 'agent' || source === 'user' || source === 'system') readObservation(run, conversation, step)
}

function readUserStep(conversation: Conversation, step: JsonObject, own: JsonObject | undefined): void {
  const { texts, images } = partsOf(conversation, step.message)
  const text = texts.join('\n')
  const event = own === undefined ? undefined : ownEvent(step, own, text)
  if (event !== undefined) {
    conversation.write(event)
    return
  }
  const parts = writtenParts(text)
  writeUser(conversation, parts?.texts ?? texts, images + (parts?.images ?? 0))
}

/** Harbor's converters writeOutput the parts of a message as JSON into its text, one after the other. */
function writtenParts(text: string): { texts: readonly string[]; images: number } | undefined {
  if (!text.startsWith('{"type":')) return undefined
  const { values, rest } = parseLine(text)
  const parts = contentParts(values)
  return rest === undefined && parts.others.length === 0 ? parts : undefined
}

const resultTypes = /^(?:tool_result|subagent_start|subagent_end)$/

const compactions =
  /\b(?:context|conversation|history)\b.{0,40}\b(?:summari[sz]|compact|condens)|\bcompaction\b/i

function readSystemStep(conversation: Conversation, step: JsonObject, own: JsonObject | undefined): void {
  const { texts } = partsOf(conversation, step.message)
  const text = texts.join('\n')
  const event = own === undefined ? undefined : ownEvent(step, own, text)
  // A step in Tenfold's export that is not an event of its own holds only results.
  if (own !== undefined) {
    if (event !== undefined && !resultTypes.test(event.type)) conversation.write(event)
    return
  }
  const refers = asList(asObject(step.observation)?.results).some(
    (result) => referencesIn(asObject(result) ?? {}).length > 0,
  )
  if (refers && compactions.test(text.slice(0, 500))) conversation.write({ type: 'compaction', text })
  else writeStanding(conversation, 'system', text)
}

function readAgentStep(run: AtifRun, conversation: Conversation, step: JsonObject): void {
  addUsage(run, conversation, step)
  const reasoning = partsOf(conversation, step.reasoning_content).texts.join('\n')
  // Harbor's converter writes this word if there was no thinking.
  if (reasoning !== 'null') conversation.think(reasoning)
  const text = partsOf(conversation, step.message).texts.join('\n')
  const calls = asList(step.tool_calls)
  if (!isMadeUp(text, calls)) conversation.say(text)
  for (const value of calls) {
    const call = asObject(value)
    const name = asText(call?.function_name)
    if (call === undefined || name === undefined) {
      conversation.other(value, 'tool_call')
      continue
    }
    const { kind, raw_input } = asObject(call.extra) ?? {}
    const given = callArguments(call.arguments)
    // The format takes only objects, so an object wraps a tool's plain text.
    const input = (raw_input === true ? asObject(given)?.input : undefined) ?? given
    conversation.call({ id: call.tool_call_id, name, input, kind: toolKinds.find((known) => known === kind) })
  }
}

/** `Executed Bash toolu_1`: text that Harbor's converter writes if the model said nothing. */
function isMadeUp(text: string, calls: readonly unknown[]): boolean {
  return calls.some((value) => {
    const call = asObject(value)
    return text === `Executed ${String(call?.function_name)} ${String(call?.tool_call_id)}`
  })
}

function readObservation(run: AtifRun, conversation: Conversation, step: JsonObject): void {
  if (step.observation === undefined || step.observation === null) return
  const observation = asObject(step.observation)
  if (!Array.isArray(observation?.results)) {
    conversation.other(step.observation, 'observation')
    return
  }
  const called = asList(step.tool_calls).length > 0
  for (const value of observation.results) {
    const result = asObject(value)
    if (result === undefined) conversation.other(value, 'observation')
    else readResult(run, conversation, step, result, called)
  }
}

function readResult(
  run: AtifRun,
  conversation: Conversation,
  step: JsonObject,
  result: JsonObject,
  called: boolean,
): void {
  const id = asText(result.source_call_id)
  const refs = referencesIn(result)
  // A result that only refers to a subagent answers no call.
  const answers = result.content !== undefined || refs.length === 0
  const call = answers && (id !== undefined || called) ? conversation.take(id) : undefined
  for (const ref of refs)
    startChild(run, conversation, ref, call?.callId ?? id, (child, inner) =>
      readTrajectory(run, child, inner),
    )
  if (!answers) return
  const outcome = atifOutcome(step, result, call)
  const rawId = id ?? asText(asObject(result.extra)?.call_id)
  // In Tenfold's own export the user's text already has an event of its own.
  if (rawId === undefined && call === undefined) writeOutput(conversation, step, outcome.text)
  else if (ownFields(step) === undefined) writeResult(conversation, call, rawId, outcome)
  else conversation.result(call, outcome, rawId)
}

/** Output of a terminal or an environment that answers no call. */
function writeOutput(conversation: Conversation, { source }: JsonObject, text: string): void {
  conversation.context('output', source === 'system' ? 'observation' : 'terminal', text)
}

function partsOf(conversation: Conversation, content: unknown): ReturnType<typeof contentParts> {
  const parts = contentParts(content)
  for (const other of parts.others) conversation.other(other, 'message-part')
  return parts
}

/** Counts the usage of an agent's step once: converters repeat it in each step that one response became. */
function addUsage(run: AtifRun, conversation: Conversation, step: JsonObject): void {
  const metrics = asObject(step.metrics)
  if (metrics === undefined || step.is_copied_context === true) return
  const usage = atifUsage(metrics, '')
  if (Object.keys(usage).length === 0) return
  const mark = JSON.stringify([conversation.model, usage])
  const repeated = run.metrics.get(conversation.agent) === mark && (usage.inputTokens ?? 0) > 0
  run.metrics.set(conversation.agent, mark)
  if (!repeated) run.responses++
  conversation.usage(`${conversation.agent}/${run.responses}`, usage)
}

/** Metrics in the terms of `TokenUsage`. `prompt_tokens` includes cached ones since 1.2. */
function atifUsage(metrics: JsonObject | undefined, prefix: '' | 'total_'): TokenUsage {
  const count = (name: string): number | undefined => asCount(metrics?.[`${prefix}${name}`])
  const extra = asObject(metrics?.extra)
  const prompt = count('prompt_tokens')
  const read = count('cached_tokens')
  // Harbor's converter of Claude Code omits the tokens written to the cache, and keeps them under Anthropic's name.
  const apart = asCount(extra?.[`${prefix}cache_creation_input_tokens`])
  const written = asCount(extra?.[`${prefix}cache_write_tokens`])
  const before = prompt !== undefined && read !== undefined && prompt < read ? read : 0
  return known<TokenUsage>({
    inputTokens: prompt === undefined ? undefined : prompt + before + (apart ?? 0),
    outputTokens: count('completion_tokens'),
    cacheReadTokens: read,
    cacheWriteTokens: apart ?? written,
    reasoningTokens: asCount(extra?.[`${prefix}reasoning_tokens`]),
  })
}

function hasMetrics(step: unknown): boolean {
  return Object.keys(atifUsage(asObject(asObject(step)?.metrics), '')).length > 0
}

/** The total of a trajectory whose steps report no usage. Tenfold's own export reports it by model. */
function addTotal(
  conversation: Conversation,
  total: JsonObject | undefined,
  model: string | undefined,
): void {
  const byModel = Object.entries(asObject(asObject(total?.extra)?.usage_by_model) ?? {})
  const key = `${conversation.agent}/total`
  if (byModel.length === 0) conversation.usage(key, atifUsage(total, 'total_'), model)
  for (const [name, value] of byModel) {
    const counts = usageFields.map((field) => [field, asObject(value)?.[field]])
    conversation.usage(`${key}/${name}`, Object.fromEntries(counts), name)
  }
}
