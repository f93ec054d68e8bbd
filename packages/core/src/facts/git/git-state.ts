import type { EventId } from '../../session/event.ts'
import type { ToolUse } from '../../tools/tool-uses.ts'
import type { CommitFact } from '../facts.ts'

/** A commit while the log is read. */
type MadeCommit = { -readonly [K in keyof CommitFact]: CommitFact[K] } & {
  branch?: string | undefined
  /** Files and folders in the commit, as far as the session staged them; `''` for all. */
  paths: readonly string[]
  /** The head before a commit without an id: if the log shows that head again, the commit was not made. */
  before?: string | undefined
  /** Someone else made it: a head that the log shows first. */
  foreign?: true
}

/** The state of the repository at a point of the log. */
export interface GitState {
  branch: string | undefined
  head: string | undefined
  dirty: boolean | undefined
  commits: MadeCommit[]
  /** Like `paths` of a commit: staged since the last one. */
  staged: string[]
  /** The last `git status` that lists all changes. */
  status?: { readonly event: EventId; readonly text: string }
}

/** Replaces a commit id that the log does not show. */
export const noId = 'unknown'

const printedCommit =
  /^(?:.{0,300}?\bstdout: )?\[([^\]]{1,200}?)(?: \(root-commit\))? ([\da-f]{7,40})\] ?(.*)$/

/**
 * Reads the commits that git printed: `[main 1a2b3c4] Subject`. They exist even if the call failed at a later step;
 * Codex writes the output of a failed call after `stdout:`. `silent` is the commit that was made if none is printed.
 */
export function readCommits(
  state: GitState,
  event: EventId,
  text: string,
  args: readonly string[],
  silent: { readonly subject?: string } | undefined,
): void {
  const amend = args.includes('--amend')
  const all = amend || args.some((arg) => /^(?:--|--all|-[a-z]*a[a-z]*)$/.test(arg))
  const made = { event, paths: all ? [''] : state.staged }
  let isPrinted = false
  for (const line of text.split('\n')) {
    const [, on, sha, subject = ''] = printedCommit.exec(line.slice(0, 1000)) ?? []
    if (sha === undefined) continue
    isPrinted = true
    if (isKnown(state, sha)) continue
    const branch = on === 'detached HEAD' || on === 'HEAD' ? undefined : on
    state.branch = branch ?? state.branch
    addCommit(state, { ...made, sha, branch, ...(subject.trim() && { subject: subject.trim() }) }, amend)
  }
  if (isPrinted || silent === undefined) return
  const before = amend ? undefined : state.head
  addCommit(state, { ...made, sha: noId, branch: state.branch, before, ...silent }, amend)
}

function addCommit(state: GitState, commit: MadeCommit, amend: boolean): void {
  const [replaced] = amend ? state.commits.splice(lastAt(state), 1) : []
  const subject = commit.subject ?? replaced?.subject
  // If the log shows no staging, everything may be staged.
  const paths = commit.paths.length === 0 ? [''] : commit.paths
  state.commits.push({ ...commit, paths, ...(subject === undefined ? {} : { subject }) })
  state.staged = []
  state.head = commit.sha === noId ? undefined : commit.sha
  state.dirty = undefined
}

/** Returns the place of the last commit of the current branch. */
function lastAt({ commits, branch }: GitState, on = branch): number {
  return commits.findLastIndex((commit) => isOn(commit, on))
}

function isOn(commit: MadeCommit, branch: string | undefined): boolean {
  return branch === undefined || commit.branch === undefined || commit.branch === branch
}

function isKnown({ commits }: GitState, sha: string): boolean {
  return commits.some((commit) => sameCommit(commit.sha, sha))
}

/**
 * Reads the head that a command showed: it is the id of a commit without one, shows that one was not made, or is
 * someone else's commit, made after the event `since` at the earliest.
 */
export function showHead(state: GitState, sha: string, subject: string | undefined, since: EventId): void {
  const at = lastAt(state)
  const last = state.commits[at]
  const isNew = !sameCommit(sha, state.head) && !isKnown(state, sha)
  // Calls of subagents may be listed after later ones, so that what they show is outdated.
  const isPast = isKnown(state, sha) && last?.sha !== noId && !sameCommit(sha, last?.sha)
  // Committed again: after a reset, or with another base.
  const again = state.commits.findLast(
    (commit) => isOn(commit, state.branch) && commit.subject === (subject ?? ''),
  )
  // Programs that shorten the log cut subjects.
  const isIt = last?.subject?.startsWith(subject?.slice(0, 30) ?? '') !== false
  if (last?.sha === noId && sameCommit(sha, last.before)) state.commits.splice(at, 1)
  else if (last !== undefined && isOpen(last) && isIt) nameCommit(last, sha, subject)
  else if (isNew && again !== undefined) nameCommit(again, sha)
  // A head seen first, with changes that are staged, may be older than they are.
  else if (isNew && (state.head !== undefined || state.staged.length === 0)) {
    state.commits.push({ sha, event: since, paths: [''], branch: state.branch, foreign: true })
    if (state.head !== undefined) state.dirty = undefined
  }
  if (!isPast) setHead(state, sha)
}

function isOpen({ sha, rebased }: MadeCommit): boolean {
  return sha === noId || rebased === true
}

function nameCommit(commit: MadeCommit, sha: string, subject = commit.subject): void {
  if (!commit.sha.startsWith(sha)) commit.sha = sha
  if (subject !== undefined) commit.subject ??= subject
  for (const key of ['rebased', 'before', 'foreign'] as const) delete commit[key]
}

/** Removes the commits that `git reset` took off the branch: their changes were discarded or committed again. */
export function dropCommits(state: GitState, args: readonly string[], text: string): void {
  const targets = args.filter((arg) => !arg.startsWith('-'))
  const [target = 'HEAD'] = targets
  // With paths, it changes only the index.
  if (args.includes('--') || targets.length > 1 || target === 'HEAD' || !isCommit(target, args)) return
  const kept = remaining(state, target, text)
  if (kept === undefined) return
  const gone = state.commits.filter((commit) => !kept.includes(commit))
  state.commits = kept
  if (gone.length === 0) return
  // The content of the commits stays in the index: https://git-scm.com/docs/git-reset
  if (args.includes('--soft')) state.staged.push(...gone.flatMap(({ paths }) => paths))
  state.head = gone.some(({ sha }) => sameCommit(sha, state.head)) ? undefined : state.head
  state.dirty = args.includes('--hard') ? state.dirty : true
}

function isCommit(target: string, args: readonly string[]): boolean {
  return (
    args.some((arg) => /^--(?:soft|mixed|hard|keep|merge)$/.test(arg)) ||
    /^(?:HEAD|@)[~^{]|^[\da-f]{7,40}$|^(?:main|master|develop|trunk)$|^(?:origin|upstream)\/\S/.test(target)
  )
}

/** Returns the commits that a reset to `target` leaves; undefined if they are unknown. */
function remaining(state: GitState, target: string, text: string): MadeCommit[] | undefined {
  const { commits, branch } = state
  const back = /^(?:HEAD|@)(?:~(\d{0,4})|(\^{1,20}))$/.exec(target)
  if (back !== null) {
    const count = back[2]?.length ?? Number(back[1] === '' ? 1 : back[1])
    const gone = count === 0 ? [] : commits.filter((commit) => isOn(commit, branch)).slice(-count)
    return commits.filter((commit) => !gone.includes(commit))
  }
  const printed = /^HEAD is now at ([\da-f]{7,40})/m.exec(text)?.[1]
  const at = commits.findLastIndex(({ sha }) => sameCommit(sha, printed) || sameCommit(sha, target))
  if (at >= 0) return commits.slice(0, at + 1)
  const isUpstream = target === '@{u}' || (branch !== undefined && target.endsWith(`/${branch}`))
  if (branch === undefined || target === branch) return undefined
  // Commits pushed before are in the upstream.
  return commits.filter((commit) => commit.branch !== branch || (isUpstream && commit.pushed !== undefined))
}

function sameCommit(a: string, b: string | undefined): boolean {
  return b !== undefined && b.length >= 7 && (a.startsWith(b) || b.startsWith(a))
}

/** After a rebase, the commits of its branch have other ids. */
export function readRebase(state: GitState, text: string): void {
  const branch = /^Successfully rebased and updated refs\/heads\/(\S{1,200}?)\.?$/m.exec(text)?.[1]
  for (const commit of state.commits)
    if (branch !== undefined && commit.branch === branch) {
      commit.rebased = true
      delete commit.pushed
    }
}

/** A line of `git log --oneline`. */
export const logLine = /^([\da-f]{7,40}) (?:\([^)\n]{1,200}\) )?(.{1,500})$/m

/** Reads missing commit ids from lines of `git log --oneline` with their subjects. */
export function nameShown(state: GitState, text: string): void {
  if (!state.commits.some(isOpen)) return
  const lines = [...text.slice(0, 50_000).matchAll(new RegExp(logLine, 'gm'))]
  for (const commit of state.commits.filter(isOpen)) {
    const sha = lines.find(([, , subject]) => subject === commit.subject)?.[1]
    if (sha !== undefined && !isKnown(state, sha) && !sameCommit(sha, commit.before)) nameCommit(commit, sha)
  }
}

/** `   1a2b3c4..5d6e7f8  main -> main`, ` + 1a2b3c4...5d6e7f8 x -> x (forced update)`, ` * [new branch]      x -> x` */
const sentRef =
  /^ ?[ +*] ?(?:[\da-f]{7,40}\.{2,3}([\da-f]{7,40})|\[new branch\])\s+(\S{1,200}) -> \S{1,200}/gm
const notSent =
  /^ ! \[(?:remote )?rejected\]|^error: failed to push|(?:^|\bstderr: )fatal: |^To .{1,300}\n ! /m

/**
 * Reads which branches `git push` sent: from git's lines about each ref, also if the run failed later, otherwise from
 * the outcome of the run, if that is certainly the push's.
 */
export function readPush(
  state: GitState,
  args: readonly string[],
  { result }: ToolUse,
  text: string,
  isSure: boolean,
): void {
  const names = sentBranches(args, state.branch)
  const [, sha, ref = ''] =
    [...printedByPush(text).matchAll(sentRef)].find(
      ([, , name = '']) => name === 'HEAD' || names === undefined || names.includes(name),
    ) ?? []
  if (ref === '') {
    const isPrinted = /^Everything up-to-date$|^[Bb]ranch '.{1,200}' set up to track /m.test(text)
    const isKnown = result !== undefined && (isPrinted || isSure)
    if (isPrinted || !notSent.test(text)) markPushed(state, isKnown ? result.id : 'unknown', names)
    return
  }
  const branch = ref === 'HEAD' ? state.branch : ref
  const last = state.commits[lastAt(state, branch)]
  if (sha !== undefined && last !== undefined && isOpen(last)) nameCommit(last, sha)
  if (sha !== undefined && (state.branch === undefined || branch === state.branch)) setHead(state, sha)
  markPushed(state, result?.id ?? 'unknown', branch === undefined ? undefined : [branch])
}

/** Marks the commits of some branches, or of all, as pushed. */
function markPushed(state: GitState, by: EventId | 'unknown', names?: readonly string[]): void {
  for (const commit of state.commits) {
    const branch = commit.branch ?? state.branch
    const isSent = names === undefined || branch === undefined || names.includes(branch)
    if (isSent && (commit.pushed ?? 'unknown') === 'unknown') commit.pushed = by
  }
}

/** Reads from `git status` whether the branch is in its upstream. */
export function readUpstream(state: GitState, text: string, event: EventId): void {
  const ahead =
    /^Your branch is ahead of '.{1,200}' by (\d{1,6}) commit|^## \S.{0,300}\[ahead (\d{1,6})/m.exec(text)
  if (ahead === null && !upToDate.test(text)) return
  markPushed(state, event, state.branch === undefined ? undefined : [state.branch])
  const own = state.commits.filter((commit) => isOn(commit, state.branch)).reverse()
  for (const commit of own.slice(0, Number(ahead?.[1] ?? ahead?.[2] ?? 0))) delete commit.pushed
}

const upToDate = /^Your branch is up to date with '|^## [^\s.]{1,200}\.{3}\S{1,200}$/m

/** Returns the lines below `To …`, if a fetch in the same run printed lines of the same form. */
function printedByPush(text: string): string {
  if (!/^From \S/m.test(text)) return text
  const to = /^To \S/m.exec(text)
  return to === null ? '' : text.slice(to.index)
}

/** Returns the branches of a push, undefined if unknown; none if it is about tags, a removal or nothing. */
function sentBranches(args: readonly string[], branch: string | undefined): readonly string[] | undefined {
  if (args.some((arg) => /^(?:--dry-run|-n|--delete|-d|--tags)$/.test(arg))) return []
  const refs = args.filter((arg) => !arg.startsWith('-')).slice(1)
  if (args.includes('--all') || (refs.length === 0 && branch === undefined)) return undefined
  const names = refs.map(
    (ref) =>
      ref
        .replace(/^\+/, '')
        .replace(/^refs\/heads\//, '')
        .split(':', 1)[0] ?? '',
  )
  const isHere = (name: string) => name === 'HEAD' || name.startsWith('$')
  if (branch === undefined && names.some(isHere)) return undefined
  return refs.length === 0 ? [branch ?? ''] : names.map((name) => (isHere(name) ? (branch ?? '') : name))
}

/** Sets the head, in its longer form if both are known. */
export function setHead(state: GitState, sha: string): void {
  if (state.head?.startsWith(sha) !== true) state.head = sha
}
