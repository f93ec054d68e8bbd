import type { FileChange, ToolResultEvent } from '../../session/event.ts'
import { asList, asNumber, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { lineCounts } from './v1-changes.ts'

/** What a call behind the Agent Client Protocol returned: its own output, or the text and diffs shown for it. */
export function acpOutput(event: JsonObject): Pick<ToolResultEvent, 'text' | 'exitCode' | 'changes'> {
  const output = event.raw_output ?? undefined
  const blocks = asList(event.content)
    .map(asObject)
    .filter((block) => block !== undefined)
  const shown = blocks.flatMap((block) => asText((asObject(block.content) ?? block).text) ?? []).join('\n')
  const fields = asObject(output)
  const printed = asText(output) ?? asText(fields?.output) ?? asText(fields?.formatted_output)
  const rest = output ?? (blocks.length > 0 ? event.content : undefined)
  const changes = blocks.flatMap(changeOf)
  const exitCode = asNumber(fields?.exit_code) ?? asNumber(fields?.exitCode)
  const bare = rest === undefined || (output === undefined && changes.length > 0) ? '' : JSON.stringify(rest)
  return {
    text: printed ?? (shown === '' ? bare : shown),
    ...(exitCode !== undefined && { exitCode }),
    ...(changes.length > 0 && { changes }),
  }
}

/** `{type: 'diff', path, old_text, new_text}`, or in the names of the protocol. */
function changeOf(block: JsonObject): FileChange[] {
  const path = asText(block.path)
  const after = asText(block.new_text ?? block.newText)
  if (block.type !== 'diff' || path === undefined || after === undefined) return []
  const before = asText(block.old_text ?? block.oldText)
  return [{ path, action: before === undefined ? 'created' : 'modified', ...lineCounts(before, after) }]
}
