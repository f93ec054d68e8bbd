import type { EventId, ToolResultEvent } from '../../session/event.ts'
import type { SimpleCommand } from '../../shell/shell-words.ts'
import { nothingToDo, rejected } from '../commands/commands.ts'
import {
  dropCommits,
  type GitState,
  logLine,
  nameShown,
  readCommits,
  readRebase,
  readUpstream,
  setHead,
  showHead,
} from './git-state.ts'

/** Context of a command within a run. */
export interface Place {
  /** Whether it is the first, the last or the only command that prints, or the first that prints commit ids. */
  readonly first: boolean
  readonly last: boolean
  readonly alone: boolean
  readonly isOnly: boolean
  /** Its output was passed to another command. */
  readonly isCut: boolean
  /** The run succeeded. */
  readonly ok: boolean
  /** The command itself succeeded. */
  readonly ran: boolean
  /** The outcome of the run is that of the command. */
  readonly isSure: boolean
  /** The user's message before it. */
  readonly since: EventId
}

export function readCommand(
  state: GitState,
  command: SimpleCommand,
  [sub = '', ...args]: readonly string[],
  { id, text }: ToolResultEvent,
  place: Place,
): void {
  const { ok, ran, alone } = place
  switch (sub) {
    case 'commit':
    case 'cherry-pick':
    case 'revert':
    case 'am':
      readCommits(state, id, text, args, sub === 'commit' ? silentCommit(command, text, place) : undefined)
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
      else if (/^Successfully rebased/m.test(text)) state.head = undefined
      else if (/^Merge made by/m.test(text)) readCommits(state, id, '', args, {})
      readRebase(state, text)
      if (ok && args.includes('--hard')) state.dirty = false
      return
    }
    case 'rev-parse':
      if (ok && args.at(-1) === 'HEAD' && args.includes('--abbrev-ref'))
        enterBranch(state, lineAt(text, place))
      else if (ok && args.at(-1) === 'HEAD') readShownHead(state, text, place)
      return
    case 'log':
    case 'show':
      if (!ok) return
      nameShown(state, text)
      if (marked.test(text) || args.every((arg) => (sub === 'log' ? plainLog : plainShow).test(arg)))
        readShownHead(state, text, place)
      return
    case 'branch':
      if (ok && args.includes('--show-current')) enterBranch(state, lineAt(text, place))
      return
    case 'status':
      readStatus(state, args, text, ok && alone)
      if (ok && isWholeStatus(args, text, place)) state.status = { event: id, text }
      readUpstream(state, text, id)
      return
  }
}

export const isQuiet = (word: string) => /^(?:--quiet|-\w*q\w*)$/.test(word)

/** Returns the commit that `git commit` made without printing its id, with its subject. */
function silentCommit(
  { words, heredocs }: SimpleCommand,
  text: string,
  { ran, isSure }: Place,
): { subject?: string } | undefined {
  const isMade = words.some(isQuiet) || /^\s*$|\bfiles? changed\b/.test(text)
  if (!ran || !isMade || rejected.test(text) || (!isSure && nothingToDo.test(text))) return undefined
  const at = words.findIndex((word) => /^(?:-\w*m|--message)$/.test(word))
  const given = at < 0 ? (heredocs[0] ?? '') : (words[at + 1] ?? '')
  const [subject = ''] = given
    .replace(/^\$\(cat <<-?\s*['"]?\w+['"]?\n/, '')
    .trimStart()
    .split('\n', 1)
  return /^$|^\$/.test(subject) ? {} : { subject: subject.slice(0, 500) }
}

/** Reads the branch that `git checkout` or `git switch` changed to. */
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

export function enterBranch(state: GitState, branch: string | undefined, staysAtHead = false): void {
  if (branch === undefined || branch === state.branch) return
  if (!staysAtHead) state.head = undefined
  state.branch = branch
}

/** Returns the output line of a command that is the first or last to print. */
function lineAt(text: string, { first, last }: Place): string | undefined {
  const lines = text.trim().split('\n')
  const line = last ? lines.at(-1) : first ? lines[0] : undefined
  return line !== undefined && /^\S{1,200}$/.test(line) ? line : undefined
}

/** Whether a status lists all changes: with a path, or a program that shortens it, some are missing. */
function isWholeStatus(args: readonly string[], text: string, { alone, isCut }: Place): boolean {
  if (isCut || !args.every((arg) => arg.startsWith('-'))) return false
  if (/^On branch /m.test(text)) return true
  return alone && text.split('\n').every((line) => /^$|^## |^[ MTADRCU?!]{2} /.test(line))
}

/** Reads branch and cleanness from `git status` in any of its forms. */
function readStatus(state: GitState, args: readonly string[], text: string, alone: boolean): void {
  const branch =
    /^On branch (\S{1,200})$/m.exec(text)?.[1] ?? /^## ([^\s.]{1,200})(?:\.\.\.|$)/m.exec(text)?.[1]
  if (branch !== undefined) state.branch = branch
  const isShort = args.some((arg) => /^(?:-s|-sb|--short|--porcelain.*)$/.test(arg))
  if (/^nothing to commit, working tree clean/m.test(text)) state.dirty = false
  else if (/^(?:Changes not staged|Changes to be committed|Untracked files|Unmerged paths)/m.test(text))
    state.dirty = true
  else if (alone && isShort && args.every((arg) => arg.startsWith('-')))
    state.dirty = text.split('\n').some((line) => line.trim() !== '' && !line.startsWith('##'))
  // An unknown form, as of a program that shortens it: an earlier status may be outdated.
  else if (alone && branch === undefined && text.trim() !== '') state.dirty = undefined
}

/** Arguments of `git log` and `git show` with which they begin at HEAD, with its id. */
const plainLog =
  /^(?:--oneline|-\d+|-n\d*|\d+|--(?:format|pretty)=(?:format:)?%[hH].*|--(?:no-)?decorate|--stat|-s|(?:\S+\.\.)?HEAD|\S+\.\.)$/
const plainShow = /^(?:HEAD|--stat|--name-only|--name-status|--oneline|-s|-p|--patch|--no-patch)$/

const marked = /^[*|\s]{0,20}(?:commit )?([\da-f]{7,40}) \((?:HEAD -> ([^,)\n]{1,200})|HEAD[,)])/m

/** Reads the head that `git log`, `git show` or `git rev-parse` printed: by the mark of HEAD, or as the first commit. */
function readShownHead(state: GitState, text: string, { first, isOnly, isCut, since }: Place): void {
  const [, head, branch] = marked.exec(text) ?? []
  if (branch !== undefined) state.branch = branch
  const own = first
    ? /^(?:commit )?([\da-f]{7,40})(?:\s|$)/
    : /^(?:commit )?(?=\d*[a-f])([\da-f]{7,40})(?:\s|$)/m
  const sha = head ?? (isCut || !(first || isOnly) ? undefined : own.exec(text)?.[1])
  if (sha === undefined) return
  const [, named, subject] = logLine.exec(text.slice(text.indexOf(sha))) ?? []
  showHead(state, sha, named === sha ? subject : undefined, since)
}
