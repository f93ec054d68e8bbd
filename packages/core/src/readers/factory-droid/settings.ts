import { asObject, type JsonObject } from '../../session/json-values.ts'

export function isSettings(value: unknown): value is JsonObject {
  const object = asObject(value)
  return object !== undefined && object.type === undefined && ('tokenUsage' in object || 'model' in object)
}
