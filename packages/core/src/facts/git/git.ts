import { eventIndex, type SessionEvent, type ToolCallEvent } from '../../session/event.ts'
import type { Steps } from '../../session/pauses.ts'
import type { Session } from '../../session/session.ts'
import type { ShellRun } from '../../shell/shell-runs.ts'
import { shellOutput } from '../../shell/stated-outcome.ts'
import { isDone, type ToolUse } from '../../tools/tool-uses.ts'
import type { Facts, FileFact } from '../facts.ts'
import type { PathNormalizer } from '../log-path.ts'
import {
  dropCommits,
  type GitState,
  readCommits,
  readNewestOfLog,
  readPush,
  readRebase,
  renameRebased,
  setHead,
} from './git-state.ts'
import {
  type GitWords,
  gitWords,
  isUncommitted,
  openRepositories,
  type Repositories,
} from './repositories.ts'

/**
 * Extracts the git state that the log shows: from the session's metadata, then from git's output. Branch, head and
 * cleanness are those of the session's folder, where an edit after the last `git status` makes the tree dirty; commits
 * are also those of every other repository and worktree in which the session edited files. What a command printed after
 * it went on in the background is in `later`, see `laterResults`.
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
  for (const use of uses) {
    yield
    const run = runs.get(use)
    if (run !== undefined) readRun(repositories, { ...run, use: withLater(use, later.get(use.call)) })
    else if (isDone(use) && use.call.kind === 'edit') repositories.edited()
  }
  const edited = files.filter(({ lastEdit, temporary }) => lastEdit !== undefined && !temporary)
  const own = repositories.withFiles(edited)
  const made = own.flatMap(({ folder, commits }) => commits.map((commit) => ({ ...commit, folder })))
  // One command may have committed in two folders: its output does not say which is where.
  const commits = [...new Map(made.map((commit) => [commit.sha, commit])).values()].sort(
    (a, b) => eventIndex(a.event) - eventIndex(b.event),
  )
  const { branch, head, dirty } = home
  const last = commits.at(-1)
  const pushed =
    own.find(({ folder }) => folder === last?.folder)?.pushed ??
    (isPushedByUser(session.events, last?.event) ? 'unknown' : undefined)
  const uncommitted = edited.filter((file) => isUncommitted(file, own)).map(({ path }) => path)
  return {
    ...(branch === undefined || branch === '' || branch === 'HEAD' ? {} : { branch }),
    ...(head === undefined ? {} : { head }),
    ...(dirty === undefined ? {} : { dirty }),
    ...(last === undefined || pushed === undefined ? {} : { pushed }),
    ...(uncommitted.length === 0 ? {} : { uncommitted }),
    commits: commits.map(({ sha, subject, event, rebased, folder }) => ({
      sha,
      ...(subject === undefined ? {} : { subject }),
      event,
      ...(folder === '' ? {} : { folder }),
      ...(rebased ? { rebased } : {}),
    })),
  }
}

/** A call with the outcome of its command, and with all that it printed: at first, and when it had ended. */
function withLater(use: ToolUse, ended: ToolUse | undefined): ToolUse {
  if (ended?.result === undefined || use.result === undefined || ended.result === use.result) return use
  return { ...ended, result: { ...ended.result, text: `${use.result.text}\n${ended.result.text}` } }
}

function isPushedByUser(events: readonly SessionEvent[], commit: `e${number}` | undefined): boolean {
  if (commit === undefined) return false
  return events
    .slice(eventIndex(commit) + 1)
    .some(
      (event) =>
        event.type === 'user' &&
        /\b(?:I|I['’]ve|we|we['’]ve)\s(?:(?:have|already|just|now)\s){0,2}(?:pushed|merged)\b/i.test(
          event.text.slice(0, 2000),
        ),
    )
}

/** The output is searched for each command of a script; of a longer one, the last ones decide where it ends. */
const mostCommands = 100

function readRun(repositories: Repositories, run: ShellRun): void {
  const gits = run.commands.map(gitWords)
  if (gits.every((git) => git === undefined)) return
  const stateOf = (at: number) => repositories.of(run, run.commands[at], gits[at]?.folder)
  const from = Math.max(0, run.commands.length - mostCommands)
  const read = [...gits.entries()].slice(from)
  if (run.use.result === undefined) {
    // A push without a result may have happened.
    for (const [at, git] of read) if (git?.words[0] === 'push') stateOf(at).pushed ??= 'unknown'
    return
  }
  for (const [at, git] of read)
    if (git !== undefined) stateOf(at).staged.push(...repositories.stagedBy(run, run.commands[at], git))
  const text = shellOutput(run.use.result.text)
  const printing = run.commands.filter(
    ({ words }) => !/^(?:cd|export|set|sleep|true|:)$/.test(words[0] ?? ''),
  )
  // Git says itself why it failed: any other error is of a later command.
  const isLater = run.use.outcome === 'error' && !/^(?:.*\bstderr: )?(?:fatal|error): /m.test(text)
  for (const [at, git] of read) {
    if (git === undefined) continue
    const command = run.commands[at]
    const place = {
      alone: printing.length === 1,
      last: printing.at(-1) === command,
      ran: isDone(run.use) || (isLater && printing[0] === command),
    }
    if (git.words[0] === 'push') readPush(stateOf(at), git.words.slice(1), run, at, text)
    else readCommand(stateOf(at), git.words, run.use, text, place)
  }
  const quiet = isDone(run.use) ? silentCommitWithLog(gits, text) : -1
  if (quiet >= 0) readNewestOfLog(stateOf(quiet), run.use, text)
}

/**
 * `git commit -q … && git log --oneline`, or a merge in place of the commit: the commit prints no id, but the log after
 * it does.
 */
function silentCommitWithLog(gits: readonly (GitWords | undefined)[], text: string): number {
  const words = gits.map((git) => git?.words ?? [])
  const isMerge = /^Merge made by /m.test(text)
  const commit = words.findIndex(
    ([sub, ...args]) =>
      (sub === 'commit' && args.some((arg) => /^(?:--quiet|-\w*q\w*)$/.test(arg))) ||
      (isMerge && (sub === 'merge' || sub === 'pull')),
  )
  const log = words.findIndex(([sub, ...args]) => sub === 'log' && args.includes('--oneline'))
  return log > commit ? commit : -1
}

/** Where a command is in its run: alone, or the last of those that print; `ran` if it succeeded itself. */
type Place = { readonly [field in 'alone' | 'last' | 'ran']: boolean }

function readCommand(
  state: GitState,
  [sub = '', ...args]: readonly string[],
  use: ToolUse,
  text: string,
  { alone, last, ran }: Place,
): void {
  const ok = isDone(use)
  switch (sub) {
    case 'commit':
    case 'cherry-pick':
    case 'revert':
    case 'am':
      readCommits(state, use, text, args)
      return
    case 'checkout':
    case 'switch':
      readSwitch(state, args, text, ran)
      return
    case 'merge':
    case 'pull':
    case 'rebase':
    case 'reset': {
      if (sub === 'reset' && ok) dropCommits(state, args, text)
      const moved =
        /^Updating [\da-f]{7,40}\.\.([\da-f]{7,40})/m.exec(text)?.[1] ??
        /^HEAD is now at ([\da-f]{7,40})/m.exec(text)?.[1]
      if (moved !== undefined) setHead(state, moved)
      else if (/^(?:Successfully rebased|Merge made by)/m.test(text)) state.head = undefined
      readRebase(state, text)
      if (ok && args.includes('--hard')) state.dirty = false
      return
    }
    case 'rev-parse':
      if (ok && alone && args.at(-1) === 'HEAD') {
        const line = text.trim()
        if (args.includes('--abbrev-ref')) state.branch = /^\S{1,200}$/.test(line) ? line : state.branch
        else if (/^[\da-f]{7,40}$/.test(line)) setHead(state, line)
      }
      return
    case 'log':
    case 'show':
      if (ok) {
        readShownHead(state, sub, args, text, alone)
        renameRebased(state, text)
      }
      return
    case 'branch':
      if (ok && last && args.includes('--show-current'))
        enterBranch(state, /(?:^|\n)(\S{1,200})$/.exec(text.trimEnd())?.[1])
      return
    case 'status':
      readStatus(state, args, text, ok && alone)
      if (use.result !== undefined && ok && alone && isWholeStatus(args, text))
        state.status = { event: use.result.id, text }
      if (use.result !== undefined) readUpstream(state, text, use.result.id)
      return
  }
}

function readUpstream(state: GitState, text: string, event: `e${number}`): void {
  if (/^Your branch is up to date with '/m.test(text)) {
    if (state.pushed === undefined || state.pushed === 'unknown') state.pushed = event
  } else if (/^Your branch is ahead of '/m.test(text)) state.pushed = undefined
}

/** Reads which branch `git checkout` or `git switch` went to. */
function readSwitch(state: GitState, args: readonly string[], text: string, ok: boolean): void {
  const created = args.findIndex((arg) => /^(?:-b|-B|-c|-C|--create|--orphan)$/.test(arg))
  const printed = /^(?:Switched to (?:a new |and reset )?branch|Already on) '([^'\n]{1,200})'/m.exec(
    text,
  )?.[1]
  const branch = printed ?? (ok && created >= 0 ? args[created + 1] : undefined)
  const head = /^HEAD is now at ([\da-f]{7,40})/m.exec(text)?.[1]
  // A new branch starts at HEAD, unless a start is given.
  enterBranch(state, branch, created >= 0 && args.slice(created + 2).every((arg) => arg.startsWith('-')))
  if (head !== undefined) state.head = head
}

function enterBranch(state: GitState, branch: string | undefined, staysAtHead = false): void {
  if (branch === undefined || branch === state.branch) return
  if (!staysAtHead) state.head = undefined
  state.branch = branch
}

/** Whether a status lists all that is changed: a path, or a program that shortens it, leaves some out. */
function isWholeStatus(args: readonly string[], text: string): boolean {
  if (!args.every((arg) => arg.startsWith('-'))) return false
  return /^On branch /m.test(text) || text.split('\n').every((line) => /^$|^## |^[ MTADRCU?!]{2} /.test(line))
}

/** Reads branch and cleanness from `git status` in any of its forms. */
function readStatus(state: GitState, args: readonly string[], text: string, alone: boolean): void {
  const branch =
    /^On branch (\S{1,200})$/m.exec(text)?.[1] ?? /^## ([^\s.]{1,200})(?:\.\.\.|$)/m.exec(text)?.[1]
  if (branch !== undefined) state.branch = branch
  if (/^nothing to commit, working tree clean/m.test(text)) state.dirty = false
  else if (/^(?:Changes not staged|Changes to be committed|Untracked files|Unmerged paths)/m.test(text))
    state.dirty = true
  else if (
    alone &&
    args.some((arg) => /^(?:-s|-sb|--short|--porcelain.*)$/.test(arg)) &&
    args.every((arg) => arg.startsWith('-'))
  ) {
    state.dirty = text.split('\n').some((line) => line.trim() !== '' && !line.startsWith('##'))
  }
  // A form that is not known, as of a program that shortens it: what an earlier status said may be over.
  else if (alone && branch === undefined && text.trim() !== '') state.dirty = undefined
}

/** Reads the head from `git log` and `git show`: by the mark of HEAD, or as the first commit if no other is asked for. */
function readShownHead(
  state: GitState,
  sub: 'log' | 'show',
  args: readonly string[],
  text: string,
  alone: boolean,
): void {
  const marked = /^[*|\s]{0,20}(?:commit )?([\da-f]{7,40}) \((?:HEAD -> ([^,)\n]{1,200})|HEAD[,)])/m.exec(
    text,
  )
  if (marked?.[1] !== undefined) {
    setHead(state, marked[1])
    if (marked[2] !== undefined) state.branch = marked[2]
    return
  }
  const isPlain =
    sub === 'log'
      ? args.every((arg) =>
          /^(?:--oneline|-\d+|-n\d*|\d+|--format=%[hH].*|--decorate|--no-decorate)$/.test(arg),
        )
      : args.every((arg) => /^(?:HEAD|--stat|--name-only|--name-status|--oneline|-s|-p|--patch)$/.test(arg))
  const first = alone && isPlain ? /^(?:commit )?([\da-f]{7,40})(?:\s|$)/.exec(text)?.[1] : undefined
  if (first !== undefined) setHead(state, first)
}
