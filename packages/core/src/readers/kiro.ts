import {
  asList,
  asObject,
  asText,
  at,
  fieldsOf,
  type JsonObject,
  textAt,
  textsIn,
} from '../session/json-values.ts'
import type { LogHead, LogRecord, Reader, SessionWriter } from './reader/reader.ts'
import { createWriter, type Writer } from './shared/writer.ts'

/**
 * Reads conversations of Kiro CLI (formerly Amazon Q Developer CLI) as `/save` exports them: `{conversation_id,
 * history}`. https://github.com/aws/amazon-q-developer-cli
 */
export const kiroReader: Reader = {
  name: 'kiro',
  framing: 'document',
  detect,
  read,
}

function detect({ document }: LogHead): number {
  const object = asObject(document)
  if (asText(object?.conversation_id) === undefined) return 0
  const isKnown = asList(object?.history).some((turn) => {
    const { user, assistant } = partsOf(turn)
    const content = asObject(user?.content)
    const said = content?.Prompt ?? content?.ToolUseResults ?? content?.CancelledToolUses
    return said !== undefined || asObject(assistant?.Response ?? assistant?.ToolUse) !== undefined
  })
  return isKnown ? 0.95 : 0
}

/** Fields that repeat the history, or describe how the tool was set up. */
const passing = new Set(
  'conversation_id history transcript next_message valid_history_range tools context_manager context_message_length latest_summary model model_info file_line_tracker checkpoint_manager mcp_enabled user_turn_metadata code_intelligence_client tangent_state'.split(
    ' ',
  ),
)

async function read(documents: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  for await (const { value } of documents) {
    const state = createWriter(out)
    const document = asObject(value)
    if (document !== undefined && Array.isArray(document.history)) readConversation(state, document)
    else state.other(value, 'no-history')
  }
}

function readConversation(state: Writer, document: JsonObject): void {
  state.model = textAt(document.model_info, 'model_id') ?? asText(document.model)
  state.out.meta({ id: asText(document.conversation_id), models: [state.model] })
  const turns = asList(document.history)
  for (const turn of turns) {
    const { user, assistant } = partsOf(turn)
    state.time = asText(user?.timestamp)
    const isKnown = [user && readUser(state, user), assistant && readAssistant(state, assistant)]
    if (!isKnown.every(Boolean)) state.other(turn, 'turn')
  }
  state.time = undefined
  const summary = asText(asList(document.latest_summary)[0]) ?? asText(document.latest_summary)
  if (summary !== undefined) state.write({ type: 'compaction', text: summary })
  for (const [name, raw] of Object.entries(document)) if (!passing.has(name)) state.other(raw, name)
  if (turns.length === 0) state.out.note('no-records', 'the document holds no messages')
}

/** Reads a prompt, or results of tools; a prompt may come with the results it cancels. */
function readUser(state: Writer, user: JsonObject): boolean {
  const environment = asObject(at(user.env_context, 'env_state'))
  state.out.meta({ cwd: asText(environment?.current_working_directory) })
  state.context('harness', 'additional_context', asText(user.additional_context) ?? '')
  const content = asObject(user.content)
  const cancelled = asObject(content?.CancelledToolUses)
  const results = asObject(content?.ToolUseResults) ?? cancelled
  for (const result of asList(results?.tool_use_results)) readResult(state, result, cancelled !== undefined)
  const prompt = textAt(content?.Prompt, 'prompt') ?? asText(cancelled?.prompt)
  state.ask(prompt ?? '', { images: asList(user.images).length })
  // A turn that continues after tools has no user text of its own.
  return results !== undefined || content?.Prompt !== undefined || user.content === null
}

function readAssistant(state: Writer, assistant: JsonObject): boolean {
  const answer = asObject(assistant.Response) ?? asObject(assistant.ToolUse)
  if (answer === undefined) return false
  state.say(asText(answer.content) ?? '')
  for (const value of asList(answer.tool_uses)) {
    const { id, name, args = null } = fieldsOf(value)
    const tool = asText(name)
    if (tool === undefined) state.other(value, 'tool use')
    else state.call({ id, name: tool, input: args, kind: typeof args === 'object' ? undefined : 'other' })
  }
  return true
}

/** The result of the call with its id, or of the oldest call: ids may be empty. */
function readResult(state: Writer, value: unknown, cancelled: boolean): void {
  const result = asObject(value)
  if (result === undefined) {
    state.other(value, 'tool result')
    return
  }
  const id = result.tool_use_id
  const call = state.take(id) ?? state.take(undefined)
  const { text, code } = contentOf(result.content)
  const failed = result.status === 'Error' || (code !== undefined && code !== 0)
  const status = cancelled ? 'cancelled' : failed ? 'error' : 'ok'
  state.result(call, { status, text, exitCode: call?.kind === 'execute' ? code : undefined }, id)
}

/** `{Text}` or `{Json}`; a command returns `{exit_status, stdout, stderr}`. */
function contentOf(content: unknown): { text: string; code: number | undefined } {
  const texts: string[] = []
  let code: number | undefined
  for (const value of asList(content)) {
    const part = asObject(value)
    const json = asObject(part?.Json)
    if (typeof part?.Text === 'string') texts.push(part.Text)
    else if (json !== undefined && 'exit_status' in json) {
      const status = Number(json.exit_status)
      if (Number.isSafeInteger(status)) code = status
      texts.push(...textsIn([json.stdout, json.stderr]))
    } else texts.push(typeof value === 'string' ? value : JSON.stringify(part?.Json ?? value))
  }
  return { text: texts.join('\n'), code }
}

/** A turn is an object, or in older versions a pair. */
function partsOf(turn: unknown): { user: JsonObject | undefined; assistant: JsonObject | undefined } {
  const [first, second] = Array.isArray(turn) ? turn : [at(turn, 'user'), at(turn, 'assistant')]
  return { user: asObject(first), assistant: asObject(second) }
}
