import * as json from '../../session/json.ts'
import { chatCalls } from '../messages/conversation.ts'
import type { LogRecord, SessionWriter } from '../reader/reader.ts'
import { isUnused, usageIn } from '../shared/usage.ts'
import { outputText } from '../shared/values.ts'
import { createWriter, type Writer } from '../shared/writer.ts'
import { callOfLine, outcomeOf } from './commands.ts'
import { miniScore, splitTask } from './content.ts'
import { readMini } from './mini.ts'

export async function readSweAgent(documents: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  for await (const { value } of documents) {
    const object = json.fields(value)
    if (miniScore(value) > 0) readMini(out, value)
    else if (Array.isArray(object.trajectory) || Array.isArray(object.history)) readTrajectory(out, object)
    else out.event({ type: 'other', name: 'no-trajectory', raw: value })
  }
}

const parts = /^(?:environment|trajectory|history|info|replay_config|attempts)$/
/** Known fields of a step. `messages` and `query` repeat the whole prompt each time. */
const stepParts =
  /^(?:action|observation|response|thought|state|execution_time|messages|query|extra_info|thinking_blocks|tool_calls|tool_call_ids|attempt_index|done|exit_status|submission|model_stats)$/

/** Steps contain the actions; the history has the beginning, ids of calls and messages in between. */
function readTrajectory(out: SessionWriter, document: json.Fields): void {
  const steps = json.list(document.trajectory)
  const { messages, query } = json.fields(steps[0])
  // If the history was left out, the prompt of the first step replaces its beginning.
  const history =
    [document.history, messages ?? query].map((each) => json.list(each)).find((each) => each.length > 0) ?? []
  const reading = Object.assign(createWriter(out), { history, next: 0 })
  describe(reading, document, steps)
  readUntilAssistant(reading)
  for (const step of steps) readStep(reading, step, undefined)
  readRemaining(reading)
  const { exit_status, model_stats, submission } = json.fields(document.info)
  reading.contextOnce('output', 'submission', submission)
  if (exit_status !== 'submitted') reading.context('harness', 'exit status', exit_status)
  const usage = usageIn(model_stats, 'swe-agent')
  if (!isUnused(usage)) reading.usage('all', usage)
  const attempts = json.list(document.attempts).length
  if (attempts > 1) out.note('other-attempts', `has ${attempts} attempts; the chosen one was read`)
  const keys = new Set(steps.flatMap((step) => Object.keys(json.fields(step))))
  const unread = [...keys].filter((key) => !stepParts.test(key)).slice(0, 10)
  if (unread.length > 0) out.note('unread-fields', `steps hold more than is known: ${unread.join(', ')}`)
  for (const [name, raw] of Object.entries(document)) if (!parts.test(name)) reading.other(raw, name)
}

type Reading = Writer & { readonly history: readonly unknown[]; next: number }

function describe(reading: Reading, document: json.Fields, steps: readonly unknown[]): void {
  const settings = document.replay_config
  const config = typeof settings === 'string' ? json.parse(settings) : settings
  const name = json.text(config, 'agent', 'model', 'name')
  const commit = json.text(config, 'env', 'repo', 'base_commit')
  const folders = steps.map((step) => json.text(stateOf(step).working_dir))
  reading.model = /^(?:replay|human|human_thought|instant_)/.test(name ?? '') ? undefined : name
  reading.out.meta({
    id: json.text(config, 'problem_statement', 'id'),
    agentVersion: json.text(document.info, 'swe_agent_version'),
    cwd: folders.find((folder) => folder !== undefined),
    commit: commit === 'HEAD' ? undefined : commit,
    models: [reading.model],
  })
}

/** The state is a JSON string in 0.x, an object in 1.x. */
function stateOf(step: unknown): json.Fields {
  const state = json.at(step, 'state')
  return json.fields(typeof state === 'string' ? json.parse(state.trim()) : state)
}

function readUntilAssistant(reading: Reading): void {
  for (; reading.next < reading.history.length; reading.next++) {
    const value = reading.history[reading.next]
    const message = json.object(value)
    if (message?.role === 'assistant' && message.is_demo !== true) return
    if (message === undefined || json.text(message.role) === undefined) reading.other(value, 'message')
    else readOpening(reading, message)
  }
}

function readOpening(reading: Reading, message: json.Fields): void {
  const { text, images } = outputText(message.content)
  const isDemo = message.is_demo === true || message.message_type === 'demonstration'
  if (isDemo || /^[\s\S]{0,500}--- DEMONSTRATION ---/.test(text))
    reading.context('harness', 'demonstration', text, images)
  else if (message.role === 'system') reading.context('system', 'system prompt', text, images)
  else {
    const { task, instructions } = splitTask(text)
    reading.ask(task, { images })
    reading.context('harness', 'instructions', instructions)
  }
}

function readStep(reading: Reading, value: unknown, known: json.Fields | undefined): void {
  const step = json.object(value)
  if (step === undefined) {
    reading.other(value, 'step')
    return
  }
  const action = json.text(step.action) ?? ''
  const response = json.text(step.response) ?? ''
  const message = known ?? messageOf(reading, action, response)
  for (const block of json.list((message ?? step).thinking_blocks)) reading.think(json.at(block, 'thinking'))
  const thought = json.text(step.thought)?.trim() ?? json.text(message?.thought)?.trim() ?? ''
  reading.say(thought === '' && action.trim() === '' ? response.trim() : thought)
  const { text } = outputText(step.observation)
  const open = json.text(stateOf(step).open_file)
  const openFile = open === 'n/a' ? undefined : open
  const given = chatCalls(message?.tool_calls ?? step.tool_calls)
  const calls = given.length > 0 || action.trim() === '' ? given : [callOfLine(action, openFile)]
  if (calls.length === 0) reading.context('harness', 'observation', text)
  for (const [index, each] of calls.entries()) {
    const call = reading.call(each)
    // The observation belongs to the whole step.
    const isLast = index === calls.length - 1
    reading.isNew(isLast ? text : '')
    if (isLast) reading.result(call, { ...outcomeOf(call, text, openFile), text })
  }
}

function messageOf(reading: Reading, action: string, response: string): json.Fields | undefined {
  const { history } = reading
  const last = Math.min(history.length, reading.next + maxSkipped)
  let place = reading.next
  while (place < last && !isMessageOf(history[place], action, response)) place++
  if (place === last) return undefined
  writeBetween(reading, place)
  reading.next = place + 1
  // The next message repeats the observation.
  const answer = json.object(history[reading.next])
  if (answer?.role === 'tool' || answer?.role === 'user') reading.next++
  return json.object(history[place])
}

/** Maximum number of skipped messages: a later one would match only by chance. */
const maxSkipped = 20

function isMessageOf(value: unknown, action: string, response: string): boolean {
  const message = json.object(value)
  if (message?.role !== 'assistant' || message.is_demo === true) return false
  const isResponse = response.trim() !== '' && outputText(message.content).text.trim() === response.trim()
  return isResponse || (action.trim() !== '' && json.text(message.action)?.trim() === action.trim())
}

function writeBetween(reading: Reading, end: number): void {
  for (; reading.next < end; reading.next++) {
    const value = reading.history[reading.next]
    const message = json.object(value)
    const { text } = outputText(message?.content)
    if (message === undefined || json.text(message.role) === undefined) reading.other(value, 'message')
    else if (text.trim() === '' || reading.has(text)) continue
    else if (message.role === 'assistant') reading.say(text)
    else reading.context('harness', json.text(message.message_type) ?? 'message', text)
  }
}

function readRemaining(reading: Reading): void {
  const { history } = reading
  while (reading.next < history.length) {
    const message = json.object(history[reading.next])
    if (message?.role !== 'assistant') {
      writeBetween(reading, reading.next + 1)
      continue
    }
    const after = json.object(history[reading.next + 1])
    const observed = after?.role === 'tool' || after?.role === 'user'
    const observation = observed ? outputText(after?.content).text : ''
    const response = outputText(message.content).text
    reading.next += observed ? 2 : 1
    readStep(reading, { ...message, response, observation }, message)
  }
}
