import { asList, asObject, asText, type JsonObject, parseJson } from '../../session/json-values.ts'
import { type OpenHandsState, openCall, openHandsKind, write } from './state.ts'

/** Fields that the harness adds to the arguments of an action. */
const added = new Set(
  'thought is_confirmed confirmation_state confirmation_mode hidden keep_prompt kernel_init_code translated_ipython_code action_risk security_risk blocking is_static impl_source include_extra action id timestamp source message timeout tool_call_metadata llm_metrics'.split(
    ' ',
  ),
)

const actions = new Set(
  'run run_ipython read write edit browse browse_interactive think delegate mcp call_tool_mcp task_tracking push send_pr add_task modify_task'.split(
    ' ',
  ),
)

/** Reads an action that is a tool call. Returns `false` if neither its kind nor a call behind it is known. */
export function readCall(
  state: OpenHandsState,
  event: JsonObject,
  args: JsonObject,
  action: string,
): boolean {
  const metadata = asObject(event.tool_call_metadata)
  const functionName = asText(metadata?.function_name)
  if (!actions.has(action) && functionName === undefined) return false
  const id = idOf(event.id)
  if (event.source === 'user' && action === 'run' && asText(args.command) !== undefined) {
    openCall(state, undefined, id, { kind: 'execute', byPerson: true })
    write(state, { type: 'user', origin: 'command', text: `! ${asText(args.command)}` })
    return true
  }
  const response = asObject(metadata?.model_response)
  const callId = asText(metadata?.tool_call_id)
  const name = functionName ?? action
  const input = modelInput(response, callId) ?? ownInput(args, action)
  writeWords(state, args, action, response)
  const kind = functionName === undefined ? openHandsKind(nameOf(action), input) : openHandsKind(name, input)
  const child = action === 'delegate' ? `delegate-${id ?? state.calls + 1}` : undefined
  const call = openCall(state, callId, id, { kind, ...(child !== undefined && { child }) })
  const { model } = state
  write(state, {
    type: 'tool_call',
    callId: call.callId,
    name,
    kind,
    input,
    ...(model !== undefined && { model }),
  })
  if (child !== undefined) startDelegate(state, child, call.callId, args)
  return true
}

/** Ids of V0 are numbers. */
export function idOf(value: unknown): string | undefined {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : undefined
}

/** The message in a response of the API, which each of its actions repeats. */
function responseMessage(response: JsonObject | undefined): JsonObject | undefined {
  return asObject(asObject(asList(response?.choices)[0])?.message)
}

/** The arguments as the model wrote them. */
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
  return (
    inner ??
    Object.fromEntries(Object.entries(args).filter(([key, value]) => !added.has(key) && value !== null))
  )
}

function nameOf(action: string): string {
  return action === 'run' ? 'execute_bash' : action === 'task_tracking' ? 'task_tracker' : action
}

/** Writes thoughts and text before a call; of parallel calls only the first has them. */
function writeWords(
  state: OpenHandsState,
  args: JsonObject,
  action: string,
  response: JsonObject | undefined,
): void {
  writeThoughts(state, response)
  const words = asText(args.thought)
  const { model } = state
  if (action !== 'think' && words !== undefined && words.trim() !== '')
    write(state, { type: 'assistant', text: words, ...(model !== undefined && { model }) })
}

/** Writes the reasoning of the response behind an action, once for each response. */
export function writeThoughts(state: OpenHandsState, response: JsonObject | undefined): void {
  const text = asText(responseMessage(response)?.reasoning_content)
  const key = asText(response?.id) ?? text ?? ''
  if (text === undefined || text.trim() === '' || state.responses.has(key)) return
  state.responses.add(key)
  write(state, { type: 'reasoning', text })
}

/** The delegate's work is between the call and its observation. */
function startDelegate(state: OpenHandsState, child: string, callId: string, args: JsonObject): void {
  const parent = state.agents.at(-1) ?? 'main'
  state.out.agent({ id: child, parent, callId, type: asText(args.agent) })
  write(state, { type: 'subagent_start', child, callId })
  state.agents.push(child)
}
