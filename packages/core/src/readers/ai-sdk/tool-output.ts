import { asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { exitCodeOf, outcomeOf } from '../messages/outcome.ts'
import { outputText } from '../shared/content.ts'
import type { Outcome } from '../shared/outcome.ts'

/** The outcome of any value that a tool returned. */
export function plainOutcome(output: unknown, failed?: boolean): Outcome {
  const object = asObject(output)
  const { text, images } = outputText(output)
  const code = exitCodeOf(object)
  return {
    text,
    ...outcomeOf(text, failed ?? (code !== undefined && code !== 0 ? true : undefined)),
    ...(code !== undefined && { exitCode: code }),
    ...(images > 0 && { images }),
  }
}

/** The outcome in the `output` of a `tool-result` part: `{ type, value }`. */
export function resultOutcome(part: JsonObject): Outcome {
  // Version 4 had the bare value under `result`.
  if (part.output === undefined && 'result' in part)
    return plainOutcome(part.result, part.isError === true ? true : undefined)
  const output = asObject(part.output)
  const type = asText(output?.type)
  switch (type) {
    case 'text':
    case 'json':
    case 'content':
      return plainOutcome(output?.value)
    case 'error-text':
    case 'error-json':
      return plainOutcome(output?.value, true)
    case 'execution-denied':
      return { status: 'denied', text: asText(output?.reason) ?? '' }
  }
  return plainOutcome(part.output)
}
