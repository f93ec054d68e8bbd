import { eventIndex, type SessionEvent, type ToolCallEvent } from '../../session/event.ts'
import type { Steps } from '../../session/pauses.ts'
import type { Session } from '../../session/session.ts'
import { isAbsolutePath, joinFolders, programName, type ShellRun, unwrapped } from '../../shell/shell-runs.ts'
import type { SimpleCommand } from '../../shell/shell-words.ts'
import { shellOutput } from '../../shell/stated-outcome.ts'
import { isDone, type ToolUse } from '../../tools/tool-uses.ts'
import type { Facts } from '../facts.ts'
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

/**
 * Extracts the git state that the log shows: from the session's metadata, then from git's output in the session's
 * folder. Work in other repositories and worktrees is left out. An edit after the last `git status` makes the tree
 * dirty. What a command printed after it went on in the background is in `later`, see `laterResults`.
 */
export function* gitSteps(
  session: Session,
  uses: readonly ToolUse[],
  runs: ReadonlyMap<ToolUse, ShellRun>,
  later: ReadonlyMap<ToolCallEvent, ToolUse>,
  normalize: PathNormalizer,
): Steps<Facts['git']> {
  const state: GitState = {
    branch: session.branch,
    head: session.commit,
    dirty: undefined,
    commits: [],
    pushed: undefined,
  }
  for (const use of uses) {
    yield
    const run = runs.get(use)
    if (run !== undefined) readRun(state, { ...run, use: withLater(use, later.get(use.call)) }, normalize)
    else if (isDone(use) && use.call.kind === 'edit' && state.dirty === false) state.dirty = true
  }
  const { branch, head, dirty, commits } = state
  const last = commits.at(-1)
  const pushed = state.pushed ?? (isPushedByUser(session.events, last?.event) ? 'unknown' : undefined)
  return {
    ...(branch === undefined || branch === '' || branch === 'HEAD' ? {} : { branch }),
    ...(head === undefined ? {} : { head }),
    ...(dirty === undefined ? {} : { dirty }),
    ...(last === undefined || pushed === undefined ? {} : { pushed }),
    commits: commits.map(({ sha, subject, event, rebased }) => ({
      sha,
      ...(subject === undefined ? {} : { subject }),
      event,
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

function readRun(state: GitState, run: ShellRun, normalize: PathNormalizer): void {
  if (run.use.result === undefined) {
    readUnreported(state, run, normalize)
    return
  }
  const gits = run.commands.map(gitWords)
  if (gits.every((git) => git === undefined)) return
  const text = shellOutput(run.use.result.text)
  const printing = run.commands.filter(
    ({ words }) => !/^(?:cd|export|set|sleep|true|:)$/.test(words[0] ?? ''),
  )
  const alone = printing.length === 1
  for (const [at, command] of run.commands.entries()) {
    if (at < run.commands.length - mostCommands) continue
    const git = gits[at]
    if (git === undefined || !isHere(run, command, git.folder, normalize)) continue
    if (git.words[0] === 'push') readPush(state, git.words.slice(1), run, at, text)
    else readCommand(state, git.words, run.use, text, alone)
  }
  if (isDone(run.use) && isSilentCommitWithLog(gits, text)) readNewestOfLog(state, run.use, text)
}

/** A push without a result may have happened. */
function readUnreported(state: GitState, run: ShellRun, normalize: PathNormalizer): void {
  for (const command of run.commands) {
    const git = gitWords(command)
    if (git?.words[0] === 'push' && isHere(run, command, git.folder, normalize)) state.pushed ??= 'unknown'
  }
}

/**
 * `git commit -q … && git log --oneline`, or a merge in place of the commit: the commit prints no id, but the log after
 * it does.
 */
function isSilentCommitWithLog(gits: readonly ReturnType<typeof gitWords>[], text: string): boolean {
  const words = gits.map((git) => git?.words ?? [])
  const isMerge = /^Merge made by /m.test(text)
  const commit = words.findIndex(
    ([sub, ...args]) =>
      (sub === 'commit' && args.some((arg) => /^(?:--quiet|-\w*q\w*)$/.test(arg))) ||
      (isMerge && (sub === 'merge' || sub === 'pull')),
  )
  const log = words.findIndex(([sub, ...args]) => sub === 'log' && args.includes('--oneline'))
  return commit !== -1 && log > commit
}

function readCommand(
  state: GitState,
  words: readonly string[],
  use: ToolUse,
  text: string,
  alone: boolean,
): void {
  const [sub = ''] = words
  const args = words.slice(1)
  const ok = isDone(use)
  switch (sub) {
    case 'commit':
    case 'cherry-pick':
    case 'revert':
    case 'am':
      readCommits(state, use, text, args.includes('--amend'))
      return
    case 'checkout':
    case 'switch':
      readSwitch(state, args, text, ok)
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
      if (ok && alone && args.includes('--show-current') && /^\S{1,200}$/.test(text.trim()))
        state.branch = text.trim()
      return
    case 'status':
      readStatus(state, args, text, ok && alone)
      if (use.result !== undefined) readUpstream(state, text, use.result.id)
      return
  }
}

function readUpstream(state: GitState, text: string, event: `e${number}`): void {
  if (/^Your branch is up to date with '/m.test(text)) {
    if (state.pushed === undefined || state.pushed === 'unknown') state.pushed = event
  } else if (/^Your branch is ahead of '/m.test(text)) state.pushed = undefined
}

/** Returns subcommand and arguments of git, without its own options; `folder` is the value of `-C`. */
function gitWords(command: SimpleCommand): { words: readonly string[]; folder?: string } | undefined {
  const words = unwrapped(command.words)
  if (programName(words[0] ?? '') !== 'git') return undefined
  let folder: string | undefined
  let at = 1
  while (words[at]?.startsWith('-')) {
    if (words[at] === '-C') folder = words[at + 1]
    at += /^(?:-C|-c|--git-dir|--work-tree)$/.test(words[at] ?? '') ? 2 : 1
  }
  return { words: words.slice(at), ...(folder === undefined ? {} : { folder }) }
}

/** Whether a command works on the session's repository, and not on another one or a worktree. */
function isHere(
  run: ShellRun,
  command: SimpleCommand,
  given: string | undefined,
  normalize: PathNormalizer,
): boolean {
  const base = joinFolders(run.folder, command.folder)
  const folder = given === undefined ? base : joinFolders(base, given)
  if (folder === undefined || folder === '') return true
  const path = normalize(`${folder}/.`)
  return (
    path === undefined ||
    !(isAbsolutePath(path) || path.startsWith('..') || /(?:^|\/)\.?worktrees?\//.test(path))
  )
}

/** Reads which branch `git checkout` or `git switch` went to. */
function readSwitch(state: GitState, args: readonly string[], text: string, ok: boolean): void {
  const created = args.findIndex((arg) => /^(?:-b|-B|-c|-C|--create|--orphan)$/.test(arg))
  const printed = /^(?:Switched to (?:a new |and reset )?branch|Already on) '([^'\n]{1,200})'/m.exec(
    text,
  )?.[1]
  const branch = printed ?? (ok && created >= 0 ? args[created + 1] : undefined)
  const head = /^HEAD is now at ([\da-f]{7,40})/m.exec(text)?.[1]
  if (branch !== undefined && branch !== state.branch) {
    // A new branch starts at HEAD, unless a start is given.
    if (created < 0 || args.length > created + 2) state.head = undefined
    state.branch = branch
  }
  if (head !== undefined) state.head = head
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
