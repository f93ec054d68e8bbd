import { asList, asObject, asText } from '../../session/json-values.ts'
import type { LogHead, Reader } from '../reader/reader.ts'
import { partsOf } from './turn-parts.ts'

/**
 * Reads conversations of Kiro CLI (formerly Amazon Q Developer CLI) as `/save` exports them: `{conversation_id,
 * history}`. https://github.com/aws/amazon-q-developer-cli
 */
export const kiroReader: Reader = {
  name: 'kiro',
  framing: 'document',
  detect,
  read: async (documents, out) => (await import('./read.ts')).readKiro(documents, out),
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
