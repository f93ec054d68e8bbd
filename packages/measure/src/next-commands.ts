import type { ContextBundle, Session } from '@tenfold/core'
import { callsOf } from './facts/derive-facts.ts'
import { squeeze } from './quote.ts'

/**
 * Why a next command may be in a bundle. `failing`: its last run failed. `proposed`: a turn of the user or the agent
 * names it after its last run. `unfinished`: it was called and the log holds no result. `repeated`: it succeeded and a
 * later turn names it, as a proposal or as a report, which needs review. `neither`: it should not be there.
 */
export type CommandReason = 'failing' | 'proposed' | 'unfinished' | 'repeated' | 'neither'

export interface NextCommand {
  readonly command: string
  readonly reason: CommandReason
}

/** Checks every command of a bundle's next steps by the log alone, without what core computes. */
export function nextCommands(bundle: ContextBundle, session: Session): NextCommand[] {
  return bundle.nextSteps.flatMap(({ command }) =>
    command === undefined ? [] : [{ command, reason: reasonFor(command, session) }],
  )
}

function reasonFor(command: string, session: Session): CommandReason {
  const wanted = squeeze(command)
  const place = new Map(session.events.map((event, at) => [event, at]))
  const last = callsOf(session).findLast(
    // The text of a written file may contain the command.
    ({ call }) => call.kind !== 'edit' && runs(stringsOf(call.input), wanted),
  )
  const ranAt = last === undefined ? -1 : (place.get(last.call) ?? -1)
  const named = session.events.some(
    (event, at) =>
      at > ranAt &&
      (event.type === 'user' || event.type === 'assistant') &&
      squeeze(event.text).includes(wanted),
  )
  if (last === undefined) return named ? 'proposed' : 'neither'
  const { result } = last
  if (result === undefined || result.status === 'cancelled') return 'unfinished'
  if (result.status === 'denied') return named ? 'proposed' : 'neither'
  const failed =
    result.status === 'error' || (result.exitCode ?? 0) !== 0 || failedOutput.test(result.text.slice(-4000))
  if (failed) return 'failing'
  return named ? 'repeated' : 'neither'
}

/** Whether one of the texts, or a line of one, runs the whole command, alone or with others. */
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

/** The strings of a call's arguments: tools have many names for the one with the command. */
function stringsOf(input: unknown): string[] {
  if (typeof input === 'string') return [input]
  if (typeof input !== 'object' || input === null) return []
  const values: unknown[] = Object.values(input)
  return values.flatMap((value) => {
    if (typeof value === 'string') return [value]
    return Array.isArray(value) ? [...value.map(String), value.map(String).join(' ')] : []
  })
}

/** Closing words of compilers, test runners and shells that failed. */
const failedOutput =
  /\b[1-9]\d* (?:failed|failing|failures?|errors?)\b|^(?:FAIL|FAILED|ERROR)\b|\berror(?:\[\w{1,20}\]| TS\d{1,6})?: |^\W{0,4}[A-Z]\w{0,40}(?:Error|Exception): |\b(?:build|compilation) (?:error|failed)\b|command not found|: No such file or directory|Traceback \(most recent|^make: \*\*\*|exit(?:ed with)? (?:code|status):? [1-9]/im
