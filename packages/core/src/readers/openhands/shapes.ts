import * as json from '../../session/json.ts'

export const sources = /^(?:agent|user|environment|hook)$/

export function isV1Event({ id, kind, source }: json.Fields): boolean {
  const kinds = /(?:Event|Condensation|CondensationRequest|UserRejectObservation)$/
  const isKnown = kinds.test(json.text(kind) ?? '') && sources.test(json.text(source) ?? '')
  return isKnown && json.text(id) !== undefined
}

export function isConversationState(value: json.Fields): boolean {
  const isOwn = 'execution_status' in value || 'agent_status' in value || 'stats' in value
  const isPlaced = json.object(value.agent) !== undefined && json.object(value.workspace) !== undefined
  return isOwn && isPlaced && json.text(value.id) !== undefined
}

export function isRow(value: unknown): value is json.Fields {
  const { history, instance_id, instruction, issue } = json.fields(value)
  return Array.isArray(history) && (instance_id ?? instruction ?? issue) !== undefined
}
