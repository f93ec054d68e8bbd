import type { DumpNote } from '../dump-schema.ts'
import type { Halt } from '../halt.ts'
import { plainJson } from './plain-json.ts'

/** Content of `supervisor/state-snapshot.json`. */
export interface StateSnapshot {
  readonly stateKey?: string
  readonly state: unknown
}

/** Reads the supervisor's state. Throws if that fails, takes longer than `timeout`, or finds nothing. */
export async function collectState(
  { stateKey, readState }: Pick<Halt, 'stateKey' | 'readState'>,
  timeout: number,
  note: (note: DumpNote) => void,
  signal: AbortSignal | undefined,
): Promise<StateSnapshot | undefined> {
  if (readState === undefined) return undefined
  const timer = new AbortController()
  const both = signal === undefined ? timer.signal : AbortSignal.any([signal, timer.signal])
  const state = await within(
    timeout,
    () => timer.abort(),
    async () => await readState({ ...(stateKey !== undefined && { stateKey }), signal: both }),
    signal,
  )
  if (state === undefined || state === null)
    throw new Error(`the state store holds nothing${stateKey === undefined ? '' : ` under ${stateKey}`}`)
  return { ...(stateKey !== undefined && { stateKey }), state: plainJson(parsed(state), note) }
}

/** Parses a text of JSON into its value if nothing gets lost: a long number would. */
function parsed(state: unknown): unknown {
  if (typeof state !== 'string') return state
  try {
    const value: unknown = JSON.parse(state)
    return JSON.stringify(value) === state.trim() ? value : state
  } catch {
    // Not JSON, or too deep for it: the text itself is kept.
    return state
  }
}

async function within<T>(
  timeout: number,
  onLate: () => void,
  run: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  let stop: (() => void) | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      onLate()
      reject(new Error(`it gave no answer within ${timeout} ms`))
    }, timeout)
    stop = () => reject(signal?.reason)
    signal?.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([run(), late])
  } finally {
    clearTimeout(timer)
    if (stop !== undefined) signal?.removeEventListener('abort', stop)
  }
}
