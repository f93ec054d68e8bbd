import { TenfoldError } from '../errors.ts'
import { readSession } from '../readers/read-session.ts'
import { asNumber, asText, fieldsOf, parseJson } from '../session/json-values.ts'
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
  const warnings = dump.faults.map((fault) => fault)
  const part = async (path: string): Promise<Uint8Array | undefined> => {
    try {
      return await dump.read(path)
    } catch (error) {
      if (!TenfoldError.isInstance(error)) throw error
      warnings.push(error.message)
      return undefined
    }
  }
  const execution = await part(dumpPaths.execution)
  const conversation = await part(dumpPaths.conversation)
  if (dump.state === 'incomplete')
    warnings.push(`the halt dump ${dump.haltId} was cut off: what it has is not checked`)
  return {
    ...executionFields(execution),
    ...(conversation === undefined ? {} : await readConversation(conversation)),
    warnings,
  }
}

/** A file that was cut off has no fields to show. */
function executionFields(bytes: Uint8Array | undefined): Partial<HaltedRun> {
  const fields = fieldsOf(bytes && parseJson(Buffer.from(bytes).toString('utf8')))
  return known<Partial<HaltedRun>>({
    prompt: asText(fields.prompt),
    response: asText(fields.response),
    stdout: asText(fields.stdout),
    stderr: asText(fields.stderr),
    exitSignal: asText(fields.exitSignal),
    exitCode: fields.exitCode === null ? null : asNumber(fields.exitCode),
    durationMs: asNumber(fields.durationMs),
  })
}

async function readConversation(bytes: Uint8Array): Promise<Pick<HaltedRun, 'session' | 'lines'>> {
  try {
    return { session: await readSession(bytes) }
  } catch (error) {
    if (!TenfoldError.isInstance(error)) throw error
    const lines = Buffer.from(bytes).toString('utf8').split('\n')
    return { lines: lines.filter((line) => line !== '').slice(-maxLines) }
  }
}
