import { cleanLine } from '../../session/clean-text.ts'
import { cutHead } from '../../session/cut-text.ts'
import * as json from '../../session/json.ts'
import type { LogRecord, SessionWriter } from '../reader/reader.ts'
import { byKind } from '../shared/by-kind.ts'
import { readAssistant, readUser } from './messages.ts'
import { beginAt, type Place, type Reading, startReading, writeCompaction } from './reading.ts'
import { agentOfFile, isStreamLine, recordOfStream } from './shapes.ts'
import { readAttachment, readQueueOperation, readSystem, writeWaiting } from './system-records.ts'

export async function readClaudeCode(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  const reading = startReading(out)
  for await (const record of records) readRecord(reading, record.value, record)
  const { titles, copies } = reading
  endFile(reading)
  if (copies.events > 0)
    out.note('copied-history', `${copies.events} events repeat the history of the parent session`)
  beginAt(reading, reading.place, undefined)
  if (reading.compaction !== undefined) writeCompaction(reading)
  writeWaiting(reading)
  const summary = reading.summaries.findLast(({ leaf }) => reading.records.has(leaf))?.title
  out.meta({ title: titles.custom ?? titles.ai ?? summary })
}

export async function readClaudeCodeDocuments(documents: AsyncIterable<LogRecord>, out: SessionWriter) {
  async function* listed(): AsyncGenerator<LogRecord> {
    for await (const document of documents) {
      const list = Array.isArray(document.value) ? document.value : json.list(document.value, 'loglines')
      for (const value of list) yield { ...document, value }
      if (list.length === 0) out.note('no-records', 'the document holds no list of records')
    }
  }
  await readClaudeCode(listed(), out)
}

function endFile(reading: Reading): void {
  const agent = agentOfPlace(reading)
  if (agent !== undefined) reading.agents.end(agent, reading.place)
}

function agentOfPlace({ out, place: { file } }: Reading): string | undefined {
  return file === 0 ? undefined : agentOfFile(out.files[file] ?? '')
}

function readRecord(reading: Reading, value: unknown, { file, line }: Place): void {
  const { out } = reading
  if (file !== reading.place.file) endFile(reading)
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
  'queue-operation': readQueueOperation,
  progress: readProgress,
  'user assistant system attachment': (reading, record, type) => {
    setSpeaker(reading, record)
    return readTreeRecord(reading, record, type)
  },
  // They describe the session, or copy for the harness what others hold (2.1.330).
  'file-history-snapshot file-history-delta last-prompt permission-mode mode': 'session metadata',
  'agent-name pr-link bridge-session frame-link atis-latch tools-used': 'session metadata',
  'api-request api-request-blob api-request-shape': 'copy of a request',
  'cost-state': 'sum of the usage',
})

/** A copy has the uuid, kind and time of a record already read. */
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
  const id = json.text(record.sessionId)
  reading.sessionId ??= id
  if (id !== undefined && id !== reading.sessionId && !reading.mixed) {
    reading.mixed = true
    out.note('mixed-sessions', `this log also holds records of another session, ${cleanLine(id)}`)
  }
  if (reading.agentVersion !== undefined) return
  const agentVersion = json.text(record.version)
  const branch = record.gitBranch === 'HEAD' ? undefined : json.text(record.gitBranch)
  reading.agentVersion = agentVersion
  out.meta({ id, agentVersion, cwd, branch })
}

function setSpeaker(reading: Reading, record: json.Fields): void {
  const { agents, place } = reading
  const agentId = json.text(record.agentId) ?? agentOfPlace(reading)
  if (record.isSidechain !== true && place.file === 0) return
  reading.byAgent = true
  const prompt = promptOf(record)
  // The log of a subagent alone: the session is about this subagent.
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
  const startsAnew = type === 'assistant' || (type === 'user' && record.isCompactSummary !== true)
  if (startsAnew && reading.agent === 'main' && reading.compaction !== undefined) writeCompaction(reading)
  if (type === 'user') return readUser(reading, record)
  if (type === 'assistant') return readAssistant(reading, record)
  return type === 'system' ? readSystem(reading, record) : readAttachment(reading, record)
}

/** Messages of a subagent inside `progress` records (2.1.12 to 2.1.81), if its own file is not available. */
function readProgress(reading: Reading, record: json.Fields): void {
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
}
