import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { cleanText, createRedaction, type Redactor } from '@tenfold/core'
import { failureOf } from '../terminal/failure.ts'
import type { McpContext } from './mcp-context.ts'

/** The answer of a tool: text to read, and the same as a value. */
export interface ToolAnswer {
  readonly text: string
  readonly value: object
}

/**
 * Runs a tool; no secret of the store leaves it. An error becomes a result with `isError` that says what to do, so that
 * a model can act on it.
 */
export async function toolResult(
  { terminal, redactors }: Pick<McpContext, 'terminal' | 'redactors'>,
  tool: string,
  run: () => Promise<ToolAnswer>,
): Promise<CallToolResult> {
  try {
    const { text, value } = withoutSecrets(await run(), redactors)
    return { content: [{ type: 'text', text: cleanText(text) }], structuredContent: cleanValue(value) }
  } catch (error) {
    const { code, message } = failureOf(error)
    terminal.warn(`${tool}: ${message}`)
    return { content: [{ type: 'text', text: `${code}: ${message}` }], isError: true }
  }
}

/** Redacts a bundle or a checkpoint, since it may have been made without redaction. */
export function withoutSecrets<T>(value: T, redactors: readonly Redactor[]): T {
  const redaction = createRedaction(redactors)
  redaction.learnValue(value)
  return redaction.redactValue(value)
}

/** Copies a value with its strings cleaned and undefined members left out. Answers of the tools bound its depth. */
function cleanValue(value: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value), (_, item: unknown) =>
    typeof item === 'string' ? cleanText(item) : item,
  )
}
