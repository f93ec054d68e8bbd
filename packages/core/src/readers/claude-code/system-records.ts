import { asCount, asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { attachmentText, isBookkeeping } from './attachments.ts'
import { type Speaker, writeTexts } from './messages.ts'
import { awaitSummary, type Reading, timeOf } from './reading.ts'

/** Reads a `system` record: compactions, errors of the API, local commands, notices. */
export function readSystem(reading: Reading, record: JsonObject, speaker: Speaker): void {
  const { out } = reading
  const { agent } = speaker
  const subtype = asText(record.subtype) ?? 'system'
  const content = asText(record.content)
  switch (subtype) {
    case 'compact_boundary':
      awaitSummary(reading, record)
      out.absorb('boundary of a compaction')
      return
    case 'microcompact_boundary': {
      const tokensBefore = asCount(asObject(record.microcompactMetadata)?.preTokens)
      const known = tokensBefore === undefined ? {} : { tokensBefore }
      out.event({ type: 'compaction', agent, text: '', trigger: 'micro', ...known, ...timeOf(record) })
      return
    }
    case 'stop_hook_summary':
      writeHookErrors(reading, record, agent)
      return
    case 'turn_duration':
    case 'bridge_status':
      out.absorb('session metadata')
      return
    case 'local_command':
      if (content === undefined) out.absorb('empty message')
      else writeTexts(reading, record, speaker, [content], 0)
      return
    case 'api_error':
      out.event({
        type: 'context',
        agent,
        origin: 'harness',
        name: subtype,
        text: apiError(record),
        ...timeOf(record),
      })
      return
    default:
      if (content === undefined)
        out.event({ type: 'other', agent, name: `system ${subtype}`, raw: record, ...timeOf(record) })
      else
        out.event({
          type: 'context',
          agent,
          origin: 'harness',
          name: subtype,
          text: content,
          ...timeOf(record),
        })
  }
}

function writeHookErrors(reading: Reading, record: JsonObject, agent: string): void {
  const texts = [...asList(record.hookErrors), ...asList(record.hookAdditionalContext)].map((error) =>
    typeof error === 'string' ? error : (asText(asObject(error)?.message) ?? ''),
  )
  const text = texts.filter((part) => part !== '').join('\n')
  if (text === '') reading.out.absorb('hook without text')
  else
    reading.out.event({
      type: 'context',
      agent,
      origin: 'hook',
      name: 'stop_hook_summary',
      text,
      ...timeOf(record),
    })
}

function apiError(record: JsonObject): string {
  const error = asObject(record.error)
  const inner = asObject(asObject(error?.error)?.error)
  const reported =
    asText(error?.formatted) ?? asText(inner?.message) ?? asText(error?.message) ?? asText(record.content)
  const status = asCount(error?.status)
  return [status === undefined ? '' : String(status), reported ?? ''].filter((part) => part !== '').join(' ')
}

/** Reads an `attachment` record: a prompt that was queued, or text that the harness showed to the model. */
export function readAttachment(reading: Reading, record: JsonObject, speaker: Speaker): void {
  const { out } = reading
  const { agent } = speaker
  const attachment = asObject(record.attachment)
  const type = asText(attachment?.type)
  if (attachment === undefined || type === undefined) {
    out.event({ type: 'other', agent, name: 'attachment', raw: record, ...timeOf(record) })
    return
  }
  if (type === 'queued_command') {
    readQueuedCommand(reading, record, speaker, attachment)
    return
  }
  const text = isBookkeeping(type) ? '' : attachmentText(attachment)
  const origin = type.startsWith('hook_') || type.startsWith('async_hook') ? 'hook' : 'attachment'
  if (text.trim() === '') out.absorb(`attachment without text: ${type}`)
  else out.event({ type: 'context', agent, origin, name: type, text, ...timeOf(record) })
}

function readQueuedCommand(
  reading: Reading,
  record: JsonObject,
  speaker: Speaker,
  attachment: JsonObject,
): void {
  const { prompt } = attachment
  const parts = typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : asList(prompt).map(asObject)
  const texts = parts.map((part) => asText(part?.text) ?? '').filter((text) => text !== '')
  const images = parts.filter((part) => part?.type === 'image').length
  const said = { ...record, origin: attachment.origin ?? record.origin, promptSource: 'queued' }
  writeTexts(reading, said, speaker, texts, images)
}

/**
 * Reads a record of the prompt queue. A text is counted when it is delivered, as a separate record or as an attachment;
 * versions before 2.1.91 left no other trace of texts delivered in the middle of a turn.
 */
export function readQueueOperation(reading: Reading, record: JsonObject): void {
  const { out, queue, place } = reading
  const text = asText(record.content)
  out.absorb('queue of prompts')
  if (record.operation === 'enqueue' && text !== undefined) {
    queue.enqueue({ text, place, time: asText(record.timestamp) })
  } else if (record.operation === 'dequeue') queue.dequeue()
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
    reading.place = place
    writeQueued(reading, text, time === undefined ? {} : { timestamp: time })
  }
}

function writeQueued(reading: Reading, text: string, record: JsonObject): void {
  // A background task describes itself in JSON.
  if (text.startsWith('{"task_id"')) return
  writeTexts(reading, { ...record, promptSource: 'queued' }, { agent: 'main', byAgent: false }, [text], 0)
}

function deliversAsAttachment(version = ''): boolean {
  const [major = 99, minor = 0, patch = 0] = version.split('.').map(Number)
  return major > 2 || (major === 2 && (minor > 1 || (minor === 1 && patch >= 91))) || Number.isNaN(major)
}
