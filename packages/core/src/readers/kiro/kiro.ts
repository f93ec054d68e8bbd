import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import type { LogHead, Reader, SessionWriter } from '../reader/reader.ts'
import { createCallIds } from '../shared/call-ids.ts'
import { createKiroState, type KiroState, readAssistant, readUser, write } from './messages.ts'

/**
 * Reads conversations of Kiro CLI (formerly Amazon Q Developer CLI) as `/save` exports them: `{conversation_id,
 * history}`. https://github.com/aws/amazon-q-developer-cli
 */
export const kiroReader: Reader = {
  name: 'kiro',
  framing: 'document',
  detect,
  async read(documents, out) {
    for await (const { value } of documents) {
      const document = asObject(value)
      if (document === undefined || !Array.isArray(document.history))
        out.event({ type: 'other', name: 'no-history', raw: value })
      else readConversation(out, document)
    }
  },
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

/** A turn is an object, or in older versions a pair. */
function partsOf(turn: unknown): { user: JsonObject | undefined; assistant: JsonObject | undefined } {
  const [first, second] = Array.isArray(turn) ? turn : [asObject(turn)?.user, asObject(turn)?.assistant]
  return { user: asObject(first), assistant: asObject(second) }
}

/** Fields that repeat the history, or describe how the tool was set up. */
const passing = new Set(
  'conversation_id history transcript next_message valid_history_range tools context_manager context_message_length latest_summary model model_info file_line_tracker checkpoint_manager mcp_enabled user_turn_metadata code_intelligence_client tangent_state'.split(
    ' ',
  ),
)

function readConversation(out: SessionWriter, document: JsonObject): void {
  const model = asText(asObject(document.model_info)?.model_id) ?? asText(document.model)
  out.meta({
    id: asText(document.conversation_id),
    ...(model !== undefined && { models: [model] }),
  })
  const state = createKiroState(out, createCallIds(), model)
  const turns = asList(document.history)
  for (const turn of turns) readTurn(state, turn)
  state.time = undefined
  const summary = asText(asList(document.latest_summary)[0]) ?? asText(document.latest_summary)
  if (summary !== undefined) write(state, { type: 'compaction', text: summary })
  for (const [name, raw] of Object.entries(document))
    if (!passing.has(name)) write(state, { type: 'other', name, raw })
  if (turns.length === 0) out.note('no-records', 'the document holds no messages')
}

function readTurn(state: KiroState, turn: unknown): void {
  const { user, assistant } = partsOf(turn)
  state.time = asText(user?.timestamp)
  const isKnown = [
    user !== undefined && readUser(state, user),
    assistant !== undefined && readAssistant(state, assistant),
  ]
  if (!isKnown.every(Boolean)) write(state, { type: 'other', name: 'turn', raw: turn })
}
