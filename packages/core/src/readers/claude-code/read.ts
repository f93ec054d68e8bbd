import { cleanLine } from '../../session/clean-text.ts'
import { cutHead } from '../../session/cut-text.ts'
import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { byWord } from '../../tools/by-word.ts'
import type { LogRecord, SessionWriter } from '../reader/reader.ts'
import { agentOfFile } from './files.ts'
import { readAssistant, readUser, type Speaker } from './messages.ts'
import { type Reading, startReading, timeOf, writeCompaction } from './reading.ts'
import { faultOfRun, isStreamLine, passedLine, recordOfStream } from './stream.ts'
import { readAttachment, readQueueOperation, readSystem, writeWaiting } from './system-records.ts'

export async function readClaudeCode(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  const reading = startReading(out)
  for await (const record of records) readRecord(reading, record.value, record)
  finish(reading)
}

export async function readClaudeCodeDocuments(
  documents: AsyncIterable<LogRecord>,
  out: SessionWriter,
): Promise<void> {
  const reading = startReading(out)
  for await (const document of documents) {
    const list = Array.isArray(document.value) ? document.value : asList(asObject(document.value)?.loglines)
    for (const value of list) readRecord(reading, value, document)
    if (list.length === 0) out.note('no-records', 'the document holds no list of records')
  }
  finish(reading)
}

function finish(reading: Reading): void {
  const { out, titles, copies } = reading
  endFile(reading)
  if (copies.events > 0)
    out.note('copied-history', `${copies.events} events repeat the history of the parent session`)
  if (reading.compaction !== undefined) writeCompaction(reading, 'main')
  writeWaiting(reading)
  const summary = reading.summaries.findLast(({ leaf }) => reading.records.has(leaf))?.title
  const title = titles.custom ?? titles.ai ?? summary
  if (title !== undefined) out.meta({ title })
}

/** Ends a subagent at the end of its file. */
function endFile(reading: Reading): void {
  const { file } = reading.place
  const agent = file === 0 ? undefined : agentOfFile(reading.out.files[file] ?? '')
  if (agent !== undefined) reading.agents.end(agent, reading.place)
}

/** Kinds of record that hold no text of the session: they describe it, or copy for the harness what others hold (2.1.330). */
const passing = byWord({
  'session metadata':
    'file-history-snapshot file-history-delta last-prompt permission-mode mode agent-name pr-link bridge-session frame-link atis-latch tools-used',
  'copy of a request': 'api-request api-request-blob api-request-shape',
  'sum of the usage': 'cost-state',
})

function readRecord(
  reading: Reading,
  value: unknown,
  { file, line }: Pick<LogRecord, 'file' | 'line'>,
): void {
  const { out } = reading
  if (file !== reading.place.file) endFile(reading)
  reading.place = { file, line }
  const given = asObject(value)
  const isLine = given !== undefined && isStreamLine(given)
  const record = isLine ? recordOfStream(given) : given
  const type = asText(record?.type)
  if (record === undefined || type === undefined) {
    out.event({ type: 'other', name: 'unknown', raw: value })
    return
  }
  if (isRepeated(reading, record, type)) {
    out.absorb('repeated record')
    return
  }
  readMeta(reading, record)
  const passed = isLine ? passedLine(record) : undefined
  const fault = isLine ? faultOfRun(record) : undefined
  if (fault !== undefined)
    out.note('run-failed', `the run ended with an error: ${cutHead(cleanLine(fault), 300)}`)
  if (passed !== undefined) {
    out.absorb(passed)
    return
  }
  switch (type) {
    case 'summary':
    case 'ai-title':
    case 'custom-title':
      readTitle(reading, record, type)
      return
    case 'queue-operation':
      readQueueOperation(reading, record)
      return
    case 'progress':
      readProgress(reading, record)
      return
    case 'user':
    case 'assistant':
    case 'system':
    case 'attachment':
      readTreeRecord(reading, record, type, speakerOf(reading, record))
      return
    default:
      if (passing.has(type)) out.absorb(passing.get(type) ?? '')
      else out.event({ type: 'other', name: type, raw: value, ...timeOf(record) })
  }
}

/** A copy has the uuid, kind and time of a record already read. */
function isRepeated(reading: Reading, record: JsonObject, type: string): boolean {
  const uuid = asText(record.uuid)
  if (uuid === undefined) return false
  const original = `${uuid}\n${type}\n${asText(record.timestamp)}`
  if (!reading.records.add(uuid)) return reading.originals.has(original)
  reading.originals.add(original)
  return false
}

function readMeta(reading: Reading, record: JsonObject): void {
  const { out } = reading
  if (reading.place.file !== 0) return
  const id = asText(record.sessionId)
  if (id !== undefined) {
    reading.sessionId ??= id
    if (id !== reading.sessionId && !reading.mixed) {
      reading.mixed = true
      out.note('mixed-sessions', `this log also holds records of another session, ${cleanLine(id)}`)
    }
  }
  if (reading.agentVersion !== undefined) return
  const version = asText(record.version)
  const cwd = asText(record.cwd)
  const branch = asText(record.gitBranch)
  if (version !== undefined) reading.agentVersion = version
  out.meta({ id, agentVersion: version, cwd, branch: branch === 'HEAD' ? undefined : branch })
}

function readTitle(
  reading: Reading,
  record: JsonObject,
  type: 'summary' | 'ai-title' | 'custom-title',
): void {
  const { out, titles } = reading
  out.absorb(type === 'summary' ? 'title of a conversation' : 'session metadata')
  const title =
    asText(record.summary) ?? asText(record.aiTitle) ?? asText(record.customTitle) ?? asText(record.title)
  const leaf = asText(record.leafUuid)
  if (title === undefined) return
  if (type === 'ai-title') titles.ai = title
  else if (type === 'custom-title') titles.custom = title
  else if (leaf !== undefined) reading.summaries.push({ leaf, title })
}

/** The agent of a record; a subagent begins with its first record. */
function speakerOf(reading: Reading, record: JsonObject): Speaker {
  const { file } = reading.place
  const sidechain = record.isSidechain === true
  const agentId =
    asText(record.agentId) ?? (file === 0 ? undefined : agentOfFile(reading.out.files[file] ?? ''))
  if (!sidechain && file === 0) return { agent: 'main', byAgent: false }
  const prompt = promptOf(record)
  if (agentId === undefined)
    return { agent: reading.agents.inline(record, prompt, reading.place), byAgent: true }
  // The log of a subagent alone: the session is about this subagent.
  if (file === 0 && reading.records.size <= 1) reading.soloAgent = agentId
  if (file === 0 && reading.soloAgent === agentId) return { agent: 'main', byAgent: true }
  reading.agents.begin(agentId, prompt, reading.place)
  return { agent: agentId, byAgent: true }
}

function promptOf(record: JsonObject): string {
  const content = asObject(record.message)?.content
  if (typeof content === 'string') return content
  return asText(asObject(asList(content)[0])?.text) ?? ''
}

function readTreeRecord(
  reading: Reading,
  record: JsonObject,
  type: 'user' | 'assistant' | 'system' | 'attachment',
  speaker: Speaker,
): void {
  const startsAnew = type === 'assistant' || (type === 'user' && record.isCompactSummary !== true)
  if (startsAnew && speaker.agent === 'main' && reading.compaction !== undefined)
    writeCompaction(reading, speaker.agent)
  if (type === 'user') readUser(reading, record, speaker)
  else if (type === 'assistant') readAssistant(reading, record, speaker.agent)
  else if (type === 'system') readSystem(reading, record, speaker)
  else readAttachment(reading, record, speaker)
}

/** Messages of a subagent inside `progress` records (2.1.12 to 2.1.81), if its own file is not available. */
function readProgress(reading: Reading, record: JsonObject): void {
  const { out } = reading
  const data = asObject(record.data)
  const agent = asText(data?.agentId)
  if (data?.type !== 'agent_progress' || agent === undefined) {
    out.absorb('progress')
    return
  }
  if (out.files.some((name) => agentOfFile(name) === agent)) {
    out.absorb("in the subagent's own file")
    return
  }
  out.absorb('progress repeated')
  const listed = asList(data.normalizedMessages)
  const messages = listed.length > 0 ? listed : [data.message]
  const callId = asText(record.parentToolUseID)
  for (const value of messages) {
    const message = asObject(value)
    const type = message?.type
    if (message === undefined || (type !== 'user' && type !== 'assistant')) continue
    if (isRepeated(reading, message, type)) continue
    reading.agents.begin(agent, promptOf(message), reading.place, callId)
    readTreeRecord(reading, message, type, { agent, byAgent: true })
  }
}
