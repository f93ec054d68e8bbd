import type { FileChange, ToolResultEvent } from '../../session/event.ts'
import {
  asList,
  asNumber,
  asObject,
  asText,
  type JsonObject,
  parseJson,
  textsIn,
} from '../../session/json-values.ts'
import { diffCounts } from '../shared/diff-counts.ts'
import { byKind } from '../shared/writer.ts'
import {
  closeCall,
  type OpenHandsCall,
  openCall,
  openHandsKind,
  readAccumulated,
  readResponseUsage,
  readTime,
  type OpenHandsState as State,
} from './state.ts'

/** An event with its arguments or results. In the oldest rows they are next to its name. */
interface Event {
  readonly event: JsonObject
  readonly args: JsonObject
  /** The response of the API that an action came from. */
  readonly response: JsonObject | undefined
}

/** Reads one event of V0: an action, or the observation that it caused. Returns `false` if its kind is not known. */
export function readV0Event(state: State, event: JsonObject): boolean {
  const { action, args, extras, llm_metrics, observation, timestamp, tool_call_metadata } = event
  const response = asObject(asObject(tool_call_metadata)?.model_response)
  readTime(state, timestamp)
  if (response !== undefined) {
    state.model = asText(response.model) ?? state.model
    readResponseUsage(state, response)
  }
  readAccumulated(state, llm_metrics)
  if (asText(observation) !== undefined) {
    const given = { event, args: asObject(extras) ?? event, response }
    return readObservation(state, observation, given) || readResult(state, given, String(observation))
  }
  const given = { event, args: asObject(args) ?? event, response }
  return readAction(state, action, given) || readCall(state, given, asText(action))
}

const readAction = byKind<State, Event>({
  'change_agent_state start pause resume stop loop_recovery null': 'state of the agent',
  recall: 'recall of knowledge',
  condensation_request: 'compaction begins',
  initialize: 'settings',
  system(state, { args, event }) {
    state.out.meta({ agentVersion: asText(args.openhands_version) })
    state.contextOnce('system', 'system prompt', asText(args.content) ?? asText(event.message))
  },
  message: readMessage,
  condensation: (state, { args }) =>
    void state.write({ type: 'compaction', text: asText(args.summary) ?? '' }),
  // The end of the work: what the agent thought, and its final statement.
  'finish reject'(state, { args, event, response }) {
    writeThoughts(state, response)
    const outputs = asObject(args.outputs) ?? {}
    const rest = Object.keys(outputs).length === 0 ? undefined : JSON.stringify(outputs)
    const parts = [args.thought, args.final_thought, outputs.content ?? rest, args.reason]
    const texts = [...new Set(textsIn(parts))].filter((text) => text.trim() !== '')
    state.say(texts.length === 0 ? (asText(event.message) ?? '') : texts.join('\n\n'), { phase: 'final' })
  },
})

/** The evaluation harness answers in place of a user. */
const fakeAnswer = /^Please continue working on the task on whatever approach you think is suitable\./

function readMessage(state: State, { args, event, response }: Event): boolean {
  const given = asText(args.content) ?? asText(event.message)
  const text = given ?? ''
  const images = asList(args.image_urls ?? args.images_urls).length
  if (given === undefined && images === 0) return false
  const source = asText(event.source) ?? (state.messages === 0 ? 'user' : 'agent')
  state.messages++
  if (source === 'agent') {
    writeThoughts(state, response)
    state.say(text)
  } else if (state.agent !== 'main') state.contextOnce('agent', 'task', text)
  else if (source === 'environment') state.contextOnce('harness', 'message', text)
  else if (fakeAnswer.test(text)) state.contextOnce('harness', 'continue', text)
  else state.ask(text, { images })
  return true
}

/** Fields that the harness adds to the arguments of an action. */
const added =
  /^(?:thought|is_confirmed|confirmation_state|confirmation_mode|hidden|keep_prompt|kernel_init_code|translated_ipython_code|action_risk|security_risk|blocking|is_static|impl_source|include_extra|action|id|timestamp|source|message|timeout|tool_call_metadata|llm_metrics)$/

const actions =
  /^(?:run|run_ipython|read|write|edit|browse|browse_interactive|think|delegate|mcp|call_tool_mcp|task_tracking|push|send_pr|add_task|modify_task)$/

/** Reads an action that is a tool call. Returns `false` if neither its kind nor a call behind it is known. */
function readCall(state: State, { args, event, response }: Event, action?: string): boolean {
  const metadata = asObject(event.tool_call_metadata)
  const functionName = asText(metadata?.function_name)
  if (action === undefined || (!actions.test(action) && functionName === undefined)) return false
  const id = idOf(event.id)
  if (event.source === 'user' && action === 'run' && asText(args.command) !== undefined) {
    openCall(state, undefined, id, { kind: 'execute', shownAs: 'command' })
    state.write({ type: 'user', origin: 'command', text: `! ${asText(args.command)}` })
    return true
  }
  const rawId = asText(metadata?.tool_call_id)
  const input = modelInput(response, rawId) ?? ownInput(args, action)
  // Thoughts and text come before a call; of parallel calls only the first has them.
  writeThoughts(state, response)
  if (action !== 'think') state.say(asText(args.thought) ?? '')
  const own = action === 'run' ? 'execute_bash' : action === 'task_tracking' ? 'task_tracker' : action
  const kind = openHandsKind(functionName ?? own, input)
  const child = action === 'delegate' ? `delegate-${id ?? state.callIds.size + 1}` : undefined
  const { callId } = openCall(state, rawId, id, { kind, child })
  const { agent, model } = state
  state.write({ type: 'tool_call', callId, name: functionName ?? action, kind, input, model })
  if (child === undefined) return true
  // The delegate's work is between the call and its observation.
  state.begin(child, { callId, type: asText(args.agent) })
  state.parents.push(agent)
  state.agent = child
  return true
}

/** Ids of V0 are numbers. */
function idOf(value: unknown): string | undefined {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : undefined
}

/** The message in a response of the API, which each of its actions repeats. */
function responseMessage(response: JsonObject | undefined): JsonObject | undefined {
  return asObject(asObject(asList(response?.choices)[0])?.message)
}

function modelInput(response: JsonObject | undefined, callId: string | undefined): unknown {
  for (const value of asList(responseMessage(response)?.tool_calls)) {
    const call = asObject(value)
    const text = asText(asObject(call?.function)?.arguments)
    if (call?.id === callId && text !== undefined) return asObject(parseJson(text))
  }
  return undefined
}

function ownInput(args: JsonObject, action: string): JsonObject {
  if (action === 'think') return { thought: args.thought }
  const inner = action === 'mcp' || action === 'call_tool_mcp' ? asObject(args.arguments) : undefined
  const own = Object.entries(args).filter(([key, value]) => !added.test(key) && value !== null)
  return inner ?? Object.fromEntries(own)
}

/** Writes the reasoning of the response behind an action, once for each response. */
function writeThoughts(state: State, response: JsonObject | undefined): void {
  const text = asText(responseMessage(response)?.reasoning_content)
  const key = asText(response?.id) ?? text ?? ''
  if (text === undefined || text.trim() === '' || state.responses.has(key)) return
  state.responses.add(key)
  state.think(text)
}

const readObservation = byKind<State, Event>({
  null: 'state of the agent',
  agent_state_changed(state, { args }) {
    const reason = args.agent_state === 'error' ? asText(args.reason) : undefined
    state.contextOnce('harness', 'error', reason)
  },
  recall: readRecall,
  agent_condensation: (state, { event }) =>
    void state.write({ type: 'compaction', text: asText(event.content) ?? '' }),
  delegate(state, { event }) {
    const { child } = state.byAction.get(idOf(event.cause) ?? '') ?? {}
    const at = [...state.parents, state.agent].indexOf(child ?? state.agent)
    if (at > 0) state.agent = state.parents.splice(at - 1)[0] ?? 'main'
    return false
  },
})

/** Reads the result of the action that caused it. Returns `false` if there is none. */
function readResult(state: State, { args, event }: Event, kind: string): boolean {
  const rawId = asText(asObject(event.tool_call_metadata)?.tool_call_id)
  const call = closeCall(state, rawId, idOf(event.cause))
  const given = textOf(event, args, kind)
  const text = given ?? ''
  if (call === undefined) {
    state.contextOnce(kind === 'error' ? 'harness' : 'output', kind, given)
    return given !== undefined
  }
  state.out.meta({ cwd: asText(asObject(args.metadata)?.working_dir) })
  if (call.shownAs === 'command') state.write({ type: 'context', origin: 'output', name: 'command', text })
  else writeResult(state, call, { args, event, kind, text })
  return true
}

function writeResult(
  state: State,
  { callId, child }: OpenHandsCall,
  { args, event, kind, text }: Omit<Event, 'response'> & { readonly kind: string; readonly text: string },
): void {
  const codes = [asObject(args.metadata)?.exit_code, args.exit_code, event.exit_code].map(asNumber)
  const code = codes.find((value) => value !== undefined)
  // -1 means that the command still runs.
  const exitCode = code === -1 ? undefined : code
  const status = statusOf(kind, text, event, args, exitCode)
  const changes = /^(?:edit|run_ipython)$/.test(kind) && status === 'ok' ? changesOf(args, text) : []
  const hasPicture = kind.startsWith('browse') && asText(args.screenshot) !== undefined
  const images = asList(args.image_urls).length + (hasPicture ? 1 : 0)
  state.write({ type: 'tool_result', callId, status, text, exitCode, changes, images })
  if (child !== undefined) state.end(child, callId)
}

/** The output, with how a command ended if it gave no exit code. */
function textOf(event: JsonObject, args: JsonObject, kind: string): string | undefined {
  const content = typeof event.content === 'string' ? event.content : undefined
  if (kind === 'delegate') {
    const outputs = asObject(args.outputs)
    const output = asText(outputs?.content) ?? (outputs === undefined ? undefined : JSON.stringify(outputs))
    return content !== undefined && content !== '' ? content : (output ?? content)
  }
  const ending = asText(asObject(args.metadata)?.suffix)
  if (content === undefined || ending === undefined || /exit code -?\d+\.?\]/.test(ending)) return content
  return `${content}${ending}`
}

/** Messages of the file editor inside the notebook when an edit failed. */
const failure =
  /^(?:ERROR:|\[Your proposed edit has introduced new syntax error|\[No exact match found in |Error executing )/

function statusOf(
  kind: string,
  text: string,
  event: JsonObject,
  args: JsonObject,
  code: number | undefined,
): ToolResultEvent['status'] {
  if (kind === 'user_rejected') return 'denied'
  if (kind === 'error' || args.error === true || (code !== undefined && code !== 0)) return 'error'
  if (event.success === false && code !== undefined) return 'error'
  return failure.test(text) ? 'error' : 'ok'
}

function changesOf(args: JsonObject, text: string): FileChange[] {
  const edited = /^\[File: (\S+) \(\d+ lines total after edit\)\]/.exec(text.slice(0, 1000))?.[1]
  if (edited !== undefined) return [{ path: edited, action: 'modified' }]
  const path = asText(args.path)
  const diff = asText(args.diff) ?? (text.startsWith('--- ') ? text : undefined)
  const counts = diff === undefined ? undefined : diffCounts(diff)
  if (path === undefined || counts === undefined) return []
  const created = args.prev_exist === false && (asText(args.old_content) ?? '') === ''
  return [{ path, action: created ? 'created' : 'modified', ...counts }]
}

/** Reads what the harness recalled for the agent: notes on the repository and pieces of knowledge. */
function readRecall(state: State, { args }: Event): void {
  const { additional_agent_instructions, conversation_instructions, repo_instructions } = args
  const about = [repo_instructions, additional_agent_instructions, conversation_instructions]
  state.contextOnce('attachment', 'workspace', textsIn(about).join('\n\n'))
  for (const value of asList(args.microagent_knowledge)) {
    const piece = asObject(value)
    const name = asText(piece?.name)
    const text = asText(piece?.content) ?? (piece === undefined ? undefined : JSON.stringify(piece))
    state.contextOnce('attachment', name === undefined ? 'knowledge' : `knowledge ${name}`, text)
  }
  state.out.absorb('recall of knowledge')
}
