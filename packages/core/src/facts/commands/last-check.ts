import { eventIndex, type SessionEvent } from '../../session/event.ts'
import type { Steps } from '../../session/pauses.ts'
import { mendsFiles, purposeOf } from '../../shell/command-purpose.ts'
import { quoteWord, type ShellRun } from '../../shell/shell-runs.ts'
import { isDone, type ToolUse } from '../../tools/tool-uses.ts'
import type { CheckFact, CommandFact, FileFact } from '../facts.ts'

const documents =
  /\.(?:md|mdx|markdown|rst|adoc|txt|org|png|jpe?g|gif|svg|webp|pdf)$|(?:^|\/)(?:LICENSE|NOTICE|AUTHORS|CHANGELOG|CODEOWNERS|\.gitignore)$|(?:^|\/)docs?\//i
// Scratch folders, and the folders for agents' own notes.
const elsewhere =
  /^(?:\/private)?\/(?:tmp|var\/(?:folders|tmp))\/|\/AppData\/Local\/Temp\/|(?:^|\/)\.(?:claude|codex|gemini|cursor|copilot|git|cache|config)\//

/**
 * Finds the last check of the main agent, or of any agent if the main agent ran none. Among the checks after the last
 * edit, a failed one takes precedence over a later one that passed. `stale` if files that it covers were edited later.
 */
export function* lastCheck(
  events: readonly SessionEvent[],
  commands: readonly CommandFact[],
  runs: readonly ShellRun[],
  files: readonly FileFact[],
): Steps<CheckFact | undefined> {
  const runOf = new Map(runs.map((run) => [run.use.call.id, run]))
  const checks: CommandFact[] = []
  // A check at the end of the log, without a result, shows nothing.
  const hasResults = commands.some(({ result }) => result !== undefined)
  for (const command of commands) {
    const { purpose, status, call, result } = command
    const hasEnded = result !== undefined || !hasResults
    const isCheck = purpose !== undefined && hasEnded && status !== 'denied' && status !== 'cancelled'
    if (isCheck && !onlyMends(runOf.get(call))) checks.push(command)
    yield
  }
  const own = checks.filter(({ call }) => events[eventIndex(call)]?.agent === 'main')
  const all = own.length > 0 ? own : checks
  // White space in a diff shows little about the work.
  const last = all.findLast(({ call }) => !onlyWhitespace(runOf.get(call))) ?? all.at(-1)
  if (last === undefined) return undefined
  const edits = editsOf(runs, files, last)
  yield
  const lastEdit = edits.reduce((most, at) => (at < eventIndex(last.call) ? Math.max(most, at) : most), -1)
  const round = new Map<string, CommandFact>()
  for (const check of all) if (eventIndex(check.call) > lastEdit) round.set(check.program, check)
  const check = [...round.values()].findLast(({ status }) => status === 'error') ?? last
  const part = checkedPart(runOf.get(check.call), check.program)
  const isAfter = (at: number) => at > eventIndex(check.call)
  const isStale = editsOf(runs, files, check).some(isAfter)
  if (isStale && onlyWhitespace(runOf.get(check.call))) return undefined
  // A commit hook checks the staged changes.
  const restaged =
    /^git (?:commit|push)$/.test(check.program) &&
    runs.some((run) => changesIndex(run) && isAfter(eventIndex(run.use.call.id)))
  return {
    ...check,
    ...(part === undefined ? {} : { part }),
    ...(isStale ? { stale: true } : restaged ? { stale: true, restaged } : {}),
  }
}

/** Whether the checks of a run are all `git diff --check`. */
function onlyWhitespace(run: ShellRun | undefined): boolean {
  const checks = (run?.commands ?? []).filter((command) => purposeOf(command) !== undefined)
  return checks.length > 0 && checks.every(({ words }) => words[0] === 'git')
}

/** Whether each check of a run is a formatter, or a linter that fixes what it finds. */
function onlyMends(run: ShellRun | undefined): boolean {
  const checks = (run?.commands ?? []).filter((command) => purposeOf(command) !== undefined)
  return checks.length > 0 && checks.every(({ words }) => mendsFiles(words))
}

/** Returns the positions of events that changed files covered by a check; documents count only if the check is about them. */
function editsOf(runs: readonly ShellRun[], files: readonly FileFact[], check: CommandFact): number[] {
  const edited = files.filter(
    ({ lastEdit, path, temporary }) => lastEdit !== undefined && !temporary && !elsewhere.test(path),
  )
  const isOfDocuments = /\b(?:docs?|markdown\w*|mdx?lint)\b/i.test(check.program)
  const covered = edited.filter(
    ({ path }) =>
      isOfDocuments || !documents.test(path) || check.command.includes(path.split('/').at(-1) ?? path),
  )
  return [
    ...covered.map(({ lastEdit = 'e0' as const }) => eventIndex(lastEdit)),
    ...runs.filter(changesTree).map(({ use }) => eventIndex(use.call.id)),
  ]
}

/** Whether a git command brings other content into the work tree; a commit does not. */
function changesTree({ use, commands }: ShellRun): boolean {
  return isDone(use) && commands.some(({ words }) => words[0] === 'git' && bringsContent(words.slice(1), use))
}

function changesIndex({ use, commands }: ShellRun): boolean {
  return (
    isDone(use) &&
    commands.some(
      ({ words }) => words[0] === 'git' && /^(?:add|reset|rm|mv|restore|stash)$/.test(words[1] ?? ''),
    )
  )
}

function bringsContent([sub = '', ...args]: readonly string[], { result }: ToolUse): boolean {
  if (/^(?:merge|pull|rebase|cherry-pick|revert|am)$/.test(sub))
    return !args.includes('--abort') && !/^Already up.to.date/m.test(result?.text ?? '')
  if (sub === 'apply') return !args.some((arg) => /^--(?:check|stat)$/.test(arg))
  if (sub === 'stash') return /^(?:pop|apply)$/.test(args[0] ?? '')
  if (sub === 'reset') return args.includes('--hard')
  if (sub === 'restore') return !args.includes('--staged') || args.includes('--worktree')
  return sub === 'checkout' && args.includes('--')
}

/** Scripts that hook runners echo before they run them, one per line. */
const echoed = /^\$ (\S.{0,199})$/gm
const maxEchoed = 6

/**
 * Returns the part of a run that checked the work, if the run also commits or pushes: its checks alone, or `git commit
 * (its hook ran: …)` if they are a hook's. `undefined` if the whole run is the check.
 */
function checkedPart(run: ShellRun | undefined, program: string): string | undefined {
  if (run === undefined) return undefined
  const { commands, use } = run
  const isGit = (sub: RegExp) => commands.some(({ words }) => words[0] === 'git' && sub.test(words[1] ?? ''))
  const checks = commands.filter((command) => purposeOf(command) !== undefined)
  if (checks.length > 0) {
    if (!isGit(/^(?:commit|push)$/) || checks.some(({ heredocs }) => heredocs.length > 0)) return undefined
    return checks.map(({ words }) => words.map(quoteWord).join(' ')).join(' && ')
  }
  if (!/^git (?:commit|push)$/.test(program)) return undefined
  const ran = [...(use.result?.text ?? '').slice(0, 200_000).matchAll(echoed)].map(
    ([, script = '']) => script,
  )
  const scripts = [...new Set(ran)].slice(0, maxEchoed)
  return `${program} (its hook${scripts.length === 0 ? '' : ` ran: ${scripts.join('; ')}`})`
}
