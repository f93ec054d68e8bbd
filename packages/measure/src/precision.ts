import type { ContextBundle, Session, SessionEvent } from '@tenfold/core'
import type { Steps } from '@tenfold/core/internal'
import { type BoundFacts, boundFactsOf } from './facts/bound-facts.ts'
import { callsOf } from './facts/derive-facts.ts'
import { shellTextOf } from './facts/shell-programs.ts'
import { nextCommands } from './next-commands.ts'
import { hasQuote, hasWords, squeeze, wordsOf } from './quote.ts'
import { type Score, scoring, someOf } from './score.ts'
import { eventLines } from './session-text.ts'
import { hasPath, pathKeys } from './text-match.ts'

/** Kinds of statements that can be checked against the log, or against the earlier bundle for carried items. */
export const precisionClasses = [
  'files',
  'commands',
  'errors',
  'constraints',
  'projectRules',
  'carried',
  'nextCommands',
  'evidence',
] as const
/** A kind of statements that can be checked. */
export type PrecisionClass = (typeof precisionClasses)[number]
/** A score for each kind of statements. */
export type Precision = Readonly<Record<PrecisionClass, Score>>

/**
 * How many of a bundle's statements the log confirms: files with their status, commands with their outcome, error
 * messages, constraints in the user's words, project rules in the events they cite, next commands that were proposed or
 * still fail, and event ids that exist. Carried items must be in the bundle that they name, if it is one of `earlier`.
 * Does not use the code of core that made the bundle.
 */
export function* precisionOf(
  session: Session,
  bundle: ContextBundle,
  earlier: readonly ContextBundle[] = [],
): Steps<Precision> {
  const bound = yield* boundFactsOf(session)
  const texts: { readonly event: SessionEvent; readonly text: string }[] = []
  const named: string[] = []
  for (const event of session.events) {
    yield
    const text = squeeze(eventLines(event))
    texts.push({ event, text })
    if (text !== '') named.push(text.toLowerCase())
  }
  const runs = yield* runsOf(session)
  const quoted = (quote: string, from: (event: SessionEvent) => boolean) =>
    someOf(texts, ({ event, text }) => from(event) && hasQuote(text, quote))
  const ids = new Set<string>(session.events.map(({ id }) => id))
  return {
    files: yield* scoring(bundle.files, (file) => isTrueOfFile(file, bound, named), describeFile),
    commands: yield* scoring(bundle.commands, (command) => hasRun(command, runs), describeCommand),
    errors: yield* scoring(
      bundle.errors,
      // A bundle joins the lines of a message with slashes.
      ({ message }) => quoted(message.replaceAll(' / ', ' … ').replace(exitOnly, 'exit $1'), () => true),
      ({ message }) => message,
    ),
    constraints: yield* scoring(
      bundle.constraints,
      ({ text }) => quoted(text, mayDemand),
      ({ text }) => text,
    ),
    projectRules: yield* scoring(
      bundle.projectRules,
      (rule) => isRuleOf(session, rule),
      ({ text }) => text,
    ),
    carried: yield* carriedScore(bundle, earlier),
    nextCommands: yield* scoring(
      yield* nextCommands(bundle, session),
      ({ reason }) => reason !== 'neither',
      ({ command }) => command,
    ),
    evidence: yield* scoring(
      citedIds(bundle),
      (id) => ids.has(id),
      (id) => id,
    ),
  }
}

/** Whether a rule occurs in context given to the session, because agents cannot make rules. */
function isRuleOf({ events }: Session, { text, evidence }: ContextBundle['projectRules'][number]): boolean {
  return events.some(
    (event) =>
      evidence.includes(event.id) &&
      event.type !== 'assistant' &&
      event.type !== 'reasoning' &&
      hasWords(wordsOf(eventLines(event)), text),
  )
}

function* carriedScore({ carried = [] }: ContextBundle, earlier: readonly ContextBundle[]): Steps<Score> {
  const words = new Map(earlier.map((bundle) => [bundle.id, wordsOf(textsIn(bundle).join('\n'))]))
  return yield* scoring(
    carried.filter(({ from }) => words.has(from)),
    // A carried decision is `topic: choice`, which the earlier bundle has as two fields.
    ({ text, from }) =>
      [text, text.replace(/^[^:]{3,160}: /, '')].some((quote) => hasWords(words.get(from) ?? '', quote)),
    ({ text }) => text,
  )
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** The message for an error without output. */
const exitOnly = /^exit code (\d{1,3})$/

/** Demands may also be answers through a tool, approved plans, and tasks from a parent agent. */
function mayDemand(event: SessionEvent): boolean {
  if (event.type === 'context') return event.origin === 'agent' || event.name === 'plan'
  return event.type === 'user' || event.type === 'tool_result'
}

type BundleFile = ContextBundle['files'][number]

/**
 * Whether the last edit in the log agrees with the status. A file without an edit must only occur, since a shell
 * command may have changed it.
 */
function isTrueOfFile({ path, status }: BundleFile, bound: BoundFacts, named: readonly string[]) {
  const edited = bound.files.find((file) => isSamePath(file.path, path))
  if (edited !== undefined && status !== 'read' && status !== 'named')
    return (status === 'deleted') === edited.actions.includes('deleted')
  const keys = pathKeys(path)
  return someOf(named, (text) => hasPath(text, keys))
}

function isSamePath(a: string, b: string): boolean {
  const [long, short] = a.length >= b.length ? [a, b] : [b, a]
  const tail = short.replace(/^(?:\.|~)?\//, '')
  return long === short || (long.endsWith(tail) && /[\\/]/.test(long[long.length - tail.length - 1] ?? ''))
}

interface Run {
  readonly shell: string
  readonly status: string
  readonly exitCode?: number | undefined
}

function* runsOf(session: Session): Steps<Run[]> {
  const runs: Run[] = []
  for (const { call, result } of callsOf(session)) {
    yield
    const input = typeof call.input === 'string' ? call.input : shellTextOf(call.input)
    if (input === undefined) continue
    runs.push({ shell: squeeze(input), status: result?.status ?? 'unknown', exitCode: result?.exitCode })
  }
  return runs
}

type BundleCommand = ContextBundle['commands'][number]

function hasRun({ command, status, exitCode }: BundleCommand, runs: readonly Run[]): boolean {
  return runs.some(
    (run) =>
      hasQuote(run.shell, command) &&
      (exitCode === undefined || run.exitCode === undefined || exitCode === run.exitCode) &&
      isOutcome(status, run),
  )
}

function isOutcome(status: BundleCommand['status'], run: Run): boolean {
  const failed = run.status === 'error' || (run.exitCode ?? 0) !== 0
  if (status === 'error') return failed
  // Some agents log failures only as text, so the log cannot disprove that a command passed.
  return status === 'unknown' || run.status === 'unknown' || (run.status === status && !failed)
}

function citedIds(bundle: ContextBundle): string[] {
  const { workflow, findings, decisions, constraints, openQuestions, nextSteps } = bundle
  const { tasksCompleted, tasksRemaining, blockers } = workflow
  const lists = [findings, decisions, constraints, openQuestions, nextSteps, bundle.files, bundle.commands]
  const cited = [...lists, bundle.errors, tasksCompleted, tasksRemaining, blockers].flatMap((items) =>
    items.flatMap(({ evidence }) => evidence),
  )
  return [...cited, ...bundle.trail.flatMap(({ event, until }) => [event, until ?? event])]
}

function describeFile({ path, status }: BundleFile): string {
  return `${path}: ${status}`
}

function describeCommand({ command, status }: BundleCommand): string {
  return `${command}: ${status}`
}
