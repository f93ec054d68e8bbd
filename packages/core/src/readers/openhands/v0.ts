import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { byWord } from '../../tools/by-word.ts'
import { type OpenHandsState, readTime, write, writeContext } from './state.ts'
import { readAccumulated, readResponseUsage } from './usage.ts'
import { readCall, writeThoughts } from './v0-calls.ts'
import { readObservation } from './v0-results.ts'

/** Reads one event of V0: an action, or the observation that it caused. Returns `false` if its kind is not known. */
export function readV0Event(state: OpenHandsState, event: JsonObject): boolean {
  readTime(state, event.timestamp)
  const response = responseOf(event)
  if (response !== undefined) {
    state.model = asText(response.model) ?? state.model
    readResponseUsage(state, response)
  }
  readAccumulated(state, event.llm_metrics)
  if (asText(event.observation) !== undefined) return readObservation(state, event)
  return asText(event.action) !== undefined && readAction(state, event)
}

/** The response of the API that an action came from. */
function responseOf(event: JsonObject): JsonObject | undefined {
  return asObject(asObject(event.tool_call_metadata)?.model_response)
}

/** The arguments of an action. In the oldest rows they are next to its name. */
function argumentsOf(event: JsonObject): JsonObject {
  return asObject(event.args) ?? event
}

const passing = byWord({
  'state of the agent': 'change_agent_state start pause resume stop loop_recovery null',
  'recall of knowledge': 'recall',
  'compaction begins': 'condensation_request',
})

function readAction(state: OpenHandsState, event: JsonObject): boolean {
  const { out } = state
  const action = asText(event.action) ?? ''
  const args = argumentsOf(event)
  const reason = passing.get(action)
  if (reason !== undefined) {
    out.absorb(reason)
    return true
  }
  switch (action) {
    case 'initialize':
      out.absorb('settings')
      return true
    case 'system':
      out.meta({ agentVersion: asText(args.openhands_version) })
      if (!writeContext(state, 'system', 'system prompt', asText(args.content) ?? asText(event.message)))
        out.absorb('repeated context')
      return true
    case 'message':
      return readMessage(state, event, args)
    case 'condensation': {
      const text = asText(args.summary) ?? ''
      write(state, { type: 'compaction', text })
      return true
    }
    case 'finish':
    case 'reject':
      readFinish(state, event, args)
      return true
  }
  return readCall(state, event, args, action)
}

/** The evaluation harness answers in place of a user. */
const fakeAnswer = /^Please continue working on the task on whatever approach you think is suitable\./

function readMessage(state: OpenHandsState, event: JsonObject, args: JsonObject): boolean {
  const text = asText(args.content) ?? asText(event.message)
  const images =
    asList(args.image_urls).length + (args.image_urls === undefined ? asList(args.images_urls).length : 0)
  if (text === undefined && images === 0) return false
  const source = asText(event.source) ?? (state.messages === 0 ? 'user' : 'agent')
  state.messages++
  if (source === 'agent') {
    writeThoughts(state, responseOf(event))
    const { model } = state
    write(state, { type: 'assistant', text: text ?? '', ...(model !== undefined && { model }) })
  } else if (state.agents.length > 1) {
    if (!writeContext(state, 'agent', 'task', text)) state.out.absorb('repeated context')
  } else if (source === 'environment' || fakeAnswer.test(text ?? '')) {
    const written = writeContext(state, 'harness', source === 'environment' ? 'message' : 'continue', text)
    if (!written) state.out.absorb('repeated context')
  } else write(state, { type: 'user', origin: 'typed', text: text ?? '', ...(images > 0 && { images }) })
  return true
}

/** The end of the work: what the agent thought, and its final statement. */
function readFinish(state: OpenHandsState, event: JsonObject, args: JsonObject): void {
  writeThoughts(state, responseOf(event))
  const outputs = asObject(args.outputs)
  const rest =
    outputs === undefined || Object.keys(outputs).length === 0 ? undefined : JSON.stringify(outputs)
  const parts = [args.thought, args.final_thought, outputs?.content ?? rest, args.reason].map(asText)
  const texts = [...new Set(parts.filter((text) => text !== undefined && text.trim() !== ''))]
  if (texts.length === 0) texts.push(asText(event.message))
  const { model } = state
  const text = texts.filter((part) => part !== undefined).join('\n\n')
  if (text === '') state.out.absorb('end of the task')
  else write(state, { type: 'assistant', phase: 'final', text, ...(model !== undefined && { model }) })
}
