import { asObject, type JsonObject } from '../../session/json-values.ts'

/** A turn is an object, or in older versions a pair. */
export function partsOf(turn: unknown): { user: JsonObject | undefined; assistant: JsonObject | undefined } {
  const [first, second] = Array.isArray(turn) ? turn : [asObject(turn)?.user, asObject(turn)?.assistant]
  return { user: asObject(first), assistant: asObject(second) }
}
