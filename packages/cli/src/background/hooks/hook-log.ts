import { appendFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { statePlace } from '../../state/state-folder.ts'
import { toSafeJson } from '../../terminal/json-output.ts'

const largestLog = 1_000_000
const maxTextLength = 1_000

/** Never throws: a hook that cannot write its log reports that on stderr, which agents do not show. */
export function logHook(fields: Readonly<Record<string, unknown>>): void {
  try {
    const path = join(statePlace(), 'hooks.log')
    keepSmall(path)
    const line = JSON.parse(JSON.stringify({ at: new Date().toISOString(), ...fields }, shortened))
    appendFileSync(path, `${toSafeJson(line)}\n`, { mode: 0o600 })
  } catch (error) {
    process.stderr.write(`tenfold: hooks.log cannot be written: ${toSafeJson(String(error))}\n`)
  }
}

/** Cuts long values: a hostile path or name must not push everything else out of the log. */
function shortened(_: string, value: unknown): unknown {
  return typeof value === 'string' && value.length > maxTextLength
    ? `${value.slice(0, maxTextLength)}…`
    : value
}

export function keepSmall(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size > largestLog) renameSync(path, `${path}.1`)
}
