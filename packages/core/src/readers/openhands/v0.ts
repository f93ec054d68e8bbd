import * as json from '../../session/json.ts'
import { byKind } from '../shared/by-kind.ts'
import { diffCounts } from '../shared/diff-counts.ts'
import type { Change } from '../shared/writer.ts'
import type { OpenHandsState as State } from './state.ts'
import { callOf, readAccumulated, readResponseUsage, readTime, writeCall } from './state.ts'

/** An event, its arguments or results, which the oldest rows have next to its name, and its response. */
type Event = Readonly<Record<'event' | 'args' | 'response', json.Fields>>

export function readV0Event(state: State, event: json.Fields): boolean {
  const { action, args, extras, llm_metrics, observation, timestamp, tool_call_metadata } = event
  const response = json.fields(tool_call_metadata, 'model_response')
  readTime(state, timestamp)
  state.model = json.text(response.model) ?? state.model
  readResponseUsage(state, response)
  readAccumulated(state, llm_metrics)
  if (json.text(observation) !== undefined) {
    const given = { event, args: json.object(extras) ?? event, response }
    return readObservation(state, observation, given) || readResult(state, given, String(observation))
  }
  const given = { event, args: json.object(args) ?? event, response }
  return readAction(state, action, given) || readCall(state, given, json.text(action))
}

const readAction = byKind<State, Event>({
  'change_agent_state start pause resume stop loop_recovery null': 'state of the agent',
  recall: 'recall of knowledge',
  condensation_request: 'compaction begins',
  initialize: 'settings',
  system(state, { args, event }) {
    state.out.meta({ agentVersion: json.text(args.openhands_version) })
    state.contextOnce('system', 'system prompt', json.text(args.content) ?? json.text(event.message))
  },
  message(state, { args, event, response }) {
    const given = json.text(args.content) ?? json.text(event.message)
    const text = given ?? ''
    const images = json.list(args.image_urls ?? args.images_urls).length
    if (given === undefined && images === 0) return false
    const source = json.text(event.source) ?? (state.messages === 0 ? 'user' : 'agent')
    state.messages++
    if (source === 'agent') {
      writeThoughts(state, response)
      state.say(text)
    } else if (state.agent !== 'main') state.contextOnce('agent', 'task', text)
    else if (source === 'environment') state.contextOnce('harness', 'message', text)
    else if (fakeAnswer.test(text)) state.contextOnce('harness', 'continue', text)
    else state.ask(text, { images })
  },
  condensation: (state, { args }) => state.compact(args.summary),
  // The end of the work: the agent's thought and final statement.
  'finish reject'(state, { args, event, response }) {
    writeThoughts(state, response)
    const outputs = json.fields(args.outputs)
    const rest = Object.keys(outputs).length === 0 ? undefined : JSON.stringify(outputs)
    const parts = [args.thought, args.final_thought, outputs.content ?? rest, args.reason]
    const texts = [...new Set(json.texts(parts))].filter((text) => text.trim() !== '')
    state.say(texts.length === 0 ? (json.text(event.message) ?? '') : texts.join('\n\n'), { phase: 'final' })
  },
})

/** The evaluation harness answers instead of a user. */
const fakeAnswer = /^Please continue working on the task on whatever approach you think is suitable\./

/** Fields that the harness adds to the arguments of an action. */
const added =
  /^(?:thought|is_confirmed|confirmation_state|confirmation_mode|hidden|keep_prompt|kernel_init_code|translated_ipython_code|action_risk|security_risk|blocking|is_static|impl_source|include_extra|action|id|timestamp|source|message|timeout|tool_call_metadata|llm_metrics)$/

const actions =
  /^(?:run|run_ipython|read|write|edit|browse|browse_interactive|think|delegate|mcp|call_tool_mcp|task_tracking|push|send_pr|add_task|modify_task)$/

function readCall(state: State, { args, event, response }: Event, action?: string): boolean {
  const { function_name, tool_call_id } = json.fields(event.tool_call_metadata)
  const functionName = json.text(function_name)
  if (action === undefined || (!actions.test(action) && functionName === undefined)) return false
  const id = idOf(event.id)
  if (event.source === 'user' && action === 'run' && json.text(args.command) !== undefined) {
    writeCall(state, { name: action, input: null, shownAs: 'command' }, id)
    state.write({ type: 'user', origin: 'command', text: `! ${json.text(args.command)}` })
    return true
  }
  const input = modelInput(response, tool_call_id) ?? ownInput(args, action)
  // Thoughts and text precede a call; of parallel calls only the first has them.
  writeThoughts(state, response)
  if (action !== 'think') state.say(args.thought)
  const child = action === 'delegate' ? `delegate-${id ?? state.callIds.size + 1}` : undefined
  const call = { id: json.text(tool_call_id), name: functionName ?? action, input }
  const { callId } = writeCall(state, call, id)
  if (child === undefined) return true
  state.children.set(callId, child)
  // The delegate's work is between the call and its observation.
  state.begin(child, { callId, type: json.text(args.agent) })
  state.parents.push(state.agent)
  state.agent = child
  return true
}

function idOf(value: unknown): string | undefined {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : undefined
}

/** Returns the message in an API response, which each of its actions repeats. */
function messageIn({ choices }: json.Fields): json.Fields {
  return json.fields(json.list(choices)[0], 'message')
}

function modelInput(response: json.Fields, callId: unknown): unknown {
  const calls = json.list(messageIn(response).tool_calls)
  const call = calls.find((one) => json.at(one, 'id') === callId && json.text(one, 'function', 'arguments'))
  return json.object(json.parse(json.text(call, 'function', 'arguments') ?? ''))
}

function ownInput(args: json.Fields, action: string): json.Fields {
  if (action === 'think') return { thought: args.thought }
  const inner = action === 'mcp' || action === 'call_tool_mcp' ? json.object(args.arguments) : undefined
  const own = Object.entries(args).filter(([key, value]) => !added.test(key) && value !== null)
  return inner ?? Object.fromEntries(own)
}

function writeThoughts(state: State, response: json.Fields): void {
  const text = json.text(messageIn(response).reasoning_content) ?? ''
  const key = json.text(response.id) ?? text
  if (text.trim() === '' || state.responses.has(key)) return
  state.responses.add(key)
  state.think(text)
}

const readObservation = byKind<State, Event>({
  null: 'state of the agent',
  agent_state_changed: (state, { args: { agent_state, reason } }) =>
    void state.contextOnce('harness', 'error', agent_state === 'error' ? reason : undefined),
  // What the harness recalled for the agent: notes on the repository and knowledge.
  recall(state, { args }) {
    const { additional_agent_instructions, conversation_instructions, repo_instructions } = args
    const about = [repo_instructions, additional_agent_instructions, conversation_instructions]
    state.contextOnce('attachment', 'workspace', json.texts(about).join('\n\n'))
    for (const piece of json.list(args.microagent_knowledge)) {
      const name = json.text(piece, 'name')
      const text = json.text(piece, 'content') ?? (json.object(piece) && JSON.stringify(piece))
      state.contextOnce('attachment', name === undefined ? 'knowledge' : `knowledge ${name}`, text)
    }
    state.out.absorb('recall of knowledge')
  },
  agent_condensation: (state, { event }) => state.compact(event.content),
  delegate(state, { event }) {
    const { callId = '' } = state.byAction.get(idOf(event.cause) ?? '') ?? {}
    const place = [...state.parents, state.agent].indexOf(state.children.get(callId) ?? state.agent)
    if (place > 0) state.agent = state.parents.splice(place - 1)[0] ?? 'main'
    return false
  },
})

/** Messages of the notebook's file editor about a failed edit. */
const failure =
  /^(?:ERROR:|\[Your proposed edit has introduced new syntax error|\[No exact match found in |Error executing )/

function readResult(state: State, { args, event }: Event, kind: string): boolean {
  const call = callOf(state, json.text(event.tool_call_metadata, 'tool_call_id'), idOf(event.cause))
  const given = textOf(event, args, kind)
  const text = given ?? ''
  if (call === undefined) {
    state.contextOnce(kind === 'error' ? 'harness' : 'output', kind, given)
    return given !== undefined
  }
  state.out.meta({ cwd: json.text(args.metadata, 'working_dir') })
  // A running command has the code -1.
  const codes = [json.at(args.metadata, 'exit_code'), args.exit_code, event.exit_code]
  const exitCode = json.number(codes.find((code) => json.number(code) !== undefined && code !== -1))
  const hasPicture = kind.startsWith('browse') && json.text(args.screenshot) !== undefined
  const hasFailed = args.error === true || (event.success === false && exitCode !== undefined)
  state.result(call, {
    status: kind === 'user_rejected' ? 'denied' : undefined,
    failed: kind === 'error' || hasFailed || failure.test(text),
    text,
    exitCode,
    changes: /^(?:edit|run_ipython)$/.test(kind) ? changesOf(args, text) : [],
    images: json.list(args.image_urls).length + (hasPicture ? 1 : 0),
  })
  const child = state.children.get(call.callId)
  if (child !== undefined) state.end(child, call.callId)
  return true
}

function textOf({ content: given }: json.Fields, args: json.Fields, kind: string): string | undefined {
  const content = typeof given === 'string' ? given : undefined
  if (kind === 'delegate' && !content) {
    const outputs = json.object(args.outputs)
    return json.text(outputs, 'content') ?? (outputs && JSON.stringify(outputs)) ?? content
  }
  const ending = json.text(args.metadata, 'suffix') ?? ''
  return content === undefined || /exit code -?\d+\.?\]/.test(ending) ? content : `${content}${ending}`
}

function changesOf(args: json.Fields, text: string): Change[] {
  const edited = /^\[File: (\S+) \(\d+ lines total after edit\)\]/.exec(text.slice(0, 1000))?.[1]
  if (edited !== undefined) return [{ path: edited, action: 'modified' }]
  const path = json.text(args.path)
  const counts = diffCounts(json.text(args.diff) ?? (text.startsWith('--- ') ? text : ''))
  if (path === undefined || counts === undefined) return []
  const created = args.prev_exist === false && (json.text(args.old_content) ?? '') === ''
  return [{ path, action: created ? 'created' : 'modified', ...counts }]
}
