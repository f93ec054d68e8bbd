import { asText } from '../../session/json-values.ts'

/** `mcp__server__tool`, as Claude Code names such tools. */
export function mcpToolName(server: unknown, tool: unknown): string {
  return ['mcp', server, tool].filter((part) => asText(part)).join('__')
}
