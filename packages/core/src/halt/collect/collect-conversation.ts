import { fileURLToPath } from 'node:url'
import { LogReadError } from '../../errors.ts'
import { decodeLog } from '../../readers/log/decode-log.ts'
import { defaultMaxLogBytes } from '../../readers/log/unpack-limit.ts'
import { type LogInput, openLog } from '../../readers/open-log.ts'
import { promptLogReader } from '../../readers/prompt-log.ts'
import { readSession } from '../../readers/read-session.ts'
import { framingOf } from '../../readers/reader/detect.ts'
import { readRegularFile } from '../../regular-file.ts'
import { cutHead } from '../../session/cut-text.ts'
import { known } from '../../session/known.ts'
import type { Session } from '../../session/session.ts'
import { encodeJson } from '../../storage/stored-json.ts'
import { joinToolUses } from '../../tools/tool-uses.ts'
import type { DumpNote } from '../dump-schema.ts'
import type { DumpHaltOptions, HaltedAgent } from '../halt.ts'

import { plainJson } from './plain-json.ts'

/**
 * A conversation in the form for a dump: a session, with the text of its log if that is what the dump keeps; turns as
 * given, with the session in them if they are of a known format; or a log of an unknown format.
 */
export type HaltedConversation =
  | { readonly form: 'session'; readonly session: Session; readonly log?: Uint8Array }
  | { readonly form: 'turns'; readonly turns: readonly unknown[]; readonly session?: Session }
  | { readonly form: 'raw'; readonly bytes: Uint8Array }

/**
 * Reads the conversation of an agent. The lines of a prompt log, which its orchestrator reads again, are kept with all
 * their fields, and so is a log of an unknown format, with a note. Throws {@link LogReadError}.
 */
export async function collectConversation(
  conversation: HaltedAgent['conversation'],
  note: (note: DumpNote) => void,
  { signal, maxLogBytes }: Pick<DumpHaltOptions, 'signal' | 'maxLogBytes'>,
): Promise<HaltedConversation | undefined> {
  if (conversation === undefined) return undefined
  if (isList(conversation)) {
    const turns = conversation.map((turn) => plainJson(turn, note))
    return { form: 'turns', turns, ...known({ session: await sessionOf(turns, signal) }) }
  }
  if (isSession(conversation)) return { form: 'session', session: conversation }
  const log = isStream(conversation) ? await allBytes(conversation) : conversation
  try {
    const open = await openLog(log, { maxLogBytes })
    const session = await readSession(open, { signal })
    const [file] = open.files
    const keeps = session.format === promptLogReader.name && framingOf(promptLogReader, open.head) === 'lines'
    if (!keeps || file === undefined) return { form: 'session', session }
    return { form: 'session', session, log: await allBytes(decodeLog(file, () => {})) }
  } catch (error) {
    if (!(error instanceof LogReadError) || error.code !== 'unknown-format') throw error
    note({ code: 'conversation-raw', message: `the conversation is kept as it was given: ${error.message}` })
    return { form: 'raw', bytes: await rawBytes(log) }
  }
}

async function sessionOf(
  turns: readonly unknown[],
  signal: AbortSignal | undefined,
): Promise<Session | undefined> {
  try {
    return await readSession({ parsed: turns }, { signal })
  } catch (error) {
    if (error instanceof LogReadError) return undefined
    throw error
  }
}

/** One line of `agent/tool-calls.json`. */
export interface ToolCallRecord {
  /** The event of the conversation that holds the whole call. */
  readonly event: string
  readonly callId: string
  readonly agent: string
  readonly turn: number
  readonly time?: string
  readonly name: string
  readonly kind: string
  readonly input: unknown
  /** `null` if the run was halted before there was one. */
  readonly result: {
    readonly event: string
    readonly status: string
    readonly exitCode?: number
    /** Characters of the whole text. */
    readonly characters: number
    /** Its beginning. */
    readonly text: string
  } | null
}

const maxResultText = 2000

/** Returns all tool calls of a session, in order, with the beginnings of their results. */
export function toolCallRecords({ events }: Session): ToolCallRecord[] {
  return joinToolUses(events).map(({ call, result }) => ({
    event: call.id,
    callId: call.callId,
    agent: call.agent,
    turn: call.turn,
    ...known({ time: call.time }),
    name: call.name,
    kind: call.kind,
    input: call.input,
    result:
      result === undefined
        ? null
        : {
            event: result.id,
            status: result.status,
            ...known({ exitCode: result.exitCode }),
            characters: result.text.length,
            text: cutHead(result.text, maxResultText),
          },
  }))
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

/** The bytes of a log of an unknown format. */
async function rawBytes(log: LogInput): Promise<Uint8Array> {
  if (log instanceof URL) return await readRegularFile(fileURLToPath(log), { maxBytes: defaultMaxLogBytes })
  if (typeof log === 'string') return await readRegularFile(log, { maxBytes: defaultMaxLogBytes })
  if (log instanceof Uint8Array) return log
  return encodeJson(plainJson(log))
}

async function allBytes(stream: AsyncIterable<Uint8Array | string>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const piece of stream) pieces.push(typeof piece === 'string' ? Buffer.from(piece) : piece)
  return Buffer.concat(pieces)
}
