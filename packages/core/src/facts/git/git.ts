import { type EventId, eventIndex, type SessionEvent, type ToolCallEvent } from '../../session/event.ts'
import { known } from '../../session/known.ts'
import type { Steps } from '../../session/pauses.ts'
import type { Session } from '../../session/session.ts'
import type { ShellRun } from '../../shell/shell-runs.ts'
import type { SimpleCommand } from '../../shell/shell-words.ts'
import { shellOutput } from '../../shell/stated-outcome.ts'
import { isDone, type ToolUse } from '../../tools/tool-uses.ts'
import type { CommitFact, Facts, FileFact } from '../facts.ts'
import type { PathNormalizer } from '../log-path.ts'
import { enterBranch, isQuiet, type Place, readCommand } from './git-commands.ts'
import { noId, readPush } from './git-state.ts'
import { gitWords, isUncommitted, openRepositories, type Repositories } from './repositories.ts'

/**
 * Extracts the git state that the log shows: from the session's metadata, then from git's output. Branch, head and
 * cleanness are those of the session's folder, where an edit after the last `git status` makes the tree dirty; commits
 * are also those of other repositories and worktrees in which the session edited files. `later` has the later output of
 * background commands, see `laterResults`.
 */
export function* gitSteps(
  session: Session,
  uses: readonly ToolUse[],
  runs: ReadonlyMap<ToolUse, ShellRun>,
  later: ReadonlyMap<ToolCallEvent, ToolUse>,
  files: readonly FileFact[],
  normalize: PathNormalizer,
): Steps<Facts['git']> {
  const repositories = openRepositories(session, normalize)
  const home = repositories.at('')
  home.branch = session.branch
  home.head = session.commit
  const asked = session.events.filter(({ type }) => type === 'user')
  const turns = new Map(asked.map(({ turn, id }) => [turn, id]))
  for (const use of uses) {
    yield
    const run = runs.get(use)
    if (run !== undefined)
      readRun(
        repositories,
        { ...run, use: withLater(use, later.get(use.call)) },
        turns.get(use.call.turn) ?? 'e1',
      )
    else if (isDone(use) && use.call.kind === 'edit') repositories.edited()
  }
  const edited = files.filter(({ lastEdit, temporary }) => lastEdit !== undefined && !temporary)
  const own = repositories.withFiles(edited)
  const made = own.flatMap(({ folder, commits }) =>
    commits.flatMap((commit) => (commit.foreign ? [] : [{ ...commit, folder }])),
  )
  // One command may have committed in two folders, and its output does not show which is where.
  const key = ({ sha, event }: CommitFact) => (sha === noId ? event : sha)
  const commits = [...new Map(made.map((commit) => [key(commit), commit])).values()].sort(
    (a, b) => eventIndex(a.event) - eventIndex(b.event),
  )
  const { branch, head, dirty } = home
  const pushedAt = commits.length === 0 ? undefined : pushedByUser(session.events, commits.at(-1)?.event)
  const list = commits.map(({ sha, subject, event, pushed = pushedAt, rebased, folder }) => {
    return { sha, event, ...known({ subject, folder: folder || undefined, pushed, rebased }) }
  })
  const pushed = list.at(-1)?.pushed
  const uncommitted = edited.filter((file) => isUncommitted(file, own)).map(({ path }) => path)
  return {
    ...(branch !== '' && branch !== 'HEAD' && known({ branch })),
    ...known({ head, dirty, pushed }),
    ...(uncommitted.length > 0 && { uncommitted }),
    commits: list,
  }
}

/** Returns a call with the outcome of its command, and with its whole output: the first part, and the rest after it ended. */
function withLater(use: ToolUse, ended: ToolUse | undefined): ToolUse {
  if (ended?.result === undefined || use.result === undefined || ended.result === use.result) return use
  return { ...ended, result: { ...ended.result, text: `${use.result.text}\n${ended.result.text}` } }
}

/** Returns the message in which the user reports a push after the last commit. */
function pushedByUser(events: readonly SessionEvent[], commit: EventId = 'e1'): EventId | undefined {
  const pushed = /\b(?:I|I['’]ve|we|we['’]ve)\s(?:(?:have|already|just|now)\s){0,2}(?:pushed|merged)\b/i
  return events
    .slice(eventIndex(commit) + 1)
    .find((event) => event.type === 'user' && pushed.test(event.text.slice(0, 2000)))?.id
}

/** The output is searched for each command of a script; of a longer one, only the last commands count. */
const mostCommands = 100

function readRun(repositories: Repositories, run: ShellRun, since: EventId): void {
  const { use, commands } = run
  const { result, call } = use
  const gits = commands.map(gitWords)
  if (call.branch !== undefined) enterBranch(repositories.of(run, commands[0], undefined), call.branch)
  if (use.outcome === 'denied' || gits.every((git) => git === undefined)) return
  const stateOf = (at: number) => repositories.of(run, commands[at], gits[at]?.folder)
  const read = [...gits.entries()].slice(-mostCommands)
  if (result === undefined) {
    // The commit or push may have happened.
    const before = { event: use.call.id, sha: noId, paths: [''], foreign: true } as const
    for (const [at, git] of read)
      if (git?.words[0] === 'push') readPush(stateOf(at), git.words.slice(1), use, '', false)
      else if (git?.words[0] === 'commit') stateOf(at).commits.push({ ...before, before: stateOf(at).head })
    return
  }
  const text = shellOutput(result.text)
  for (const [at, git] of read)
    if (git !== undefined) stateOf(at).staged.push(...repositories.stagedBy(run, commands[at], git))
  const printing = commands.filter(({ words }) => prints(words))
  const firstAt = printing[0] === undefined ? -1 : commands.indexOf(printing[0])
  const ids = gits.findIndex((git) => showsIds.test(git?.words[0] ?? ''))
  const ok = isDone(use)
  // Git reports its own failure: any other error is that of a later command.
  const isLater = use.outcome === 'error' && !/^(?:.*\bstderr: )?(?:fatal|error): /m.test(text)
  for (const [at, git] of read) {
    if (git === undefined) continue
    const command = commands[at] as SimpleCommand
    const [first, last] = [printing[0] === command, printing.at(-1) === command]
    const place: Place = {
      first,
      last,
      alone: first && last,
      isOnly: ids === at,
      isCut:
        commands[at + 1]?.joiner === '|' &&
        !/^(?:head|cat|less|more)$/.test(commands[at + 1]?.words[0] ?? ''),
      ok,
      ran: ok || (isLater && at <= firstAt),
      isSure: use.outcome === 'ok' && commands.slice(at + 1).every(({ joiner }) => joiner === '&&'),
      since,
    }
    if (git.words[0] === 'push') readPush(stateOf(at), git.words.slice(1), use, text, place.isSure)
    else readCommand(stateOf(at), command, git.words, { ...result, text }, place)
  }
}

/** Whether a command prints something, unless it is known to be silent. */
function prints(words: readonly string[]): boolean {
  if (/^(?:cd|export|set|sleep|true|:)$/.test(words[0] ?? '')) return false
  return words[0] !== 'git' || !(words[1] === 'add' || (words[1] !== 'status' && words.some(isQuiet)))
}

/** Git commands that begin lines with commit ids. */
const showsIds = /^(?:log|show|rev-parse|reflog|rev-list|blame|cherry)$/
