import { asCount, asList, asObject, asText, type JsonObject, parseJson } from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import type { SessionWriter } from '../reader/reader.ts'
import { createCallIds } from '../shared/call-ids.ts'
import { knownOutcome } from '../shared/outcome.ts'
import { callsOf, outcomeOf } from './commands.ts'
import { contentText, splitTask } from './content.ts'

const parts = new Set(['environment', 'trajectory', 'history', 'info', 'replay_config', 'attempts'])
/** Known fields of a step. `messages` and `query` repeat the whole prompt each time. */
const stepParts = new Set(
  'action observation response thought state execution_time messages query extra_info thinking_blocks tool_calls tool_call_ids attempt_index done exit_status submission model_stats'.split(
    ' ',
  ),
)

/**
 * Reads `{trajectory, history, info}`. The steps show what was done; the history adds what came before the first step,
 * the calls of the model with their ids, and messages between the steps.
 */
export function readTrajectory(out: SessionWriter, document: JsonObject): void {
  const steps = asList(document.trajectory)
  const history = historyOf(document)
  const model = describe(out, document, steps)
  const reading: Reading = {
    out,
    history,
    next: 0,
    written: new Set(),
    calls: 0,
    nameCall: createCallIds(),
    model,
  }
  readUntilAssistant(reading)
  for (const step of steps) readStep(reading, step, undefined)
  readRemaining(reading)
  readInfo(reading, asObject(document.info))
  const attempts = asList(document.attempts).length
  if (attempts > 1) out.note('other-attempts', `holds ${attempts} attempts; the chosen one was read`)
  const unread = new Set<string>()
  for (const step of steps)
    for (const key of Object.keys(asObject(step) ?? {})) if (!stepParts.has(key)) unread.add(key)
  if (unread.size > 0)
    out.note('unread-fields', `steps hold more than is known: ${[...unread].slice(0, 10).join(', ')}`)
  for (const [name, raw] of Object.entries(document))
    if (!parts.has(name)) out.event({ type: 'other', name, raw })
  if (steps.length === 0 && history.length === 0) out.note('no-records', 'the document holds no steps')
}

interface Reading {
  readonly out: SessionWriter
  readonly history: readonly unknown[]
  next: number
  /** Texts that were written, to recognise repetitions. */
  readonly written: Set<string>
  readonly nameCall: (reported: unknown, place: string) => string
  calls: number
  readonly model: string | undefined
}

/** The history; if it was left out, the prompt of the first step replaces its beginning. */
function historyOf(document: JsonObject): readonly unknown[] {
  const history = asList(document.history)
  if (history.length > 0) return history
  const first = asObject(asList(document.trajectory)[0])
  return asList(first?.messages ?? first?.query)
}

function describe(out: SessionWriter, document: JsonObject, steps: readonly unknown[]): string | undefined {
  const settings = document.replay_config
  const config = asObject(typeof settings === 'string' ? parseJson(settings) : settings)
  const agent = asObject(config?.agent)
  const name = asText(asObject(agent?.model)?.name)
  const model = name === undefined || /^(?:replay|human|human_thought|instant_)/.test(name) ? undefined : name
  const commit = asText(asObject(asObject(config?.env)?.repo)?.base_commit)
  const state = steps.map((step) => stateOf(asObject(step))).find((each) => each?.working_dir !== undefined)
  out.meta({
    id: asText(asObject(config?.problem_statement)?.id),
    agentVersion: asText(asObject(document.info)?.swe_agent_version),
    cwd: asText(state?.working_dir),
    commit: commit === 'HEAD' ? undefined : commit,
    ...(model !== undefined && { models: [model] }),
  })
  return model
}

/** A JSON string in 0.x, an object in 1.x. */
function stateOf(step: JsonObject | undefined): JsonObject | undefined {
  const state = step?.state
  return asObject(typeof state === 'string' ? parseJson(state.trim()) : state)
}

/** Reads the system prompt, demonstrations and the task. */
function readUntilAssistant(reading: Reading): void {
  for (; reading.next < reading.history.length; reading.next++) {
    const message = asObject(reading.history[reading.next])
    if (message?.role === 'assistant' && message.is_demo !== true) return
    if (message === undefined || asText(message.role) === undefined)
      reading.out.event({ type: 'other', name: 'message', raw: reading.history[reading.next] })
    else readOpening(reading, message)
  }
}

function readOpening({ out }: Reading, message: JsonObject): void {
  const { text, images } = contentText(message.content)
  if (text.trim() === '' && images === 0) return
  const shown = images > 0 ? { images } : {}
  const demo = message.is_demo === true || message.message_type === 'demonstration'
  if (demo || /^[\s\S]{0,500}--- DEMONSTRATION ---/.test(text))
    out.event({ type: 'context', origin: 'harness', name: 'demonstration', text, ...shown })
  else if (message.role === 'system')
    out.event({ type: 'context', origin: 'system', name: 'system prompt', text, ...shown })
  else {
    const { task, instructions } = splitTask(text)
    out.event({ type: 'user', origin: 'typed', text: task, ...shown })
    if (instructions !== '')
      out.event({ type: 'context', origin: 'harness', name: 'instructions', text: instructions })
  }
}

/** Reads one step: thoughts, the call, and its result. */
function readStep(reading: Reading, value: unknown, known: JsonObject | undefined): void {
  const { out, model } = reading
  const step = asObject(value)
  if (step === undefined) {
    out.event({ type: 'other', name: 'step', raw: value })
    return
  }
  const action = asText(step.action) ?? ''
  const response = asText(step.response) ?? ''
  const message = known ?? messageOf(reading, action, response)
  writeReasoning(out, message ?? step)
  const thought = asText(step.thought)?.trim() ?? asText(message?.thought)?.trim() ?? ''
  const words = thought === '' && action.trim() === '' ? response.trim() : thought
  if (words !== '') out.event({ type: 'assistant', text: words, ...(model !== undefined && { model }) })
  const observation = contentText(step.observation).text
  const open = asText(stateOf(step)?.open_file)
  const openFile = open === 'n/a' ? undefined : open
  const calls = callsOf(message?.tool_calls ?? step.tool_calls, action, openFile)
  if (calls.length === 0) {
    if (observation.trim() !== '')
      out.event({ type: 'context', origin: 'harness', name: 'observation', text: observation })
    return
  }
  for (const [index, call] of calls.entries()) {
    const callId = freshId(reading, call.id)
    const { name, kind, input } = call
    out.event({ type: 'tool_call', callId, name, kind, input, ...(model !== undefined && { model }) })
    // The observation belongs to the whole step.
    const text = index === calls.length - 1 ? observation : ''
    const { status, changes } = outcomeOf(call, text, openFile)
    reading.written.add(text.trim())
    if (index < calls.length - 1 && text === '') continue
    out.event({ type: 'tool_result', callId, ...knownOutcome({ status, text, changes }) })
  }
}

function freshId(reading: Reading, reported: string | undefined): string {
  reading.calls++
  return reading.nameCall(reported, `step-${reading.calls}`)
}

/** The message of the history that a step came from. Writes earlier messages that no step reports. */
function messageOf(reading: Reading, action: string, response: string): JsonObject | undefined {
  const { history } = reading
  const last = Math.min(history.length, reading.next + maxSkipped)
  let place = reading.next
  while (place < last && !isMessageOf(history[place], action, response)) place++
  if (place === last) return undefined
  writeBetween(reading, place)
  reading.next = place + 1
  // The message after it repeats the observation.
  const answer = asObject(history[reading.next])
  if (answer?.role === 'tool' || answer?.role === 'user') reading.next++
  return asObject(history[place])
}

/** A message further on would match only by chance. */
const maxSkipped = 20

function isMessageOf(value: unknown, action: string, response: string): boolean {
  const message = asObject(value)
  if (message?.role !== 'assistant' || message.is_demo === true) return false
  const isResponse = response.trim() !== '' && contentText(message.content).text.trim() === response.trim()
  return isResponse || (action.trim() !== '' && asText(message.action)?.trim() === action.trim())
}

/** Writes messages that are not part of a step: requests to the model to rewrite its answer, and such answers. */
function writeBetween(reading: Reading, end: number): void {
  const { out, history, model } = reading
  for (; reading.next < end; reading.next++) {
    const value = history[reading.next]
    const message = asObject(value)
    const { text } = contentText(message?.content)
    if (message === undefined || asText(message.role) === undefined)
      out.event({ type: 'other', name: 'message', raw: value })
    else if (text.trim() === '' || reading.written.has(text.trim())) continue
    else if (message.role === 'assistant')
      out.event({ type: 'assistant', text, ...(model !== undefined && { model }) })
    else
      out.event({ type: 'context', origin: 'harness', name: asText(message.message_type) ?? 'message', text })
  }
}

/** Reads a history that continues after the last step, or that has no steps. */
function readRemaining(reading: Reading): void {
  const { history } = reading
  while (reading.next < history.length) {
    const message = asObject(history[reading.next])
    if (message?.role !== 'assistant') {
      writeBetween(reading, reading.next + 1)
      continue
    }
    const after = asObject(history[reading.next + 1])
    const observed = after?.role === 'tool' || after?.role === 'user'
    const observation = observed ? contentText(after?.content).text : ''
    const response = contentText(message.content).text
    reading.next += observed ? 2 : 1
    readStep(reading, { ...message, response, observation }, message)
  }
}

function writeReasoning(out: SessionWriter, holder: JsonObject): void {
  for (const value of asList(holder.thinking_blocks)) {
    const text = asText(asObject(value)?.thinking)
    if (text !== undefined && text.trim() !== '') out.event({ type: 'reasoning', text })
  }
}

/** Reads how it ended, what was submitted, and the tokens of the whole trajectory. */
function readInfo(reading: Reading, info: JsonObject | undefined): void {
  const { out, written, model } = reading
  const submission = asText(info?.submission)
  if (submission !== undefined && submission.trim() !== '' && !written.has(submission.trim()))
    out.event({ type: 'context', origin: 'output', name: 'submission', text: submission })
  const status = asText(info?.exit_status)
  if (status !== undefined && status !== 'submitted')
    out.event({ type: 'context', origin: 'harness', name: 'exit status', text: status })
  const stats = asObject(info?.model_stats)
  const inputTokens = asCount(stats?.tokens_sent)
  const outputTokens = asCount(stats?.tokens_received)
  if ((inputTokens ?? 0) + (outputTokens ?? 0) === 0) return
  out.usage('all', 'main', model ?? 'unknown', {
    ...known({ inputTokens, outputTokens }),
  })
}
