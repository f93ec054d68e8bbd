import {
  asCount,
  asList,
  asObject,
  asText,
  at,
  fieldsOf,
  type JsonObject,
  textAt,
  textsIn,
} from '../../session/json-values.ts'
import { byKind } from '../shared/by-kind.ts'
import { writeTexts } from './messages.ts'
import { awaitSummary, beginAt, type Reading } from './reading.ts'

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
  microcompact_boundary(reading, { microcompactMetadata }) {
    const tokensBefore = asCount(at(microcompactMetadata, 'preTokens'))
    reading.write({ type: 'compaction', text: '', trigger: 'micro', tokensBefore })
  },
  stop_hook_summary(reading, { hookErrors, hookAdditionalContext }, name) {
    const errors = [...asList(hookErrors), ...asList(hookAdditionalContext)]
    reading.context('hook', name, textsIn(errors.map((error) => at(error, 'message') ?? error)).join('\n'))
  },
  'turn_duration bridge_status': 'session metadata',
  local_command: (reading, record) => writeTexts(reading, record, [asText(record.content) ?? ''], 0),
  api_error(reading, { content, error }, name) {
    const inner = textAt(error, 'error', 'error', 'message')
    const texts = textsIn([at(error, 'formatted'), inner, at(error, 'message'), content])
    const text = [asCount(at(error, 'status')) ?? '', texts[0] ?? ''].filter((part) => part !== '').join(' ')
    reading.write({ type: 'context', origin: 'harness', name, text })
  },
})

export function readAttachment(reading: Reading, record: JsonObject): void {
  const attachment = fieldsOf(record.attachment)
  const type = asText(attachment.type)
  if (type === undefined) reading.other(record, 'attachment')
  else if (type === 'queued_command') {
    const { origin = record.origin, prompt } = attachment
    const parts = typeof prompt === 'string' ? [{ text: prompt }] : asList(prompt)
    const images = parts.filter((part) => at(part, 'type') === 'image').length
    const said = { ...record, origin: origin ?? record.origin, promptSource: 'queued' }
    writeTexts(reading, said, textsIn(parts.map((part) => at(part, 'text'))), images)
  } else {
    const text = bookkeeping.test(type) ? '' : attachmentText(attachment)
    const origin = /^(?:hook_|async_hook)/.test(type) ? 'hook' : 'attachment'
    if (text.trim() === '') reading.out.absorb(`attachment without text: ${type}`)
    else reading.context(origin, type, text)
  }
}

/**
 * Reads a record of the prompt queue. A text is counted when it is delivered, as a separate record or as an attachment;
 * versions before 2.1.91 left no other trace of texts delivered in the middle of a turn.
 */
export function readQueueOperation(reading: Reading, record: JsonObject): void {
  const { out, queue, place, time } = reading
  const text = asText(record.content)
  out.absorb('queue of prompts')
  if (record.operation === 'enqueue' && text !== undefined) queue.enqueue({ text, place, time })
  // The first entry is delivered as a separate record, which follows.
  else if (record.operation === 'dequeue') queue.remove(undefined)
  else if (record.operation === 'popAll') queue.clear()
  else if (record.operation === 'remove') {
    const removed = queue.remove(text)
    const [major = 99, minor = 0, patch = 0] = (reading.agentVersion ?? '99').split('.').map(Number)
    const isOld = major < 2 || (major === 2 && (minor < 1 || (minor === 1 && patch < 91)))
    if (removed !== undefined && isOld) writeQueued(reading, removed.text, record)
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

/** Kinds of attachment without text for the model. */
const bookkeeping =
  /^(?:command_permissions|deferred_tools_delta|total_tokens_reminder|auto_mode(?:_exit)?|ultra_effort_enter|hook_cancelled)$/

/** What of an attachment the model saw, by its type; all others show their fields with text. */
const shown = new Map<unknown, (attachment: JsonObject) => readonly string[]>([
  ['diagnostics', ({ files }) => asList(files).flatMap(diagnosticLines)],
  ['task_reminder', ({ content }) => asList(content).map(taskLine)],
  ['todo_reminder', ({ content }) => asList(content).map(taskLine)],
  ['invoked_skills', ({ skills }) => asList(skills).map((skill) => fieldsText(fieldsOf(skill)))],
  ['agent_listing_delta', ({ addedLines }) => [textOf(addedLines)]],
  ['mcp_instructions_delta', ({ addedBlocks }) => [textOf(addedBlocks)]],
  ['hook_success', ({ content }) => [textOf(content)]],
])

function attachmentText(attachment: JsonObject): string {
  return lines(shown.get(attachment.type)?.(attachment) ?? [fieldsText(attachment)])
}

const textFields =
  'filename path planFilePath newDate condition reason status message systemMessage blockingError response content snippet text stderr'.split(
    ' ',
  )

function fieldsText(fields: JsonObject, depth = -1): string {
  return lines(
    textFields.map((field) => (Object.hasOwn(fields, field) ? textOf(fields[field], depth + 1) : '')),
  )
}

/** A string, or the strings in a list or object of known shape, at most four levels down. */
function textOf(value: unknown, depth = 0): string {
  if (typeof value === 'string') return value
  if (depth > 3) return ''
  if (Array.isArray(value)) return lines(value.map((item) => textOf(item, depth + 1)))
  const { file, ...fields } = fieldsOf(value)
  return asObject(file) === undefined ? fieldsText(fields, depth) : textOf(file, depth + 1)
}

function diagnosticLines(file: unknown): string[] {
  const uri = textAt(file, 'uri') ?? ''
  return asList(at(file, 'diagnostics')).map((item) => {
    const { severity, message, range } = fieldsOf(item)
    const line = at(range, 'start', 'line')
    const place = typeof line === 'number' ? `${uri}:${line + 1}` : uri
    return `${place} ${asText(severity) ?? ''}: ${asText(message) ?? ''}`
  })
}

function taskLine(task: unknown): string {
  const subject = textAt(task, 'subject') ?? textAt(task, 'content') ?? ''
  return subject === '' ? '' : `[${textAt(task, 'status') ?? 'open'}] ${subject}`
}

function lines(parts: readonly string[]): string {
  return parts.filter((part) => part.trim() !== '').join('\n')
}
