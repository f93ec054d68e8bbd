import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'

/** Kinds of attachment without text for the model: only bookkeeping. */
const bookkeeping = new Set([
  'command_permissions',
  'deferred_tools_delta',
  'total_tokens_reminder',
  'auto_mode',
  'auto_mode_exit',
  'ultra_effort_enter',
  'hook_cancelled',
])

/** Whether an attachment of this type never holds text. */
export function isBookkeeping(type: string): boolean {
  return bookkeeping.has(type)
}

/** The text of an attachment as the model saw it, as far as the log shows it; empty if there is none. */
export function attachmentText(attachment: JsonObject): string {
  switch (attachment.type) {
    case 'diagnostics':
      return lines(asList(attachment.files).flatMap(diagnosticLines))
    case 'task_reminder':
    case 'todo_reminder':
      return lines(asList(attachment.content).map(taskLine))
    case 'invoked_skills':
      return lines(asList(attachment.skills).map((skill) => fieldsText(asObject(skill))))
    case 'agent_listing_delta':
      return textOf(attachment.addedLines)
    case 'mcp_instructions_delta':
      return textOf(attachment.addedBlocks)
    case 'hook_success':
      return textOf(attachment.content)
    default:
      return fieldsText(attachment)
  }
}

/** Fields that hold text, in the order in which they are joined. */
const textFields = [
  'filename',
  'path',
  'planFilePath',
  'newDate',
  'condition',
  'reason',
  'status',
  'message',
  'systemMessage',
  'blockingError',
  'response',
  'content',
  'snippet',
  'text',
  'stderr',
]

function fieldsText(fields: JsonObject | undefined): string {
  if (fields === undefined) return ''
  return lines(textFields.map((field) => (Object.hasOwn(fields, field) ? textOf(fields[field]) : '')))
}

/** A string, or the strings in a list or object of known shape, at most four levels down. */
function textOf(value: unknown, depth = 0): string {
  if (typeof value === 'string') return value
  if (depth > 3) return ''
  if (Array.isArray(value)) return lines(value.map((item) => textOf(item, depth + 1)))
  const object = asObject(value)
  if (object === undefined) return ''
  if (asObject(object.file) !== undefined) return textOf(object.file, depth + 1)
  return lines(
    textFields.map((field) => (Object.hasOwn(object, field) ? textOf(object[field], depth + 1) : '')),
  )
}

function diagnosticLines(value: unknown): string[] {
  const file = asObject(value)
  const uri = asText(file?.uri) ?? ''
  return asList(file?.diagnostics).map((item) => {
    const { severity, message, range } = asObject(item) ?? {}
    const line = asObject(asObject(range)?.start)?.line
    const place = typeof line === 'number' ? `${uri}:${line + 1}` : uri
    return `${place} ${asText(severity) ?? ''}: ${asText(message) ?? ''}`
  })
}

function taskLine(value: unknown): string {
  const task = asObject(value)
  const subject = asText(task?.subject) ?? asText(task?.content) ?? ''
  return subject === '' ? '' : `[${asText(task?.status) ?? 'open'}] ${subject}`
}

function lines(parts: readonly string[]): string {
  return parts.filter((part) => part.trim() !== '').join('\n')
}
