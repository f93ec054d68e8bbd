import { basename } from 'node:path'
import { appendTo } from '../../session/append-to.ts'
import { type EventDraft, toolKinds } from '../../session/event.ts'
import * as json from '../../session/json.ts'
import type { TokenUsage } from '../../session/usage.ts'
import { toolKindOf } from '../../tools/tool-kind.ts'
import { toolOutcome } from '../claude-code/tools.ts'
import { parseLine } from '../log/parse-line.ts'
import { callArguments, keepOthers, writeResult, writeSystem, writeUser } from '../messages/conversation.ts'
import { eventFromJson } from '../reader/event-fields.ts'
import { exitCodeOf, outcomeOf } from '../shared/outcome.ts'
import { usageIn } from '../shared/usage.ts'
import { contentParts, outputText } from '../shared/values.ts'
import { createWriter, type Outcome, type Writer, type WrittenCall } from '../shared/writer.ts'
import { type AtifRun, continuation, keepEmbedded, referencesIn, startChild } from './children.ts'

export function readTrajectory(run: AtifRun, writer: Writer, trajectory: json.Fields): void {
  const embedded = keepEmbedded(run, trajectory)
  const model = json.text(trajectory.agent, 'model_name')
  const steps = json.list(trajectory.steps)
  const hasMetrics = steps.some((step) => Object.keys(atifUsage(json.at(step, 'metrics'), 'atif')).length > 0)
  if (!hasMetrics) addTotal(writer, trajectory.final_metrics, model)
  for (const step of steps) readStep(run, speakerOf(run, writer, step), step, model)
  Object.assign(writer, { time: undefined, copied: false, undone: false, at: undefined })
  const next = continuation(trajectory)
  const parent = { agent: writer.agent, parent: writer, callId: undefined }
  if (next !== undefined) appendTo(run.waiting, basename(next), parent)
  for (const id of embedded) {
    if (!run.embedded.has(id)) continue
    run.out.note('unreferenced-subagent', `no step names subagent ${id}`)
    readChild(run, writer, { trajectory_id: id }, undefined)
  }
  if (steps.length === 0) run.out.absorb('empty trajectory')
}

function readChild(run: AtifRun, parent: Writer, ref: json.Fields, callId: string | undefined): void {
  startChild(run, parent, ref, callId, (child, inner) => readTrajectory(run, child, inner))
}

/** Harbor's converter leaves the steps of Claude Code's subagents among those of their parent, with a mark. */
function speakerOf(run: AtifRun, writer: Writer, step: unknown): Writer {
  if (json.at(step, 'extra', 'is_sidechain') !== true || writer !== run.main) return writer
  run.sidechain ??= createWriter(run.out, 'sidechain', run.main)
  return run.sidechain
}

function readStep(run: AtifRun, writer: Writer, value: unknown, model: string | undefined): void {
  const step = json.object(value)
  if (step === undefined) {
    writer.other(value, 'no-object')
    return
  }
  const own = ownFields(step)
  const turn = json.count(own?.turn)
  writer.at = turn === undefined ? undefined : { ...run.place, turn }
  writer.time = json.text(step.timestamp)
  writer.copied = step.is_copied_context === true
  writer.undone = own?.in_context === false
  // Redaction may have replaced the source.
  const isNamed = /^(?:user|system|agent)$/.test(json.text(step.source) ?? '')
  const source = !isNamed && Array.isArray(step.tool_calls) ? 'agent' : step.source
  writer.model = source === 'agent' ? (json.text(step.model_name) ?? model) : undefined
  if (source === 'agent') readAgentStep(run, writer, step)
  else if (source === 'user') readUserStep(writer, step, own)
  else if (source === 'system') readSystemStep(writer, step, own)
  else writer.other(value, `step/${json.text(source) ?? 'untold'}`)
  if (source === 'agent' || isNamed) readObservation(run, writer, step)
}

function readUserStep(writer: Writer, step: json.Fields, own: json.Fields | undefined): void {
  const { texts, images } = partsOf(writer, step.message)
  const text = texts.join('\n')
  const event = own && ownEvent(step, own, text)
  const parts = writtenParts(text)
  if (event !== undefined) writer.write(event)
  else writeUser(writer, parts?.texts ?? texts, images + (parts?.images ?? 0))
}

/** Harbor's converters write the parts of a message as consecutive JSON into its text. */
function writtenParts(text: string): { texts: readonly string[]; images: number } | undefined {
  if (!text.startsWith('{"type":')) return undefined
  const { values, rest } = parseLine(text)
  const parts = contentParts(values)
  return rest === undefined && parts.others.length === 0 ? parts : undefined
}

const resultTypes = /^(?:tool_result|subagent_start|subagent_end)$/

const compactions =
  /\b(?:context|conversation|history)\b.{0,40}\b(?:summari[sz]|compact|condens)|\bcompaction\b/i

function readSystemStep(writer: Writer, step: json.Fields, own: json.Fields | undefined): void {
  const text = partsOf(writer, step.message).texts.join('\n')
  const event = own && ownEvent(step, own, text)
  const refers = json.list(step.observation, 'results').flatMap(referencesIn).length > 0
  if (event !== undefined && !resultTypes.test(event.type)) writer.write(event)
  // A step in Tenfold's export without its own event holds only results.
  else if (own !== undefined) return
  else if (refers && compactions.test(text.slice(0, 500))) writer.compact(text)
  else writeSystem(writer, text)
}

function readAgentStep(run: AtifRun, writer: Writer, step: json.Fields): void {
  addUsage(run, writer, step)
  const reasoning = partsOf(writer, step.reasoning_content).texts.join('\n')
  // Harbor's converter writes this word if there was no thinking.
  if (reasoning !== 'null') writer.think(reasoning)
  const text = partsOf(writer, step.message).texts.join('\n')
  const calls = json.list(step.tool_calls).map((value) => ({ ...json.fields(value), value }) as json.Fields)
  // `Executed Bash toolu_1`: text that Harbor's converter writes if the model wrote none.
  const isMadeUp = calls.some((call) => text === `Executed ${call.function_name} ${call.tool_call_id}`)
  if (!isMadeUp) writer.say(text)
  for (const { arguments: args, extra, function_name, tool_call_id: id, value } of calls) {
    const name = json.text(function_name)
    const { kind, raw_input } = json.fields(extra)
    const given = callArguments(args)
    // The format takes only objects, so an object wraps a tool's plain text.
    const input = (raw_input === true ? json.at(given, 'input') : undefined) ?? given
    if (name === undefined) writer.other(value, 'tool_call')
    else writer.call({ id, name, input, kind: toolKinds.find((known) => known === kind) })
  }
}

function readObservation(run: AtifRun, writer: Writer, step: json.Fields): void {
  const { observation } = step
  if (observation === undefined || observation === null) return
  const results = json.list(observation, 'results')
  if (!Array.isArray(json.at(observation, 'results'))) writer.other(observation, 'observation')
  for (const value of results) {
    const result = json.object(value)
    if (result === undefined) writer.other(value, 'observation')
    else readResult(run, writer, step, result)
  }
}

function readResult(run: AtifRun, writer: Writer, step: json.Fields, result: json.Fields): void {
  const id = json.text(result.source_call_id)
  const called = json.list(step.tool_calls).length > 0
  const refs = referencesIn(result)
  // A result that only refers to a subagent answers no call.
  const answers = result.content !== undefined || refs.length === 0
  const call = answers && (id !== undefined || called) ? writer.take(id) : undefined
  for (const ref of refs) readChild(run, writer, ref, call?.callId ?? id)
  if (!answers) return
  const outcome = atifOutcome(step, result, call)
  const rawId = id ?? json.text(result.extra, 'call_id')
  // Output of a terminal or an environment answers no call.
  const name = step.source === 'system' ? 'observation' : 'terminal'
  if (rawId === undefined && call === undefined) writer.context('output', name, outcome.text)
  // In Tenfold's own export the user's text already has a separate event.
  else if (ownFields(step) === undefined) writeResult(writer, call, rawId, outcome)
  else writer.result(call, outcome, rawId)
}

function partsOf(writer: Writer, content: unknown): ReturnType<typeof contentParts> {
  const parts = contentParts(content)
  keepOthers(writer, parts.others)
  return parts
}

/** Counts the usage of an agent's step once: converters repeat it in each step that they made from one response. */
function addUsage(run: AtifRun, writer: Writer, step: json.Fields): void {
  const usage = atifUsage(step.metrics, 'atif')
  if (step.is_copied_context === true || Object.keys(usage).length === 0) return
  const mark = JSON.stringify([writer.model, usage])
  const repeated = run.metrics.get(writer.agent) === mark && (usage.inputTokens ?? 0) > 0
  run.metrics.set(writer.agent, mark)
  if (!repeated) run.responses++
  writer.usage(`${writer.agent}/${run.responses}`, usage)
}

/** `prompt_tokens` includes cached ones since version 1.2. */
function atifUsage(metrics: unknown, form: 'atif' | 'atif-total'): TokenUsage {
  const usage = usageIn(metrics, form)
  const { inputTokens, cacheReadTokens = 0 } = usage
  const isApart = inputTokens !== undefined && inputTokens < cacheReadTokens
  return isApart ? { ...usage, inputTokens: inputTokens + cacheReadTokens } : usage
}

/** Adds the total of a trajectory whose steps report no usage. Tenfold's own export reports it by model. */
function addTotal(writer: Writer, total: unknown, model: string | undefined): void {
  const byModel = Object.entries(json.fields(total, 'extra', 'usage_by_model'))
  const key = `${writer.agent}/total`
  if (byModel.length === 0) writer.usage(key, atifUsage(total, 'atif-total'), model)
  for (const [name, value] of byModel) writer.usage(`${key}/${name}`, usageIn(value, 'tenfold'), name)
}

function atifOutcome(step: json.Fields, result: json.Fields, call: WrittenCall | undefined): Outcome {
  const about = json.object(result.extra)
  const { text, images } = outputText(result.content)
  // Tenfold's own export.
  const { status, exit_code: code, changes, images: pictures } = about ?? {}
  const shown = { type: 'tool_result', callId: '', text, status, exitCode: code, changes, images: pictures }
  const own = about === undefined ? undefined : eventFromJson(shown)
  if (own?.type === 'tool_result') return own
  const { metadata, tool_result_is_error } = json.fields(step.extra)
  const raw = json.object(metadata, 'raw_tool_result')
  // Harbor's converter keeps Claude Code's own result next to the text, which repeats it twice.
  if (raw !== undefined && raw.tool_use_id === result.source_call_id)
    return toolOutcome(raw, json.at(metadata, 'tool_use_result'), {}, call?.name)
  const failed =
    [tool_result_is_error, about?.is_error].find((value) => typeof value === 'boolean') ??
    (status === 'error' || status === 'failed' || undefined)
  const reported = exitCodeOf(about)
  const outcome = outcomeOf(text, failed ?? (reported === undefined ? undefined : reported !== 0))
  const exitCode = reported ?? outcome.exitCode
  const isTold = failed !== undefined || exitCode !== undefined || toolKindOf(call?.name ?? '') !== 'execute'
  return { text, status: outcome.status === 'ok' && !isTold ? 'unknown' : outcome.status, exitCode, images }
}

/** Returns the fields that Tenfold's own export adds to a step's `extra`; `undefined` in other exports. */
function ownFields(step: json.Fields): json.Fields | undefined {
  const events = json.list(step.extra, 'events')
  return events.length > 0 && events.every((id) => /^e\d+$/.test(json.text(id) ?? ''))
    ? json.object(step.extra)
    : undefined
}

function ownEvent(step: json.Fields, own: json.Fields, text: string): EventDraft | undefined {
  const { event, origin, name, images, trigger, tokens_before: tokensBefore, turns, raw } = own
  const isWords = step.source === 'user' && /^(?:typed|queued|command)$/.test(json.text(origin) ?? '')
  const type = json.text(event) ?? (isWords ? 'user' : 'context')
  return eventFromJson({ type, text, origin, name, images, trigger, tokensBefore, turns, raw })
}
