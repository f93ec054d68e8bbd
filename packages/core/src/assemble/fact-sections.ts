import type { ContextBundle } from '../bundle/schema.ts'
import type { SummaryItem } from '../bundle/session-summary.ts'
import type { CommandFact, ErrorFact, Facts, FileFact, NamedFileFact } from '../facts/facts.ts'
import { sessionTitle, shortTitle } from '../facts/session-title.ts'
import { belowCwd, withoutCd } from '../plan/below-cwd.ts'
import type { BundlePlan } from '../plan/plan-bundle.ts'
import { cleanLine } from '../session/clean-text.ts'
import { eventIndex } from '../session/event.ts'
import type { Note } from '../session/note.ts'
import type { Session } from '../session/session.ts'
import { shortLine } from '../session/short-line.ts'
import { totalUsage, usageBy } from '../session/usage.ts'
import { onlyLooks } from '../shell/command-program.ts'

/** Maximum characters of a command; longer ones are scripts. A command with its environment is only useful whole. */
const maxCommand = 480

/** Maximum names per file that show what its edits were about. */
const maxDefined = 8

/** Maximum characters of an error that keeps the paths in it, so that it can be searched for verbatim. */
const wholePaths = 110

type FactSections = Pick<
  ContextBundle,
  'source' | 'constraints' | 'files' | 'commands' | 'errors' | 'git' | 'usage' | 'notes' | 'validation'
>

/**
 * Returns the computed part of a bundle: the session, its files, commands and constraints. The summary provides the
 * reasons for file changes, and constraints that proved to be the user's words.
 */
export function factSections(
  plan: BundlePlan,
  archived: boolean,
  overview: string,
  reasons: ReadonlyMap<string, string>,
  constraints: readonly SummaryItem[] = [],
): FactSections {
  const { session, facts } = plan
  const validation = validationOf(facts)
  return {
    source: sourceOf(session, archived, overview),
    constraints: constraintsOf(facts, constraints),
    files: [
      ...inOrder(facts.files.filter(({ temporary }) => !temporary).map((file) => fileEntry(file, reasons))),
      ...facts.namedFiles.map(namedEntry),
    ],
    commands: lastRuns(facts.commands).map((command) => ({
      command: shortLine(withoutCd(command.command, session.cwd), maxCommand),
      status: command.status,
      ...(command.exitCode === undefined || command.exitCode === 0 ? {} : { exitCode: command.exitCode }),
      evidence: [command.call],
    })),
    errors: distinctErrors(facts.errors).map((error) => ({
      message: shortLine(
        error.message.length > wholePaths ? belowCwd(error.message, session.cwd) : error.message,
        300,
      ),
      ...optionalLine('resolution', resolutionOf(error)),
      evidence: [error.event],
    })),
    validation,
    git: {
      ...optionalLine('branch', facts.git.branch),
      ...optionalLine('head', facts.git.head),
      dirty: facts.git.dirty,
      commits: facts.git.commits.map(({ sha, subject, event, folder }) => ({
        sha: cleanLine(sha),
        ...optionalLine('subject', subject),
        ...optionalLine('folder', folder),
        evidence: [event],
      })),
    },
    usage: usageOf(session),
    notes: session.notes.map((note) => cleanNote(note)),
  }
}

type FileEntry = ContextBundle['files'][number]

/** Sorts by the last edit or read, since a brief begins with the latest files. */
function inOrder(files: readonly FileEntry[]): FileEntry[] {
  const place = ({ evidence }: FileEntry) => eventIndex(evidence?.at(-1) ?? 'e1')
  return files.toSorted((a, b) => place(a) - place(b))
}

function fileEntry(file: FileFact, reasons: ReadonlyMap<string, string>): FileEntry {
  // Lines added to a file before it was deleted are gone.
  const isGone = file.status === 'deleted' && file.added !== 0
  const isAsked = file.unreported === true && file.status !== 'read'
  const reason = reasons.get(file.path) ?? (isAsked ? 'asked for; the log reports no outcome' : undefined)
  return {
    path: cleanLine(file.path),
    status: file.status,
    ...(file.from === undefined ? {} : { from: cleanLine(file.from) }),
    ...(isGone ? {} : { added: file.added, removed: file.removed }),
    reason,
    ...(file.defines === undefined ? {} : { defines: file.defines.slice(-maxDefined) }),
    ...(file.sections === undefined ? {} : { sections: [...file.sections] }),
    evidence:
      file.status === 'read'
        ? file.evidence.slice(-1)
        : [file.lastEdit ?? file.evidence[0]].filter((event) => event !== undefined),
  }
}

function namedEntry({ path, event }: NamedFileFact): FileEntry {
  return { path: cleanLine(path), status: 'named', evidence: [event] }
}

/** In log order, so that the later of two conflicting ones comes last. */
function constraintsOf(facts: Facts, further: readonly SummaryItem[]): SummaryItem[] {
  const required = facts.constraints.map(({ text, event }) => ({
    text: cleanLine(text),
    evidence: [event],
  }))
  const place = ({ evidence: [first] }: SummaryItem) => (first === undefined ? 0 : eventIndex(first))
  return [...required, ...further].sort((a, b) => place(a) - place(b))
}

/** Converts a note to the schema's form: one clean line, file name without its folder. */
export function cleanNote(note: Note, longest = 300): ContextBundle['notes'][number] {
  return {
    code: note.code,
    message: shortLine(note.message, longest) || note.code,
    ...optionalLine('file', note.file?.split(/[\\/]/).at(-1)),
    line: note.line,
    count: note.count,
  }
}

function sourceOf(session: Session, archived: boolean, overview: string): ContextBundle['source'] {
  const title =
    sessionTitle(session) ??
    shortTitle(overview.replace(/^Done: .*\n(?=.)/, '').replace(/^[\w ]{2,20} \(e\d+\): /, ''))
  return {
    format: session.format,
    ...optionalLine('agentVersion', session.agentVersion),
    sessionId: cleanLine(session.id) || 'unknown',
    ...optionalLine('title', title === undefined ? undefined : shortLine(title, 120)),
    startedAt: session.startedAt,
    endedAt: session.endedAt,
    ...optionalLine('cwd', session.cwd),
    models: session.models.map(cleanLine).filter((model) => model !== ''),
    files: session.source.files.length,
    bytes: session.source.bytes,
    sha256: session.source.sha256,
    events: session.events.length,
    eventsDigest: session.source.eventsDigest,
    archived,
  }
}

function usageOf(session: Session): ContextBundle['usage'] {
  const agents = usageBy(session.usage, 'agent')
  const models = usageBy(session.usage, 'model')
  return {
    total: totalUsage(session.usage),
    byAgent:
      agents.length < 2
        ? []
        : agents.map(([agent, usage]) => ({ agent: agentName(agent, session), ...usage })),
    byModel:
      models.length < 2
        ? []
        : models.map(([model, usage]) => ({ model: cleanLine(model) || 'unknown', ...usage })),
  }
}

/** Returns the role of an agent if the log has one, with its id if others have the same role. */
function agentName(id: string, { agents }: Session): string {
  const role = agents.find((agent) => agent.id === id)?.type
  const isOnly = agents.filter(({ type }) => type === role).length === 1
  return cleanLine(role === undefined ? id : isOnly ? role : `${role} ${id}`) || 'unknown'
}

/** Returns the outcome of the last check; `stale` if files were edited after it, with the earlier outcome as `result`. */
function validationOf(facts: Facts): ContextBundle['validation'] {
  const check = facts.validation
  if (check === undefined) return undefined
  const result = check.status === 'error' ? 'failed' : check.status === 'ok' ? 'green' : 'unknown'
  return {
    status: check.stale ? 'stale' : result,
    ...(check.stale ? { result } : {}),
    command: shortLine(check.part ?? check.command, maxCommand),
    evidence: [check.result ?? check.call],
  }
}

function resolutionOf({ resolvedBy, narrower, leftBehind }: ErrorFact): string | undefined {
  if (resolvedBy !== undefined) return `${narrower ? 'a narrower run ' : ''}passed in ${resolvedBy}`
  return leftBehind === undefined ? undefined : `the work went on without it in ${leftBehind}`
}

/** Returns the last run of each program with its subcommand, in order of time, without those that only look. */
function lastRuns(commands: readonly CommandFact[]): CommandFact[] {
  const last = new Map<string, CommandFact>()
  for (const command of commands) {
    if (onlyLooks(command.program) && !command.program.startsWith('git ')) continue
    last.delete(command.program)
    last.set(command.program, command)
  }
  return [...last.values()].filter((command) => shortLine(command.command, maxCommand) !== '')
}

/**
 * Returns errors with distinct messages, ignoring durations, each with its last occurrence, which decides whether it is
 * open.
 */
function distinctErrors(errors: readonly ErrorFact[]): ErrorFact[] {
  const last = new Map<string, ErrorFact>()
  for (const error of errors) {
    const key = error.message.replace(duration, '')
    last.delete(key)
    last.set(key, error)
  }
  return [...last.values()].filter((error) => cleanLine(error.message) !== '')
}

/** Matches `0.07s` and `120 ms`. */
const duration = /(?<![\w.])\d{1,9}(?:\.\d{1,9})? ?m?s\b/g

function optionalLine<K extends string>(key: K, value: string | undefined): { [P in K]?: string } {
  const line = value === undefined ? '' : cleanLine(value)
  return line === '' ? {} : ({ [key]: line } as { [P in K]?: string })
}
