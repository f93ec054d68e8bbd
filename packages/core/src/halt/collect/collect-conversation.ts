import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Redaction } from '@tenfold/redact'
import { LogReadError, messageOf } from '../../errors.ts'
import { decodeLog, defaultMaxLogBytes } from '../../readers/log/decode-log.ts'
import { type LogInput, openLog } from '../../readers/open-log.ts'
import { promptLogReader } from '../../readers/prompt-log.ts'
import { readSession } from '../../readers/read-session.ts'
import { framingOf } from '../../readers/reader/detect.ts'
import { sessionToJsonl } from '../../readers/tenfold.ts'
import { throughLines } from '../../redact/redact-lines.ts'
import { redactSession } from '../../redact/redact-session.ts'
import { readRegularFile } from '../../regular-file.ts'
import { cutHead } from '../../session/cut-text.ts'
import type { ToolCallEvent } from '../../session/event.ts'
import { known } from '../../session/known.ts'
import type { Session } from '../../session/session.ts'
import { encodeJson } from '../../storage/stored-json.ts'
import { joinToolUses } from '../../tools/tool-uses.ts'
import type { DumpNote } from '../dump-schema.ts'
import type { DumpHaltOptions, HaltedAgent } from '../halt.ts'

export interface HaltedConversation {
  /** Absent if the format is not known. */
  readonly session?: Session
  redacted(redaction: Redaction): Promise<Uint8Array> | Uint8Array
}

/**
 * Reads the conversation of an agent. The lines of a prompt log, which its orchestrator reads again, keep all their
 * fields, and so does a log of an unknown format, with a note. Throws {@link LogReadError}.
 */
export async function collectConversation(
  conversation: NonNullable<HaltedAgent['conversation']>,
  note: (note: DumpNote) => void,
  { signal, maxLogBytes }: Pick<DumpHaltOptions, 'signal' | 'maxLogBytes'>,
): Promise<HaltedConversation> {
  if (isList(conversation)) {
    const turns = conversation.map((turn) => plainJson(turn, note))
    const session = await readSession({ parsed: turns }, { signal }).catch((error: unknown) => {
      if (error instanceof LogReadError) return undefined
      throw error
    })
    const lines = (clean: readonly unknown[]) => clean.map((turn) => `${JSON.stringify(turn)}\n`)
    return { ...known({ session }), redacted: (redaction) => joined(lines(redaction.redactValue(turns))) }
  }
  if (isSession(conversation)) return ofSession(conversation)
  const log = isStream(conversation) ? await buffer(conversation) : conversation
  try {
    const open = await openLog(log, { maxLogBytes })
    const session = await readSession(open, { signal })
    const [file] = open.files
    const isKept =
      session.format === promptLogReader.name && framingOf(promptLogReader, open.head) === 'lines'
    if (!isKept || file === undefined) return ofSession(session)
    return { session, ...ofLog(await buffer(decodeLog(file, () => {}))) }
  } catch (error) {
    if (!(error instanceof LogReadError) || error.code !== 'unknown-format') throw error
    note({ code: 'conversation-raw', message: `the conversation is kept as it was given: ${error.message}` })
    return ofLog(await rawBytes(log))
  }
}

function ofSession(session: Session): HaltedConversation {
  return { session, redacted: (redaction) => joined(sessionToJsonl(redactSession(session, redaction))) }
}

function ofLog(bytes: Uint8Array): HaltedConversation {
  return {
    redacted(redaction) {
      const clean = (text: string) => redaction.redact(text, { keepLines: true, learned: true })
      return buffer(throughLines(Readable.from([bytes]), clean))
    },
  }
}

async function rawBytes(log: LogInput): Promise<Uint8Array> {
  if (log instanceof Uint8Array) return log
  if (!(log instanceof URL || typeof log === 'string')) return encodeJson(plainJson(log))
  const path = log instanceof URL ? fileURLToPath(log) : log
  return await readRegularFile(path, { maxBytes: defaultMaxLogBytes })
}

function joined(lines: Iterable<string>): Uint8Array {
  return Buffer.concat(Array.from(lines, (line) => Buffer.from(line)))
}

function isList(value: LogInput | Session | readonly unknown[]): value is readonly unknown[] {
  return Array.isArray(value)
}

function isSession(value: LogInput | Session): value is Session {
  return typeof value === 'object' && 'events' in value && 'format' in value && 'source' in value
}

function isStream(value: LogInput): value is Extract<LogInput, AsyncIterable<unknown>> {
  return typeof value === 'object' && Symbol.asyncIterator in value
}

type CallFields = 'callId' | 'agent' | 'turn' | 'time' | 'name' | 'kind' | 'input'

/** An entry of `agent/tool-calls.json`. */
export interface ToolCallRecord extends Pick<ToolCallEvent, CallFields> {
  /** Id of the event that holds the whole call. */
  readonly event: string
  /** `null` if there was none before the halt. `text` is the beginning, and `characters` the length of the whole text. */
  readonly result: {
    readonly event: string
    readonly status: string
    readonly exitCode?: number
    readonly characters: number
    readonly text: string
  } | null
}

export function toolCallRecords({ events }: Session): ToolCallRecord[] {
  return joinToolUses(events).map(({ call, result }) => {
    const { id: event, callId, agent, turn, time, name, kind, input } = call
    const { id = '', status = '', exitCode, text = '' } = result ?? {}
    const ended = { event: id, status, ...known({ exitCode }), characters: text.length }
    return {
      ...{ event, callId, agent, turn, ...known({ time }), name, kind, input },
      result: result === undefined ? null : { ...ended, text: cutHead(text, 2000) },
    }
  })
}

/** Deeper values overflow the stack of code that walks them. */
const deepest = 100

/**
 * Converts any value to plain JSON, so that no input makes a dump fail: errors with their causes, maps and sets as
 * lists, big integers as text. A value without a JSON form, a cyclic one or one deeper than 100 levels is replaced by a
 * text with the reason.
 */
export function plainJson(value: unknown, note: (note: DumpNote) => void = () => {}): unknown {
  const above = new Set<object>()
  const lost = (message: string): string => {
    note({ code: 'value-replaced', message })
    return `[${message}]`
  }
  const walk = (item: unknown, depth: number): unknown => {
    if (typeof item === 'string') return item.toWellFormed()
    if (typeof item === 'bigint' || (typeof item === 'number' && !Number.isFinite(item))) return String(item)
    if (typeof item === 'function' || typeof item === 'symbol') return lost(`a ${typeof item}`)
    if (typeof item !== 'object' || item === null) return item
    if (above.has(item)) return lost('a value that holds itself')
    if (depth > deepest) return lost(`a value deeper than ${deepest} levels`)
    above.add(item)
    try {
      return walkObject(item, depth + 1)
    } catch (error) {
      return lost(`a value that cannot be read: ${messageOf(error)}`)
    } finally {
      above.delete(item)
    }
  }
  const walkObject = (item: object, depth: number): unknown => {
    if (item instanceof Error) {
      const { name, message, stack, cause } = item
      return walk({ ...{ name, message, stack, cause }, ...Object.fromEntries(Object.entries(item)) }, depth)
    }
    if (item instanceof Map || item instanceof Set) return walk([...item], depth)
    if (item instanceof Uint8Array) return `base64:${Buffer.from(item).toString('base64')}`
    if ('toJSON' in item && typeof item.toJSON === 'function') return walk(item.toJSON(), depth)
    if (Array.isArray(item)) return Array.from(item, (child: unknown) => walk(child, depth) ?? null)
    const entries = Object.entries(item).map(([key, child]) => [key.toWellFormed(), walk(child, depth)])
    // `fromEntries` defines properties, so that `__proto__` is an ordinary key.
    return Object.fromEntries(entries.filter(([, child]) => child !== undefined))
  }
  return walk(value, 0)
}
