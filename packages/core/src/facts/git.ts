import type { Session } from '../session/session.ts'
import { isDone, type ToolUse } from '../tools/tool-uses.ts'
import type { CommitFact, Facts } from './facts.ts'
import { isAbsolutePath, type PathNormalizer } from './log-path.ts'
import { shellOutput } from './shell/shell-output.ts'
import { joinFolders, type ShellRun } from './shell/shell-runs.ts'
import type { SimpleCommand } from './shell/shell-words.ts'
import { programName } from './shell/shell-wrappers.ts'

interface GitState {
  branch: string | undefined
  head: string | undefined
  dirty: boolean | undefined
  commits: CommitFact[]
}

/**
 * Extracts the git state that the log shows: from the session's metadata, then from git's output in the session's
 * folder. Work in other repositories and worktrees is left out. An edit after the last `git status` makes the tree
 * dirty.
 */
export function extractGit(
  session: Session,
  uses: readonly ToolUse[],
  runs: ReadonlyMap<ToolUse, ShellRun>,
  normalize: PathNormalizer,
): Facts['git'] {
  const state: GitState = { branch: session.branch, head: session.commit, dirty: undefined, commits: [] }
  for (const use of uses) {
    const run = runs.get(use)
    if (run !== undefined) readRun(state, run, normalize)
    else if (isDone(use) && use.call.kind === 'edit' && state.dirty === false) state.dirty = true
  }
  const { branch, head, dirty, commits } = state
  return {
    ...(branch === undefined || branch === '' || branch === 'HEAD' ? {} : { branch }),
    ...(head === undefined ? {} : { head }),
    ...(dirty === undefined ? {} : { dirty }),
    commits,
  }
}

function readRun(state: GitState, run: ShellRun, normalize: PathNormalizer): void {
  if (run.use.result === undefined) return
  const text = shellOutput(run.use.result.text)
  const printing = run.commands.filter(
    ({ words }) => !/^(?:cd|export|set|sleep|true|:)$/.test(words[0] ?? ''),
  )
  for (const command of run.commands) {
    const git = gitWords(command)
    if (git === undefined || !isHere(run, command, git.folder, normalize)) continue
    const alone = printing.length === 1
    readCommand(state, git.words, run.use, text, alone)
  }
  if (isQuietCommitWithLog(run)) readNewestOfLog(state, run.use, text)
}

/** `git commit -q … && git log --oneline`: the commit prints nothing, but the log after it does. */
function isQuietCommitWithLog({ use, commands }: ShellRun): boolean {
  const words = commands.map((command) => gitWords(command)?.words ?? [])
  const commit = words.findIndex(
    ([sub, ...args]) => sub === 'commit' && args.some((arg) => /^(?:--quiet|-\w*q\w*)$/.test(arg)),
  )
  const log = words.findIndex(([sub, ...args]) => sub === 'log' && args.includes('--oneline'))
  return isDone(use) && commit !== -1 && log > commit
}

function readNewestOfLog(state: GitState, use: ToolUse, text: string): void {
  const [, sha, subject] = /^([\da-f]{7,40}) (?:\([^)\n]{1,200}\) )?(.{1,500})$/m.exec(text) ?? []
  if (sha === undefined || subject === undefined || use.result === undefined) return
  if (state.commits.some((commit) => commit.sha === sha)) return
  state.commits.push({ sha, subject, event: use.result.id })
  state.head = sha
  state.dirty = undefined
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
      const moved = /^Updating [\da-f]{7,40}\.\.([\da-f]{7,40})/m.exec(text)?.[1] ?? headLine(text)
      if (moved !== undefined) state.head = moved
      else if (/^(?:Successfully rebased|Merge made by)/m.test(text)) state.head = undefined
      if (ok && args.includes('--hard')) state.dirty = false
      return
    }
    case 'rev-parse':
      if (ok && alone && args.at(-1) === 'HEAD') {
        const line = text.trim()
        if (args.includes('--abbrev-ref')) state.branch = /^\S{1,200}$/.test(line) ? line : state.branch
        else if (/^[\da-f]{7,40}$/.test(line)) state.head = line
      }
      return
    case 'log': {
      const plain = args.every((arg) =>
        /^(?:--oneline|-\d+|-n\d*|\d+|--format=%[hH].*|--decorate|--no-decorate)$/.test(arg),
      )
      const first = ok && alone && plain ? /^([\da-f]{7,40})(?:\s|$)/.exec(text)?.[1] : undefined
      if (first !== undefined) state.head = first
      return
    }
    case 'branch':
      if (ok && alone && args.includes('--show-current') && /^\S{1,200}$/.test(text.trim()))
        state.branch = text.trim()
      return
    case 'status':
      readStatus(state, args, text, ok && alone)
      return
  }
}

function readCommits(state: GitState, use: ToolUse, text: string, amend: boolean): void {
  if (use.result === undefined) return
  for (const line of text.split('\n')) {
    const match = /^\[([^\]]{1,200}?)(?: \(root-commit\))? ([\da-f]{7,40})\] ?(.*)$/.exec(line.slice(0, 1000))
    const sha = match?.[2]
    if (match === null || sha === undefined) continue
    if (state.commits.some((commit) => commit.sha === sha)) continue
    if (amend) state.commits.pop()
    const subject = match[3]?.trim() ?? ''
    state.commits.push({ sha, ...(subject === '' ? {} : { subject }), event: use.result.id })
    state.head = sha
    state.dirty = undefined
    if (match[1] !== undefined && match[1] !== 'detached HEAD') state.branch = match[1]
  }
}

function readSwitch(state: GitState, args: readonly string[], text: string, ok: boolean): void {
  const created = args.findIndex((arg) => /^(?:-b|-B|-c|-C|--create|--orphan)$/.test(arg))
  const printed = /^(?:Switched to (?:a new |and reset )?branch|Already on) '([^'\n]{1,200})'/m.exec(
    text,
  )?.[1]
  const branch = printed ?? (ok && created >= 0 ? args[created + 1] : undefined)
  const head = headLine(text)
  if (branch !== undefined && branch !== state.branch) {
    // A new branch starts at HEAD, unless a start is given.
    if (created < 0 || args.length > created + 2) state.head = undefined
    state.branch = branch
  }
  if (head !== undefined) state.head = head
}

function headLine(text: string): string | undefined {
  return /^HEAD is now at ([\da-f]{7,40})/m.exec(text)?.[1]
}

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
}

/** Subcommand and arguments of git, without its own options; `folder` is the value of `-C`. */
function gitWords({ words }: SimpleCommand): { words: readonly string[]; folder?: string } | undefined {
  if (programName(words[0] ?? '') !== 'git') return undefined
  let folder: string | undefined
  let at = 1
  while (words[at]?.startsWith('-')) {
    if (words[at] === '-C') folder = words[at + 1]
    at += /^(?:-C|-c|--git-dir|--work-tree)$/.test(words[at] ?? '') ? 2 : 1
  }
  return { words: words.slice(at), ...(folder === undefined ? {} : { folder }) }
}

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
