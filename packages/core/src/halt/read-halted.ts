import { TenfoldError } from '../errors.ts'
import { readSession } from '../readers/read-session.ts'
import * as json from '../session/json.ts'
import { known } from '../session/known.ts'
import type { Session } from '../session/session.ts'
import { dumpPaths } from './dump-keys.ts'
import type { HaltDump } from './read-dump.ts'

/** The parts of a dump that are needed first to continue; missing or damaged ones are warnings. */
export interface HaltedRun {
  readonly prompt?: string
  readonly response?: string
  readonly stdout?: string
  readonly stderr?: string
  readonly exitCode?: number | null
  readonly exitSignal?: string
  readonly durationMs?: number
  /** The conversation, if it was a readable log or a session. */
  readonly session?: Session
  /** The last lines of any other conversation, as given. */
  readonly lines?: readonly string[]
  readonly warnings: readonly string[]
}

const maxLines = 20

/** Reads conversation and last execution of a dump. Throws only the storage's errors other than damage. */
export async function readHalted(dump: HaltDump): Promise<HaltedRun> {
  const warnings = [...dump.faults]
  const part = async (path: string): Promise<Buffer | undefined> => {
    try {
      const bytes = await dump.read(path)
      return bytes && Buffer.from(bytes)
    } catch (error) {
      if (!TenfoldError.isInstance(error)) throw error
      warnings.push(error.message)
      return undefined
    }
  }
  const execution = await part(dumpPaths.execution)
  // A file that was cut off has no fields to show.
  const fields = json.fields(execution && json.parse(execution.toString('utf8')))
  const conversation = await part(dumpPaths.conversation)
  if (dump.state === 'incomplete')
    warnings.push(`the halt dump ${dump.haltId} was cut off: what it has is not checked`)
  return {
    ...known<Partial<HaltedRun>>({
      prompt: json.text(fields.prompt),
      response: json.text(fields.response),
      stdout: json.text(fields.stdout),
      stderr: json.text(fields.stderr),
      exitSignal: json.text(fields.exitSignal),
      exitCode: fields.exitCode === null ? null : json.number(fields.exitCode),
      durationMs: json.number(fields.durationMs),
    }),
    ...(conversation === undefined ? {} : await readConversation(conversation)),
    warnings,
  }
}

async function readConversation(bytes: Buffer): Promise<Pick<HaltedRun, 'session' | 'lines'>> {
  try {
    return { session: await readSession(bytes) }
  } catch (error) {
    if (!TenfoldError.isInstance(error)) throw error
    const lines = bytes.toString('utf8').split('\n')
    return { lines: lines.filter((line) => line !== '').slice(-maxLines) }
  }
}
