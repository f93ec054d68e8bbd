import * as json from '../session/json.ts'
import type { LogHead, LogRecord, Reader, SessionWriter } from './reader/reader.ts'
import { createWriter, type Writer } from './shared/writer.ts'

/**
 * Reads conversations of Kiro CLI (formerly Amazon Q Developer CLI) as exported by `/save`: `{conversation_id,
 * history}`. https://github.com/aws/amazon-q-developer-cli
 */
export const kiroReader: Reader = { name: 'kiro', framing: 'document', detect, read }

function detect({ document }: LogHead): number {
  const object = json.object(document)
  if (json.text(object?.conversation_id) === undefined) return 0
  const isKnown = json.list(object?.history).some((turn) => {
    const { user, assistant } = partsOf(turn)
    const { CancelledToolUses, Prompt, ToolUseResults } = json.fields(user?.content)
    const said = Prompt ?? ToolUseResults ?? CancelledToolUses
    return said !== undefined || json.object(assistant?.Response ?? assistant?.ToolUse) !== undefined
  })
  return isKnown ? 0.95 : 0
}

/** Fields that repeat the history, or describe the setup of the tool. */
const passing =
  /^(?:conversation_id|history|transcript|next_message|valid_history_range|tools|context_manager|context_message_length|latest_summary|model|model_info|file_line_tracker|checkpoint_manager|mcp_enabled|user_turn_metadata|code_intelligence_client|tangent_state)$/

async function read(documents: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  for await (const { value } of documents) {
    const state = createWriter(out)
    const document = json.object(value)
    if (document !== undefined && Array.isArray(document.history)) readConversation(state, document)
    else state.other(value, 'no-history')
  }
}

function readConversation(state: Writer, document: json.Fields): void {
  state.model = json.text(document.model_info, 'model_id') ?? json.text(document.model)
  state.out.meta({ id: json.text(document.conversation_id), models: [state.model] })
  for (const turn of json.list(document.history)) {
    const { user, assistant } = partsOf(turn)
    state.time = json.text(user?.timestamp)
    const isKnown = [user && readUser(state, user), assistant && readAssistant(state, assistant)]
    if (!isKnown.every(Boolean)) state.other(turn, 'turn')
  }
  state.time = undefined
  const summary = json.text(json.list(document.latest_summary)[0]) ?? json.text(document.latest_summary)
  if (summary !== undefined) state.compact(summary)
  for (const [name, raw] of Object.entries(document)) if (!passing.test(name)) state.other(raw, name)
}

function readUser(state: Writer, user: json.Fields): boolean {
  const environment = json.object(user.env_context, 'env_state')
  state.out.meta({ cwd: json.text(environment?.current_working_directory) })
  state.context('harness', 'additional_context', user.additional_context)
  const content = json.object(user.content)
  const cancelled = json.object(content?.CancelledToolUses)
  const results = json.object(content?.ToolUseResults) ?? cancelled
  for (const result of json.list(results?.tool_use_results))
    readResult(state, result, cancelled !== undefined)
  const prompt = json.text(content?.Prompt, 'prompt') ?? json.text(cancelled?.prompt)
  state.ask(prompt, { images: json.list(user.images).length })
  // A turn that continues after tools has no text of the user.
  return results !== undefined || content?.Prompt !== undefined || user.content === null
}

function readAssistant(state: Writer, assistant: json.Fields): boolean {
  const answer = json.object(assistant.Response) ?? json.object(assistant.ToolUse)
  if (answer === undefined) return false
  state.say(answer.content)
  for (const value of json.list(answer.tool_uses)) {
    const { id, name, args = null } = json.fields(value)
    const tool = json.text(name)
    if (tool === undefined) state.other(value, 'tool use')
    else state.call({ id, name: tool, input: args, kind: typeof args === 'object' ? undefined : 'other' })
  }
  return true
}

/** Reads the result of the call with its id, or of the oldest call, since ids may be empty. */
function readResult(state: Writer, value: unknown, cancelled: boolean): void {
  const { content, status: given, tool_use_id: id } = json.fields(value)
  const call = json.object(value) && (state.take(id) ?? state.take(undefined))
  const { text, code } = contentOf(content)
  const failed = given === 'Error' || (code !== undefined && code !== 0)
  const status = cancelled ? 'cancelled' : failed ? 'error' : 'ok'
  const exitCode = call?.kind === 'execute' ? code : undefined
  if (json.object(value) === undefined) state.other(value, 'tool result')
  else state.result(call, { status, text, exitCode }, id)
}

function contentOf(content: unknown): { text: string; code: number | undefined } {
  const texts: string[] = []
  let code: number | undefined
  for (const value of json.list(content)) {
    const { Json, Text } = json.fields(value)
    const { exit_status, stderr, stdout } = json.fields(Json)
    if (exit_status !== undefined && Number.isSafeInteger(Number(exit_status))) code = Number(exit_status)
    if (typeof Text === 'string') texts.push(Text)
    else if (exit_status !== undefined) texts.push(...json.texts([stdout, stderr]))
    else texts.push(typeof value === 'string' ? value : JSON.stringify(Json ?? value))
  }
  return { text: texts.join('\n'), code }
}

/** A turn is an object, or in older versions a pair. */
function partsOf(turn: unknown) {
  const [first, second] = Array.isArray(turn) ? turn : [json.at(turn, 'user'), json.at(turn, 'assistant')]
  return { user: json.object(first), assistant: json.object(second) }
}
