import { asCount, asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { byKind } from '../shared/writer.ts'
import { writeTexts } from './messages.ts'
import { awaitSummary, beginAt, type Reading } from './reading.ts'

/** Reads a `system` record: compactions, errors of the API, local commands, notices. */
export function readSystem(reading: Reading, record: JsonObject): void {
  const subtype = asText(record.subtype) ?? 'system'
  if (readSubtype(reading, subtype, record)) return
  if (asText(record.content) === undefined) reading.other(record, `system ${subtype}`)
  else reading.context('harness', subtype, String(record.content))
}

const readSubtype = byKind<Reading>({
  compact_boundary(reading, record) {
    awaitSummary(reading, record)
    reading.out.absorb('boundary of a compaction')
  },
  microcompact_boundary(reading, record) {
    const tokensBefore = asCount(asObject(record.microcompactMetadata)?.preTokens)
    reading.write({ type: 'compaction', text: '', trigger: 'micro', tokensBefore })
  },
  stop_hook_summary(reading, record, name) {
    const texts = [...asList(record.hookErrors), ...asList(record.hookAdditionalContext)].map((error) =>
      typeof error === 'string' ? error : (asText(asObject(error)?.message) ?? ''),
    )
    reading.context('hook', name, texts.filter((part) => part !== '').join('\n'))
  },
  'turn_duration bridge_status': 'session metadata',
  local_command: (reading, record) => writeTexts(reading, record, [asText(record.content) ?? ''], 0),
  api_error: (reading, record, name) =>
    void reading.write({ type: 'context', origin: 'harness', name, text: apiError(record) }),
})

function apiError(record: JsonObject): string {
  const error = asObject(record.error)
  const inner = asObject(asObject(error?.error)?.error)
  const reported =
    asText(error?.formatted) ?? asText(inner?.message) ?? asText(error?.message) ?? asText(record.content)
  const status = asCount(error?.status)
  return [status === undefined ? '' : String(status), reported ?? ''].filter((part) => part !== '').join(' ')
}

/** Reads an `attachment` record: a prompt that was queued, or text that the harness showed to the model. */
export function readAttachment(reading: Reading, record: JsonObject): void {
  const attachment = asObject(record.attachment)
  const type = asText(attachment?.type)
  if (attachment === undefined || type === undefined) {
    reading.other(record, 'attachment')
    return
  }
  if (type === 'queued_command') {
    readQueuedCommand(reading, record, attachment)
    return
  }
  const text = bookkeeping.test(type) ? '' : attachmentText(attachment)
  const origin = type.startsWith('hook_') || type.startsWith('async_hook') ? 'hook' : 'attachment'
  if (text.trim() === '') reading.out.absorb(`attachment without text: ${type}`)
  else reading.context(origin, type, text)
}

function readQueuedCommand(reading: Reading, record: JsonObject, { origin, prompt }: JsonObject): void {
  const parts = typeof prompt === 'string' ? [{ text: prompt }] : asList(prompt).map(asObject)
  const texts = parts.flatMap((part) => asText(part?.text) ?? [])
  const images = asList(prompt).filter((part) => asObject(part)?.type === 'image').length
  const said = { ...record, origin: origin ?? record.origin, promptSource: 'queued' }
  writeTexts(reading, said, texts, images)
}

/**
 * Reads a record of the prompt queue. A text is counted when it is delivered, as a separate record or as an attachment;
 * versions before 2.1.91 left no other trace of texts delivered in the middle of a turn.
 */
export function readQueueOperation(reading: Reading, record: JsonObject): void {
  const { out, queue, place, time } = reading
  const text = asText(record.content)
  out.absorb('queue of prompts')
  if (record.operation === 'enqueue' && text !== undefined) {
    queue.enqueue({ text, place, time })
    // The first entry is delivered as a separate record, which follows.
  } else if (record.operation === 'dequeue') queue.remove(undefined)
  else if (record.operation === 'popAll') queue.clear()
  else if (record.operation === 'remove') {
    const removed = queue.remove(text)
    if (removed !== undefined && !deliversAsAttachment(reading.agentVersion))
      writeQueued(reading, removed.text, record)
  }
}

/** Writes texts that still wait when the log ends: the user typed them, the agent never saw them. */
export function writeWaiting(reading: Reading): void {
  for (const { text, place, time } of reading.queue.waiting()) {
    // A command runs without a trace in the queue.
    if (text.startsWith('/')) continue
    beginAt(reading, place, time)
    writeQueued(reading, text, {})
  }
}

function writeQueued(reading: Reading, text: string, record: JsonObject): void {
  // A background task describes itself in JSON.
  if (text.startsWith('{"task_id"')) return
  writeTexts(reading, { ...record, promptSource: 'queued' }, [text], 0)
}

function deliversAsAttachment(version = ''): boolean {
  const [major = 99, minor = 0, patch = 0] = version.split('.').map(Number)
  return major > 2 || (major === 2 && (minor > 1 || (minor === 1 && patch >= 91))) || Number.isNaN(major)
}

/** Kinds of attachment without text for the model. */
const bookkeeping =
  /^(?:command_permissions|deferred_tools_delta|total_tokens_reminder|auto_mode(?:_exit)?|ultra_effort_enter|hook_cancelled)$/

/** The text of an attachment as the model saw it, as far as the log shows it; empty if there is none. */
function attachmentText(attachment: JsonObject): string {
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
const textFields =
  'filename path planFilePath newDate condition reason status message systemMessage blockingError response content snippet text stderr'.split(
    ' ',
  )

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
