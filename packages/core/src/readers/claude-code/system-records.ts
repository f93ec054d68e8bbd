import * as json from '../../session/json.ts'
import { byKind, tableOf } from '../shared/by-kind.ts'
import { writeTexts } from './messages.ts'
import { beginAt, compactionAt, isTaskReport, type Reading } from './reading.ts'

export function readSystem(reading: Reading, record: json.Fields): boolean {
  const subtype = json.text(record.subtype) ?? 'system'
  if (readSubtype(reading, subtype, record)) return true
  if (json.text(record.content) === undefined) reading.other(record, `system ${subtype}`)
  else reading.context('harness', subtype, record.content)
  return true
}

const readSubtype = byKind<Reading>({
  compact_boundary(reading, record) {
    reading.compaction = compactionAt(reading.place, reading.time, record)
    return 'boundary of a compaction'
  },
  microcompact_boundary(reading, { microcompactMetadata }) {
    const tokensBefore = json.count(microcompactMetadata, 'preTokens')
    reading.write({ type: 'compaction', text: '', trigger: 'micro', tokensBefore })
  },
  stop_hook_summary(reading, { hookErrors, hookAdditionalContext }, name) {
    const errors = [...json.list(hookErrors), ...json.list(hookAdditionalContext)]
    const texts = json.texts(errors.map((error) => json.at(error, 'message') ?? error))
    reading.context('hook', name, texts.join('\n'))
  },
  'turn_duration bridge_status': 'session metadata',
  local_command: (reading, record) => writeTexts(reading, record, [json.text(record.content) ?? '']),
  api_error(reading, { content, error }, name) {
    const inner = json.text(error, 'error', 'error', 'message')
    const texts = json.texts([json.at(error, 'formatted'), inner, json.at(error, 'message'), content])
    const text = [json.count(error, 'status') ?? '', texts[0] ?? ''].join(' ').trim()
    reading.write({ type: 'context', origin: 'harness', name, text })
  },
})

export function readAttachment(reading: Reading, record: json.Fields): boolean {
  const attachment = json.fields(record.attachment)
  const type = json.text(attachment.type)
  if (type === undefined) return false
  if (type === 'queued_command') {
    const { origin = record.origin, prompt } = attachment
    const parts = typeof prompt === 'string' ? [{ text: prompt }] : json.list(prompt)
    const images = parts.filter((part) => json.at(part, 'type') === 'image').length
    const said = { ...record, origin: origin ?? record.origin, promptSource: 'queued' }
    writeTexts(reading, said, json.texts(parts.map((part) => json.at(part, 'text'))), images)
  } else {
    const texts = shown.get(type)?.(attachment) ?? [fieldsText(attachment)]
    const text = bookkeeping.test(type) ? '' : lines(texts)
    const origin = /^(?:hook_|async_hook)/.test(type) ? 'hook' : 'attachment'
    if (text.trim() === '') reading.out.absorb(`attachment without text: ${type}`)
    else reading.context(origin, type, text)
  }
  return true
}

/** A queued text counts when it is delivered; before 2.1.91 one within a turn left no other trace. */
export function readQueueOperation(reading: Reading, record: json.Fields): void {
  const { out, queue, place, time } = reading
  const text = json.text(record.content)
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
    beginAt(reading, place, time)
    writeQueued(reading, text, {})
  }
}

function writeQueued(reading: Reading, text: string, record: json.Fields): void {
  // A command has a record of its own.
  if (isTaskReport(text) || text.startsWith('/')) return
  writeTexts(reading, { ...record, promptSource: 'queued' }, [text])
}

const bookkeeping =
  /^(?:command_permissions|deferred_tools_delta|total_tokens_reminder|auto_mode(?:_exit)?|ultra_effort_enter|hook_cancelled)$/

const shown = tableOf<(attachment: json.Fields) => readonly string[]>({
  diagnostics: ({ files }) => json.list(files).flatMap(diagnosticLines),
  task_reminder: ({ content }) => json.list(content).map(taskLine),
  todo_reminder: ({ content }) => json.list(content).map(taskLine),
  invoked_skills: ({ skills }) => json.list(skills).map((skill) => fieldsText(json.fields(skill))),
  agent_listing_delta: ({ addedLines }) => [textOf(addedLines)],
  mcp_instructions_delta: ({ addedBlocks }) => [textOf(addedBlocks)],
  hook_success: ({ content }) => [textOf(content)],
})

const textFields =
  'filename path planFilePath newDate condition reason status message systemMessage blockingError response content snippet text stderr'.split(
    ' ',
  )

function fieldsText(fields: json.Fields, depth = -1): string {
  const own = textFields.filter((field) => Object.hasOwn(fields, field))
  return lines(own.map((field) => textOf(fields[field], depth + 1)))
}

/** A string, or the strings in a list or object of known shape, at most four levels down. */
function textOf(value: unknown, depth = 0): string {
  if (typeof value === 'string') return value
  if (depth > 3) return ''
  if (Array.isArray(value)) return lines(value.map((item) => textOf(item, depth + 1)))
  const { file, ...fields } = json.fields(value)
  return json.object(file) === undefined ? fieldsText(fields, depth) : textOf(file, depth + 1)
}

function diagnosticLines(file: unknown): string[] {
  const uri = json.text(file, 'uri') ?? ''
  return json.list(file, 'diagnostics').map((item) => {
    const { severity, message, range } = json.fields(item)
    const line = json.at(range, 'start', 'line')
    const place = typeof line === 'number' ? `${uri}:${line + 1}` : uri
    return `${place} ${json.text(severity) ?? ''}: ${json.text(message) ?? ''}`
  })
}

function taskLine(task: unknown): string {
  const subject = json.text(task, 'subject') ?? json.text(task, 'content') ?? ''
  return subject === '' ? '' : `[${json.text(task, 'status') ?? 'open'}] ${subject}`
}

function lines(parts: readonly string[]): string {
  return parts.filter((part) => part.trim() !== '').join('\n')
}
