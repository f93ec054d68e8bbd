import { callError, type Refusal, refusalOf } from './call-error.ts'
import type { ModelControl, ModelRequest } from './model.ts'

/** How a server gets the schema: by `response_format`, with the schema or without, or only in words. */
export type StructuredMode = 'json-schema' | 'json-object' | 'prompt'

const next = new Map<StructuredMode, StructuredMode>([
  ['json-schema', 'json-object'],
  ['json-object', 'prompt'],
])

// vLLM, LM Studio, llama.cpp, Groq, DeepSeek and OpenRouter say it in these words.
const about =
  /response.?format|json.?schema|json.?object|json mode|structured.?output|guided|grammar|\bschema\b|requested parameters/i

/** The next form of asking for JSON if a server refused this one as such; undefined if the error is another. */
export function structuredAfter(asked: StructuredMode, refusal: Refusal): StructuredMode | undefined {
  const { status, param, code, type, message } = refusal
  // OpenRouter: 404 if no provider has it; others: 422, or 501.
  if (![400, 404, 422, 500, 501].includes(Number(status))) return undefined
  // Groq: the model did not keep to the schema, although it got it.
  if (code === 'json_validate_failed') return undefined
  return [message, param, type].some((text) => about.test(String(text))) ? next.get(asked) : undefined
}

/**
 * Sends a request in one form after another until a server does not refuse the form as such, and returns the form that
 * went through. A refusal (400) is not billed and costs none of the caller's retries.
 */
export async function inSomeForm<Form>(
  first: Form,
  after: (asked: Form, refusal: Refusal) => Form | undefined,
  send: (form: Form) => Promise<void>,
  onRefused: ModelControl['onRefused'],
): Promise<Form> {
  for (let asked = first; ; ) {
    try {
      await send(asked)
      return asked
    } catch (error) {
      const another = error instanceof Error ? after(asked, refusalOf(error)) : undefined
      if (another === undefined) throw error
      await onRefused?.(callError(error))
      asked = another
    }
  }
}

/** The system text for a server that does not take the schema by itself. */
export function systemWithSchema({ system, schema }: ModelRequest): string {
  return `${system}\n\nAnswer with one JSON object and nothing else. It has to fit this JSON Schema:\n\`\`\`json\n${JSON.stringify(schema)}\n\`\`\``
}
