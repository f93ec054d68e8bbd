import { TenfoldError } from '../../errors.ts'
import type { EventDraft, SessionEvent, SourcePosition } from '../../session/event.ts'
import * as json from '../../session/json.ts'
import { known } from '../../session/known.ts'
import { logDigest, sessionDigest } from '../../session/log-digest.ts'
import type { Note } from '../../session/note.ts'
import type { Steps } from '../../session/pauses.ts'
import type { AgentNode, LogFileInfo, Session } from '../../session/session.ts'
import { sumUsage, totalUsage, type UsageEntry } from '../../session/usage.ts'
import { settleResults } from '../../shell/command-outcome.ts'
import { createLineAccount, type LineResult } from '../log/line-account.ts'
import { cutProgramBlocks, type ProgramPiece, splitBrief } from '../shared/program-blocks.ts'
import { titleText } from '../shared/values.ts'
import { agentId, eventFields } from './event-fields.ts'
import { createNoteList } from './note-list.ts'
import type { EventPlace, LogRecord, RowRange, SessionMeta, SessionWriter } from './reader.ts'

/** Methods by which the reading loop, rather than the reader, reports to the writer. */
export interface LineSink {
  /** Begins a record, to which everything found from now on belongs. `lines` is the number of its lines. @default 1 */
  begin(record: Pick<LogRecord, 'file' | 'line'>, lines?: number): void
  blank(): void
  lineNote(file: number, line: number, code: string, message: string): void
  /** Counts lines with a note but no record. @default 1 */
  lost(lines?: number): void
  skipped(lines: number, reason: string): void
  nextRange(): RowRange | undefined
}

type SessionBuilder = SessionWriter & LineSink & { finish(files: readonly LogFileInfo[]): Steps<Session> }

const main = 'main'
const synthetic = '<synthetic>'

/** Creates the {@link SessionWriter} of one reading. `files` are the names of the log's files, the main log first. */
export function createSessionWriter(options: {
  format: string
  files: readonly string[]
  sessionId?: string
  database?: boolean
  marksFailedCommands?: boolean
}): SessionBuilder {
  const { format, files, sessionId, database = false, marksFailedCommands = false } = options
  const written: SessionEvent[] = []
  const agents = new Map<string, AgentNode>([[main, { id: main }]])
  const undescribed = new Set<string>()
  const agentTurns = new Map<string, number>()
  const models = new Set<string>()
  const responses = new Map<string, UsageEntry>()
  const notes = createNoteList()
  const account = createLineAccount()
  const liveTurns: number[] = []
  const rewoundTurns = new Set<number>()
  // The last event of each turn, and for each event the previous one of its turn: a log may be rewound as often as it
  // has lines, and lists by turn would take more memory than the events.
  const lastOfTurn: number[] = []
  const beforeInTurn: number[] = []
  let copiedTo = 0
  const namedModels: string[] = []
  let meta: SessionMeta = {}
  let turn = 0
  let lastTurn = 0
  let images = 0
  let earliest: string | undefined
  let latest: string | undefined
  let current: { file: number; line: number; lines: number; result: LineResult } | undefined
  const ranges: RowRange[] = []
  // If readers hold back lines until the session is known, events come after their lines.
  const held = new Map<string, string>()

  function close(): void {
    if (current === undefined) return
    const { file, line, lines, result } = current
    const { event, other, note, absorbed } = result
    if (absorbed !== undefined && !event && !other && !note && lines === 1)
      held.set(`${file}:${line}`, absorbed)
    if (account.close(result, lines)) return
    addNote('unaccounted-record', 'the reader dropped this record without a note', file, line)
  }

  function addNote(code: string, message: string, file?: number, line?: number): void {
    notes.add(known<Note>({ code, message, file: file === undefined ? undefined : files[file], line }))
  }

  function turnOf(draft: EventDraft, agent: string): number {
    if (agent !== main)
      return agentTurns.get(agent) ?? agentTurns.get(agents.get(agent)?.parent ?? main) ?? turn
    if (draft.type === 'user') {
      lastTurn++
      turn = lastTurn
      liveTurns.push(turn)
    }
    return turn
  }

  function event(given: EventDraft, at?: EventPlace): SessionEvent {
    const fields = eventFields(given as unknown as json.Fields)
    if (typeof fields === 'string') {
      const has = Object.keys(given).join(', ')
      const fault = `The reader ${format} wrote an event that is none: ${fields}; it has ${has}.`
      throw new TenfoldError('bad-event', fault)
    }
    const time = json.time(given.time)
    if (given.type !== 'user') return write(fields, time, at)
    const { images } = fields
    const prompt = splitBrief(given.text)
    const { blocks, words } = cutProgramBlocks(prompt?.words ?? given.text)
    const context = (block: ProgramPiece): SessionEvent => {
      const { type: _, origin: _origin, text: _text, images: _images, ...by } = fields
      return write({ ...by, ...block }, time, at)
    }
    if (prompt !== undefined)
      context({ type: 'context', origin: 'harness', name: 'brief', text: prompt.brief })
    const last = blocks.map(context).at(-1)
    const isEmpty = words === '' && prompt === undefined && images === undefined
    if (last !== undefined && isEmpty) return last
    fields.text = words
    return write(fields, time, at)
  }

  function write(fields: Record<string, unknown>, time: string | undefined, at: EventPlace | undefined) {
    const draft = fields as unknown as EventDraft
    const agent = agentId(draft.agent ?? main)
    if ('child' in draft) fields.child = agentId(draft.child)
    if (!agents.has(agent)) {
      agents.set(agent, { id: agent, parent: main })
      undescribed.add(agent)
    }
    const place = at ?? current ?? { file: 0, line: 0 }
    const counted = turnOf(draft, agent)
    const eventTurn = at?.turn ?? counted
    if (agent === main && draft.type === 'user') lastTurn = turn = eventTurn
    if (agent !== main && !agentTurns.has(agent)) agentTurns.set(agent, eventTurn)
    if (draft.type === 'subagent_start' && !agentTurns.has(draft.child))
      agentTurns.set(draft.child, eventTurn)
    fields.id = `e${written.length + 1}`
    fields.agent = agent
    fields.turn = eventTurn
    if (time !== undefined) fields.time = time
    if (rewoundTurns.has(eventTurn)) fields.inContext = false
    fields.source = { file: place.file, line: place.line }
    const event = fields as unknown as SessionEvent
    beforeInTurn.push(lastOfTurn[eventTurn] ?? -1)
    lastOfTurn[eventTurn] = written.length
    written.push(event)
    if (time !== undefined && (earliest === undefined || json.isBefore(time, earliest))) earliest = time
    if (time !== undefined && (latest === undefined || json.isBefore(latest, time))) latest = time
    if ('model' in event && event.model !== undefined) useModel(event.model)
    if ('images' in event) images += event.images ?? 0
    countEvent(place, draft.type === 'other' ? 'other' : 'event')
    return event
  }

  /** Counts an event for the current record, or for its own line if that was absorbed until later. */
  function countEvent({ file, line }: SourcePosition, result: 'event' | 'other'): void {
    const isCurrent = current?.file === file && current.line === line
    const reason =
      current?.result.absorbed === undefined || isCurrent ? undefined : held.get(`${file}:${line}`)
    if (reason !== undefined) {
      held.delete(`${file}:${line}`)
      account.move(reason, result === 'event' ? 'events' : 'other')
    } else if (current !== undefined) current.result[result] = true
  }

  function useModel(model: string): void {
    if (model !== '' && model !== 'unknown' && model !== synthetic) models.add(model)
  }

  function rewind(turns: number): number {
    const dropped = liveTurns.splice(Math.max(0, liveTurns.length - Math.max(0, Math.floor(turns))))
    for (const number of dropped) {
      rewoundTurns.add(number)
      for (let index = lastOfTurn[number] ?? -1; index >= 0; index = beforeInTurn[index] ?? -1) {
        const event = written[index]
        if (event !== undefined) written[index] = { ...event, inContext: false }
      }
    }
    turn = liveTurns.at(-1) ?? 0
    return dropped.length
  }

  function copied(): number {
    let marked = 0
    for (; copiedTo < written.length; copiedTo++) {
      const event = written[copiedTo] as SessionEvent
      if (event.copied === true) continue
      written[copiedTo] = { ...event, copied: true }
      marked++
    }
    return marked
  }

  return {
    files,
    copied,
    ...(sessionId !== undefined && { sessionId }),
    event,
    rewind,
    note(code, message, at) {
      if (at !== undefined) notes.add({ ...at, code, message })
      else addNote(code, message, current?.file, current?.line)
      if (at === undefined && current !== undefined) current.result.note = true
    },
    absorb(reason) {
      if (current !== undefined) current.result.absorbed ??= reason
    },
    meta({ models: named = [], ...given }) {
      const { title: titled, ...first } = known<SessionMeta>(given)
      const title = titleText(titled)
      if (namedModels.length === 0) namedModels.push(...json.texts(named))
      meta = { ...first, ...meta, ...(title !== undefined && { title }) }
    },
    agent(given) {
      const node: AgentNode = {
        ...known<Partial<AgentNode>>(given),
        id: agentId(given.id),
        ...(given.parent !== undefined && { parent: agentId(given.parent) }),
      }
      agents.set(node.id, undescribed.delete(node.id) ? node : { ...node, ...agents.get(node.id) })
    },
    usage(responseKey, agent, model, usage) {
      const counts = Object.entries(usage).filter(([, count]) => json.count(count) !== undefined)
      if (model === synthetic || counts.length === 0) return
      useModel(model)
      responses.set(responseKey, { agent: agentId(agent), model, usage: Object.fromEntries(counts) })
    },
    begin({ file, line }, lines = 1) {
      // Two records joined on one line share one result.
      if (current?.file === file && current.line === line) return
      close()
      current = { file, line, lines, result: {} }
    },
    alsoRead: (range) => void ranges.push(range),
    nextRange: () => ranges.shift(),
    blank: () => account.blank(1),
    lineNote: (file, line, code, message) => addNote(code, message, file, line),
    lost: (lines = 1) => void account.close({ note: true }, lines),
    skipped(lines, reason) {
      if (lines > 0) account.close({ absorbed: reason }, lines)
    },
    *finish(fileInfos) {
      close()
      current = undefined
      const events = yield* settleResults(written, format, marksFailedCommands)
      const { outputTokens: counted = Infinity } = totalUsage([...responses.values()])
      const said = events.reduce((sum, event) => sum + (isSaid(event) ? event.text.length : 0), 0)
      if (said > leastSaid && said > counted * charactersOfPartial)
        addNote(
          'usage-partial',
          `the log states ${counted} output tokens, but its answers have ${said} characters: the real usage and cost are higher`,
        )
      const bytes = fileInfos.reduce((sum, file) => sum + file.bytes, 0)
      const counts = { images, account: account.total() }
      const sha256 = database ? sessionDigest(meta.id ?? '', events) : logDigest(fileInfos)
      return {
        format,
        ...meta,
        id: meta.id ?? sha256.slice(0, 16),
        ...known({ startedAt: earliest, endedAt: latest }),
        models: [...new Set([...namedModels, ...models])],
        agents: [...agents.values()],
        events,
        usage: sumUsage(responses.values()),
        notes: notes.list(),
        source: { files: fileInfos, bytes, sha256, ...known({ database: database || undefined }), ...counts },
      }
    },
  }
}

// Versions of Claude Code log the usage with which a streamed answer begins: one to eight output tokens.
const leastSaid = 20_000
const charactersOfPartial = 8

function isSaid(event: SessionEvent): event is Extract<SessionEvent, { type: 'assistant' | 'reasoning' }> {
  return (event.type === 'assistant' || event.type === 'reasoning') && event.copied !== true
}
