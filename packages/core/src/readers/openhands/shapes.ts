import * as json from '../../session/json.ts'

export const sources = /^(?:agent|user|environment|hook)$/

export function isV1Event({ id, kind, source }: json.Fields): boolean {
  const isKnown = /(?:Event|Condensation|CondensationRequest|UserRejectObservation)$/.test(
    json.text(kind) ?? '',
  )
  return isKnown && sources.test(json.text(source) ?? '') && json.text(id) !== undefined
}

export function isConversationState(value: json.Fields): boolean {
  const isOwn = 'execution_status' in value || 'agent_status' in value || 'stats' in value
  return (
    isOwn &&
    json.text(value.id) !== undefined &&
    json.object(value.agent) !== undefined &&
    json.object(value.workspace) !== undefined
  )
}

export function isRow(value: unknown): value is json.Fields {
  const { history, instance_id, instruction, issue } = json.fields(value)
  return Array.isArray(history) && (instance_id ?? instruction ?? issue) !== undefined
}
