import { TenfoldError } from '../errors.ts'
import { readSession } from '../readers/read-session.ts'
import * as json from '../session/json.ts'
import { known } from '../session/known.ts'
import type { Session } from '../session/session.ts'
import { dumpPaths } from './dump-keys.ts'
import type { HaltDump } from './stored-dumps.ts'

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

export async function readHalted({ parts, faults }: HaltDump): Promise<HaltedRun> {
  const execution = Buffer.from(parts.get(dumpPaths.execution) ?? []).toString()
  const fields = json.fields(json.parse(execution))
  const conversation = parts.get(dumpPaths.conversation)
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
    ...(conversation && (await readConversation(conversation))),
    warnings: faults.map(({ message }) => message),
  }
}

async function readConversation(bytes: Uint8Array): Promise<Pick<HaltedRun, 'session' | 'lines'>> {
  try {
    return { session: await readSession(bytes) }
  } catch (error) {
    if (!TenfoldError.isInstance(error)) throw error
    const lines = Buffer.from(bytes).toString().split('\n')
    return { lines: lines.filter((line) => line !== '').slice(-maxLines) }
  }
}
