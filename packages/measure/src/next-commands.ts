import type { ContextBundle, Session } from '@tenfold/core'
import type { Steps } from '@tenfold/core/internal'
import { callsOf } from './facts/derive-facts.ts'
import { squeeze } from './quote.ts'

/**
 * Why a next command may be in a bundle. `failing`: its last run failed. `proposed`: a turn of the user or the agent
 * names it after its last run. `unfinished`: it was called, but the log has no result. `repeated`: it succeeded and a
 * later turn names it as a proposal or a report, which needs review. `neither`: it should not be in the bundle.
 */
export type CommandReason = 'failing' | 'proposed' | 'unfinished' | 'repeated' | 'neither'

export interface NextCommand {
  readonly command: string
  readonly reason: CommandReason
}

/** Checks every command in a bundle's next steps against the log, without using core's results. */
export function* nextCommands(bundle: ContextBundle, session: Session): Steps<NextCommand[]> {
  const checked: NextCommand[] = []
  for (const { command } of bundle.nextSteps)
    if (command !== undefined) checked.push({ command, reason: yield* reasonFor(command, session) })
  return checked
}

function* reasonFor(command: string, session: Session): Steps<CommandReason> {
  const wanted = squeeze(command)
  // Edits are left out, because a written file's text may contain the command.
  const last = yield* lastOf(callsOf(session), ({ call }) =>
    call.kind !== 'edit' ? runs(stringsOf(call.input), wanted) : false,
  )
  const ranAt = last === undefined ? -1 : session.events.indexOf(last.call)
  const naming = yield* lastOf(session.events.slice(ranAt + 1), (event) =>
    event.type === 'user' || event.type === 'assistant' ? squeeze(event.text).includes(wanted) : false,
  )
  const named = naming !== undefined
  if (last === undefined) return named ? 'proposed' : 'neither'
  const { result } = last
  if (result === undefined || result.status === 'cancelled') return 'unfinished'
  if (result.status === 'denied') return named ? 'proposed' : 'neither'
  const failed =
    result.status === 'error' || (result.exitCode ?? 0) !== 0 || failedOutput.test(result.text.slice(-4000))
  if (failed) return 'failing'
  return named ? 'repeated' : 'neither'
}

function* lastOf<T>(all: readonly T[], isIt: (one: T) => boolean): Steps<T | undefined> {
  for (const one of all.toReversed()) {
    yield
    if (isIt(one)) return one
  }
  return undefined
}

/** Whether a text, or a line of it, runs the whole command, alone or among others. */
function runs(texts: readonly string[], wanted: string): boolean {
  return texts
    .flatMap((text) => [text, ...text.split('\n')])
    .map(squeeze)
    .some((line) => {
      for (let at = line.indexOf(wanted); at !== -1; at = line.indexOf(wanted, at + 1)) {
        const before = line.slice(Math.max(0, at - 1), at)
        const after = line.slice(at + wanted.length, at + wanted.length + 3)
        if (/^[\s;&|("'`]?$/.test(before) && /^ ?(?:$|[;&|)<>"'`]|\d>)/.test(after)) return true
      }
      return false
    })
}

/** All strings in a call's arguments, because tools name the command's argument differently. */
function stringsOf(input: unknown): string[] {
  if (typeof input === 'string') return [input]
  if (typeof input !== 'object' || input === null) return []
  const values: unknown[] = Object.values(input)
  return values.flatMap((value) => {
    if (typeof value === 'string') return [value]
    return Array.isArray(value) ? [...value.map(String), value.map(String).join(' ')] : []
  })
}

/** Final output of failed compilers, test runners and shells. */
const failedOutput =
  /\b[1-9]\d* (?:failed|failing|failures?|errors?)\b|^(?:FAIL|FAILED|ERROR)\b|\berror(?:\[\w{1,20}\]| TS\d{1,6})?: |^\W{0,4}[A-Z]\w{0,40}(?:Error|Exception): |\b(?:build|compilation) (?:error|failed)\b|command not found|: No such file or directory|Traceback \(most recent|^make: \*\*\*|exit(?:ed with)? (?:code|status):? [1-9]/im
