import { cleanLine } from '../../session/clean-text.ts'
import type { EventId } from '../../session/event.ts'
import type { Steps } from '../../session/pauses.ts'
import type { ShellRun } from '../../shell/shell-runs.ts'
import { shellOutput } from '../../shell/stated-outcome.ts'
import type { ToolUse } from '../../tools/tool-uses.ts'
import type { CommandFact, ErrorFact, FileFact } from '../facts.ts'
import type { PathNormalizer } from '../log-path.ts'
import {
  commandKeys,
  commandTargets,
  coversAll,
  editsOf,
  type FailureKind,
  failureKind,
  passedParts,
  reportedByGit,
  selectedNames,
  shareNames,
  shareTarget,
  toolKeys,
} from './error-keys.ts'
import { errorLines } from './error-lines.ts'

// Maximum runs of one check that are searched for one with the same targets.
const maxLater = 100

/** A call that ended, with the keys that match it with similar calls. */
interface Attempt {
  readonly index: number
  readonly use: ToolUse
  readonly event: EventId
  readonly keys: readonly string[]
  readonly command?: CommandFact
}

interface Failure extends Attempt {
  readonly kind: FailureKind
}

interface Attempts {
  /** By key, in order. */
  readonly successes: ReadonlyMap<string, readonly Attempt[]>
  /** Checks that showed no error at the end of their output, by key: whether they passed is unknown. */
  readonly silent: ReadonlyMap<string, readonly Attempt[]>
  readonly failures: readonly Failure[]
  readonly work: ReadonlyMap<string, readonly Attempt[]>
}

/**
 * Extracts failures and what became of them. Resolved: by a later success of the same command, of a check of the same
 * kind, of the same goal by any program, or of an edit to the same file. Left behind: if the work continued without it,
 * as after a lookup, a step that was done in another way, or a check that ran again. Otherwise the error is open.
 */
export function* errorSteps(
  uses: readonly ToolUse[],
  runs: ReadonlyMap<ToolUse, ShellRun>,
  commands: readonly CommandFact[],
  files: readonly FileFact[],
  normalize: PathNormalizer,
): Steps<ErrorFact[]> {
  const attempts = yield* attemptsOf(uses, runs, commands, normalize)
  const deleted = new Map(
    files.flatMap(({ path, status, lastEdit }) =>
      status === 'deleted' && lastEdit ? [[path, lastEdit]] : [],
    ),
  )
  const targetsOf = remembered((command: CommandFact) => commandTargets(command.command))
  const errors: ErrorFact[] = []
  for (const failure of attempts.failures) {
    yield
    const resolver = resolverOf(failure, attempts, targetsOf)
    const left = resolver === undefined ? leftBehind(failure, uses, attempts, targetsOf, deleted) : undefined
    if (resolver === undefined && left === 'nothing') continue
    errors.push({
      message: resolvedMerge(failure, attempts, normalize) ?? messageOf(failure),
      call: failure.use.call.id,
      event: failure.event,
      ...(resolver === undefined ? {} : { resolvedBy: resolver.event }),
      ...(resolver !== undefined && isNarrower(failure, resolver, targetsOf) ? { narrower: true } : {}),
      ...(left === undefined || left === 'nothing' ? {} : { leftBehind: left }),
    })
  }
  return errors
}

function* attemptsOf(
  uses: readonly ToolUse[],
  runs: ReadonlyMap<ToolUse, ShellRun>,
  commands: readonly CommandFact[],
  normalize: PathNormalizer,
): Steps<Attempts> {
  const commandOf = new Map(commands.map((command) => [command.call, command]))
  const successes = new Map<string, Attempt[]>()
  const silent = new Map<string, Attempt[]>()
  const work = new Map<string, Attempt[]>()
  const failures: Failure[] = []
  for (const [index, use] of uses.entries()) {
    yield
    const { call, result } = use
    if (result === undefined) continue
    const run = runs.get(use)
    const command = commandOf.get(call.id)
    const status = command?.status ?? use.outcome
    // Only events after a failure show what became of it.
    if (failures.length === 0 && status !== 'error') continue
    const own = command === undefined ? toolKeys(use, normalize) : commandKeys(command)
    const event = command?.result ?? result.id
    const about = { index, use, event, ...(command === undefined ? {} : { command }) }
    const output = run === undefined ? '' : shellOutput(result.text)
    const byGit = reportedByGit(run, output)
    for (const key of status === 'ok' ? [] : byGit) push(successes, key, { ...about, keys: byGit })
    if (status === 'ok') {
      const edits = editsOf(use, run, normalize)
      const attempt = {
        ...about,
        keys: [...new Set([...own, ...passedParts(run, output), ...byGit, ...edits])],
      }
      for (const key of attempt.keys) push(successes, key, attempt)
      const looks = failureKind(use, command, run) === 'look' && edits.length === 0
      if (!looks && call.kind !== 'think') push(work, call.agent, attempt)
    } else if (status === 'unknown') {
      // The run does not report success, but the same command did not show the error again.
      for (const key of own.slice(0, 1)) push(successes, key, { ...about, keys: own })
      if (showsEnd(run)) for (const key of own) push(silent, key, { ...about, keys: own })
    } else if (status === 'error') {
      failures.push({ ...about, keys: own, kind: failureKind(use, command, run) })
    }
  }
  return { successes, silent, failures, work }
}

/** Whether the output of a check, or its last lines, is shown unchanged, so that it would include a failure. */
function showsEnd(run: ShellRun | undefined): boolean {
  if (run === undefined || run.commands.some(({ joiner }) => joiner === '||')) return false
  const piped = run.commands.filter(({ joiner }) => joiner === '|')
  return piped.every(({ words }) => words[0] === 'tail' || /^select-object -last\b/i.test(words.join(' ')))
}

function push<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [item])
  else list.push(item)
}

type TargetsOf = (command: CommandFact) => readonly string[]

/** Returns the first success that covers all of the failure, otherwise the first that covers a part. */
function resolverOf(failure: Failure, { successes }: Attempts, targetsOf: TargetsOf): Attempt | undefined {
  const firstBy = (accept: (later: Attempt) => boolean) =>
    failure.keys
      .flatMap(
        (key) =>
          after(successes.get(key) ?? [], failure.index).find(
            (later) => isAfter(failure.use, later.use) && isLike(failure, later, targetsOf) && accept(later),
          ) ?? [],
      )
      .sort((a, b) => a.index - b.index)[0]
  return firstBy((later) => !isNarrower(failure, later, targetsOf)) ?? firstBy(() => true)
}

/** Whether a call is later. The log groups calls by agent, and agents work in parallel: between two, only times decide. */
function isAfter({ call: first }: ToolUse, { call: later }: ToolUse): boolean {
  if (first.agent === later.agent) return true
  return first.time !== undefined && later.time !== undefined && later.time > first.time
}

function leftBehind(
  failure: Failure,
  uses: readonly ToolUse[],
  { failures, silent, work }: Attempts,
  targetsOf: TargetsOf,
  deleted: ReadonlyMap<string, EventId>,
): EventId | 'nothing' | undefined {
  const { kind, index, use, keys, command } = failure
  if (kind === 'look' || kind === 'remark') return uses[index + 1]?.call.id ?? 'nothing'
  const done = kind === 'step' ? after(work.get(use.call.agent) ?? [], index)[0] : undefined
  if (done !== undefined) return done.event
  const shared = keys.filter((key) => /^(?:check|goal) /.test(key))
  const again = failures.find(
    (later) =>
      later.index > index &&
      (later.kind === 'check' || later.kind === 'goal') &&
      later.keys.some((key) => shared.includes(key)) &&
      isLike(failure, later, targetsOf),
  )
  if (again !== undefined) return again.event
  const quiet = shared
    .flatMap((key) => after(silent.get(key) ?? [], index))
    .find((later) => isAfter(use, later.use) && isLike(failure, later, targetsOf))
  if (quiet !== undefined) return quiet.event
  const script = command === undefined ? undefined : targetsOf(command).find((target) => deleted.has(target))
  return script === undefined ? undefined : deleted.get(script)
}

/** Whether checks are alike: they share a target and selected test names. */
function isLike({ command }: Failure, later: Attempt, targetsOf: TargetsOf): boolean {
  if (command?.purpose === undefined || later.command === undefined) return true
  return (
    shareTarget(targetsOf(command), targetsOf(later.command)) &&
    shareNames(namesOf(command), namesOf(later.command))
  )
}

function isNarrower({ command }: Failure, later: Attempt, targetsOf: TargetsOf): boolean {
  if (command?.purpose === undefined || later.command?.purpose === undefined) return false
  const before = namesOf(command)
  const names = namesOf(later.command)
  return (
    !coversAll(targetsOf(later.command), targetsOf(command)) ||
    (names.length > 0 && (before.length === 0 || before.some((name) => !names.includes(name))))
  )
}

function namesOf({ command, purpose }: CommandFact): readonly string[] {
  return purpose === 'test' ? selectedNames(command) : []
}

/** Reports about a merge with conflicts that their files were edited, and that a check passed since. */
function resolvedMerge(
  { command, index, keys, use }: Failure,
  { successes }: Attempts,
  normalize: PathNormalizer,
): string | undefined {
  if (command === undefined || !keys.includes('goal bring changes together')) return undefined
  const conflicts = [...(use.result?.text ?? '').matchAll(inConflict)].slice(0, maxLater)
  const since = (key: string, from: number) => after(successes.get(key) ?? [], from).map((each) => each.index)
  const edits = conflicts.map(([, file = '']) => since(`edit ${normalize(file) ?? file}`, index).at(-1))
  const edited = Math.max(...edits.map((edit) => edit ?? Number.POSITIVE_INFINITY))
  const checks = ['check test', 'check compile', 'program git add'].flatMap((key) => since(key, edited))
  if (edits.length === 0 || checks.length === 0) return undefined
  return `${cleanLine(command.command).slice(0, 100)} is under way: its conflicts are resolved, but not committed`
}

const inConflict = /^CONFLICT .{1,80}? conflict in (\S.{0,300})$/gm

function messageOf({ use: { result }, command }: Failure): string {
  const code = command?.exitCode ?? result?.exitCode
  const text = command === undefined ? (result?.text ?? '') : shellOutput(result?.text ?? '')
  const printed = cleanLine(text.slice(0, 100))
  // A pipe that counts the errors of a check ends with 0.
  const ended = code === undefined || code === 0 ? printed || 'failed without output' : `exit code ${code}`
  return errorLines(text) || ended
}

function after<T extends Attempt>(list: readonly T[], index: number): readonly T[] {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((list[middle]?.index ?? 0) > index) high = middle
    else low = middle + 1
  }
  return list.slice(low, low + maxLater)
}

function remembered<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>()
  return (key) => {
    const value = known.get(key) ?? make(key)
    known.set(key, value)
    return value
  }
}
