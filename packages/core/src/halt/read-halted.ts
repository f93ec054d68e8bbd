import { TenfoldError } from '../errors.ts'
import { readSession } from '../readers/read-session.ts'
import * as json from '../session/json.ts'
import type { Session } from '../session/session.ts'
import { dumpPaths } from './dump-keys.ts'
import type { HaltDump } from './stored-dumps.ts'

export type HaltedRun = Awaited<ReturnType<typeof readHalted>>

const maxLines = 20

export async function readHalted({ parts, faults }: HaltDump) {
  const execution = Buffer.from(parts.get(dumpPaths.execution) ?? []).toString()
  const fields = json.fields(json.parse(execution))
  return {
    prompt: json.text(fields.prompt),
    response: json.text(fields.response),
    stdout: json.text(fields.stdout),
    stderr: json.text(fields.stderr),
    exitSignal: json.text(fields.exitSignal),
    exitCode: fields.exitCode === null ? null : json.number(fields.exitCode),
    durationMs: json.number(fields.durationMs),
    ...(await readConversation(parts.get(dumpPaths.conversation))),
    warnings: faults.map(({ message }) => message),
  }
}

/** Returns the session of a conversation that is a readable log, otherwise its last lines as given. */
async function readConversation(
  bytes: Uint8Array | undefined,
): Promise<{ readonly session?: Session; readonly lines?: readonly string[] }> {
  if (bytes === undefined) return {}
  try {
    return { session: await readSession(bytes) }
  } catch (error) {
    if (!TenfoldError.isInstance(error)) throw error
    const lines = Buffer.from(bytes).toString().split('\n')
    return { lines: lines.filter((line) => line !== '').slice(-maxLines) }
  }
}
