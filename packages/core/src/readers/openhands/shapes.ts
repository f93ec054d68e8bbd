import { asObject, asText, fieldsOf, type JsonObject } from '../../session/json-values.ts'

export const sources = /^(?:agent|user|environment|hook)$/

export function isV1Event({ id, kind, source }: JsonObject): boolean {
  const isKnown = /(?:Event|Condensation|CondensationRequest|UserRejectObservation)$/.test(asText(kind) ?? '')
  return isKnown && sources.test(asText(source) ?? '') && asText(id) !== undefined
}

export function isConversationState(value: JsonObject): boolean {
  const isOwn = 'execution_status' in value || 'agent_status' in value || 'stats' in value
  return (
    isOwn &&
    asText(value.id) !== undefined &&
    asObject(value.agent) !== undefined &&
    asObject(value.workspace) !== undefined
  )
}

export function isRow(value: unknown): value is JsonObject {
  const { history, instance_id, instruction, issue } = fieldsOf(value)
  return Array.isArray(history) && (instance_id ?? instruction ?? issue) !== undefined
}
