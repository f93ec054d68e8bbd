import { cleanLine } from '../../session/clean-text.ts'
import { cutHead } from '../../session/cut-text.ts'
import * as json from '../../session/json.ts'
import type { LogRecord, SessionWriter } from '../reader/reader.ts'
import { byKind, tableOf } from '../shared/by-kind.ts'
import { readAssistant, readUser, writeTexts } from './messages.ts'
import {
  beginAt,
  compactionAt,
  isTaskReport,
  type Reading,
  startReading,
  writeCompaction,
} from './reading.ts'
import { agentOfFile, isStreamLine, recordOfStream } from './shapes.ts'

export async function readClaudeCode(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  const reading = startReading(out)
  for await (const record of records) readRecord(reading, record.value, record)
  const { titles, copies } = reading
  reading.agents.end(agentOfPlace(reading) ?? '', reading.place)
  if (copies.events > 0)
    out.note('copied-history', `${copies.events} events repeat the history of the parent session`)
  beginAt(reading, reading.place, undefined)
  if (reading.compaction !== undefined) writeCompaction(reading)
  // The user typed texts that are still queued; the agent never saw them.
  for (const { text, place, time } of reading.queue.waiting()) {
    beginAt(reading, place, time)
    writeQueued(reading, text, {})
  }
  const summary = reading.summaries.findLast(({ leaf }) => reading.records.has(leaf))?.title
  out.meta({ title: titles.custom ?? titles.ai ?? summary })
}

export async function readClaudeCodeDocuments(documents: AsyncIterable<LogRecord>, out: SessionWriter) {
  async function* listed(): AsyncGenerator<LogRecord> {
    for await (const document of documents) {
      const list = Array.isArray(document.value) ? document.value : json.list(document.value, 'loglines')
      for (const value of list.length > 0 ? list : [document.value]) yield { ...document, value }
    }
  }
  await readClaudeCode(listed(), out)
}

function agentOfPlace({ out, place: { file } }: Reading): string | undefined {
  return file === 0 ? undefined : agentOfFile(out.files[file] ?? '')
}

function readRecord(reading: Reading, value: unknown, { file, line }: LogRecord): void {
  const { out } = reading
  if (file !== reading.place.file) reading.agents.end(agentOfPlace(reading) ?? '', reading.place)
  const given = json.fields(value)
  const { fault, passed, record } = isStreamLine(given) ? recordOfStream(given) : { record: given }
  const type = json.text(record.type)
  beginAt(reading, { file, line }, type === undefined ? undefined : json.text(record.timestamp))
  if (type === undefined) reading.other(value, 'unknown')
  else if (isRepeated(reading, record, type)) out.absorb('repeated record')
  else {
    readMeta(reading, record)
    if (fault !== undefined)
      out.note('run-failed', `the run ended with an error: ${cutHead(cleanLine(fault), 300)}`)
    if (passed !== undefined) out.absorb(passed)
    else if (!readKind(reading, type, record)) reading.other(value, type)
  }
}

const readKind = byKind<Reading>({
  'summary ai-title custom-title'({ out, summaries, titles }, record, type) {
    const [title] = json.texts([record.summary, record.aiTitle, record.customTitle, record.title])
    const leaf = json.text(record.leafUuid)
    out.absorb(type === 'summary' ? 'title of a conversation' : 'session metadata')
    if (title === undefined) return
    if (type === 'ai-title') titles.ai = title
    else if (type === 'custom-title') titles.custom = title
    else if (leaf !== undefined) summaries.push({ leaf, title })
  },
  // A queued text counts when it is delivered; before 2.1.91, one within a turn left no other trace.
  'queue-operation'(reading, record) {
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
  },
  // Messages of a subagent inside `progress` records (2.1.12 to 2.1.81), if its own file is missing.
  progress(reading, record) {
    const { agents, out, place } = reading
    const data = json.fields(record.data)
    const agent = json.text(data.agentId)
    if (data.type !== 'agent_progress' || agent === undefined) out.absorb('progress')
    else if (out.files.some((name) => agentOfFile(name) === agent)) out.absorb("in the subagent's own file")
    else {
      out.absorb('progress repeated')
      const listed = json.list(data.normalizedMessages)
      for (const value of listed.length > 0 ? listed : [data.message]) {
        const message = json.object(value)
        const type = message?.type
        if (message === undefined || (type !== 'user' && type !== 'assistant')) continue
        if (isRepeated(reading, message, type)) continue
        agents.begin(agent, promptOf(message), place, json.text(record.parentToolUseID))
        Object.assign(reading, { agent, byAgent: true, time: json.text(message.timestamp) })
        if (!readTreeRecord(reading, message, type)) reading.other(message)
      }
    }
  },
  'user assistant system attachment': readTreeRecord,
  // Records that describe the session, or copy others for the harness (2.1.330).
  'file-history-snapshot file-history-delta last-prompt permission-mode mode': 'session metadata',
  'agent-name pr-link bridge-session frame-link atis-latch tools-used': 'session metadata',
  'api-request api-request-blob api-request-shape': 'copy of a request',
  'cost-state': 'sum of the usage',
})

/** Whether a record was read before: a copy has the same uuid, kind and time. */
function isRepeated({ records }: Reading, record: json.Fields, type: string): boolean {
  const uuid = json.text(record.uuid)
  if (uuid === undefined) return false
  const mark = `${type}\n${json.text(record.timestamp)}`
  const before = records.get(uuid)
  if (before === undefined) records.set(uuid, mark)
  return before === mark
}

function readMeta(reading: Reading, record: json.Fields): void {
  const { out } = reading
  const cwd = json.text(record.cwd)
  if (cwd !== reading.cwd) reading.cwd = cwd
  if (reading.place.file !== 0) return
  const branch = record.gitBranch === 'HEAD' ? undefined : json.text(record.gitBranch)
  reading.isBranchNew ||= branch !== undefined && branch !== reading.branch
  reading.branch = branch ?? reading.branch
  const id = json.text(record.sessionId)
  reading.sessionId ??= id
  if (id !== undefined && id !== reading.sessionId && !reading.mixed) {
    reading.mixed = true
    out.note('mixed-sessions', `this log also has records of another session, ${cleanLine(id)}`)
  }
  if (reading.agentVersion !== undefined) return
  const agentVersion = json.text(record.version)
  reading.agentVersion = agentVersion
  reading.isBranchNew = false
  out.meta({ id, agentVersion, cwd, branch })
}

function setSpeaker(reading: Reading, record: json.Fields): void {
  const { agents, place } = reading
  const agentId = json.text(record.agentId) ?? agentOfPlace(reading)
  if (record.isSidechain !== true && place.file === 0) return
  reading.byAgent = true
  const prompt = promptOf(record)
  // A subagent's log alone: the session is that of the subagent.
  if (agentId !== undefined && place.file === 0 && reading.records.size <= 1) reading.soloAgent = agentId
  if (agentId === undefined) reading.agent = agents.inline(record, prompt, place)
  else if (place.file !== 0 || reading.soloAgent !== agentId) {
    agents.begin(agentId, prompt, place)
    reading.agent = agentId
  }
}

function promptOf({ message }: json.Fields): string {
  const content = json.at(message, 'content')
  return typeof content === 'string' ? content : (json.text(json.list(content)[0], 'text') ?? '')
}

function readTreeRecord(reading: Reading, record: json.Fields, type: string): boolean {
  setSpeaker(reading, record)
  const startsAnew = type === 'assistant' || (type === 'user' && record.isCompactSummary !== true)
  if (startsAnew && reading.agent === 'main' && reading.compaction !== undefined) writeCompaction(reading)
  if (type === 'user') return readUser(reading, record)
  if (type === 'assistant') return readAssistant(reading, record)
  return type === 'system' ? readSystem(reading, record) : readAttachment(reading, record)
}

function readSystem(reading: Reading, record: json.Fields): boolean {
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
    reading.compact('', { trigger: 'micro', tokensBefore: json.at(microcompactMetadata, 'preTokens') })
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

function readAttachment(reading: Reading, record: json.Fields): boolean {
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

function writeQueued(reading: Reading, text: string, record: json.Fields): void {
  // A command has a separate record.
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

/** Returns a string, or the strings in a list or object of known shape, at most four levels down. */
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
