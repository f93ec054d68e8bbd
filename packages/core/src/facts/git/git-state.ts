import type { EventId } from '../../session/event.ts'
import type { ShellRun } from '../../shell/shell-runs.ts'
import { isDone, type ToolUse } from '../../tools/tool-uses.ts'
import type { CommitFact } from '../facts.ts'

/**
 * Reads the commits that git printed: `[main 1a2b3c4] Subject`. They were made even if the call failed at a later step;
 * Codex writes the output of a failed call behind `stdout:`.
 */
export function readCommits(state: GitState, use: ToolUse, text: string, args: readonly string[]): void {
  if (use.result === undefined) return
  const amend = args.includes('--amend')
  const all = amend || args.some((arg) => /^(?:--|--all|-[a-z]*a[a-z]*)$/.test(arg))
  for (const line of text.split('\n')) {
    const match =
      /^(?:.{0,300}?\bstdout: )?\[([^\]]{1,200}?)(?: \(root-commit\))? ([\da-f]{7,40})\] ?(.*)$/.exec(
        line.slice(0, 1000),
      )
    const sha = match?.[2]
    if (match === null || sha === undefined) continue
    if (state.commits.some((commit) => sameCommit(commit.sha, sha))) continue
    if (amend) state.commits.pop()
    const branch = match[1] === 'detached HEAD' ? undefined : match[1]
    if (branch !== undefined) state.branch = branch
    const paths = all ? [''] : state.staged
    addCommit(state, { sha, ...subjectOf(match[3]), event: use.result.id, paths, ...(branch && { branch }) })
  }
}

/** Reads the commit that a quiet `git commit` made from the `git log` after it. */
export function readNewestOfLog(state: GitState, use: ToolUse, text: string): void {
  const [, sha, subject] = logLine.exec(text) ?? []
  if (sha === undefined || subject === undefined || use.result === undefined) return
  if (state.commits.some((commit) => sameCommit(commit.sha, sha))) return
  const { branch } = state
  const made = { sha, subject, event: use.result.id, paths: [''] }
  addCommit(state, { ...made, ...(branch === undefined ? {} : { branch }) })
}

function addCommit(state: GitState, commit: MadeCommit): void {
  // What was staged by no command that the log shows may be all.
  state.commits.push({ ...commit, paths: commit.paths.length === 0 ? [''] : commit.paths })
  state.staged = []
  state.head = commit.sha
  state.dirty = undefined
  state.pushed = undefined
}

function subjectOf(text: string | undefined): { subject?: string } {
  const subject = text?.trim() ?? ''
  return subject === '' ? {} : { subject }
}

const logLine = /^([\da-f]{7,40}) (?:\([^)\n]{1,200}\) )?(.{1,500})$/m

/** Leaves out the commits that `git reset` took off the branch: their changes were thrown away or committed again. */
export function dropCommits(state: GitState, args: readonly string[], text: string): void {
  const targets = args.filter((arg) => !arg.startsWith('-'))
  const [target = 'HEAD'] = targets
  // With paths it changes the index only.
  if (args.includes('--') || targets.length > 1 || target === 'HEAD' || !isCommit(target, args)) return
  const kept = remaining(state, target, text)
  if (kept === undefined) return
  const gone = state.commits.filter((commit) => !kept.includes(commit))
  state.commits = kept
  if (gone.length === 0) return
  // What the commits held stays in the index: https://git-scm.com/docs/git-reset
  if (args.includes('--soft')) state.staged.push(...gone.flatMap(({ paths }) => paths))
  state.head = gone.some(({ sha }) => sameCommit(sha, state.head)) ? undefined : state.head
  state.dirty = args.includes('--hard') ? state.dirty : true
  state.pushed = undefined
}

function isCommit(target: string, args: readonly string[]): boolean {
  return (
    args.some((arg) => /^--(?:soft|mixed|hard|keep|merge)$/.test(arg)) ||
    /^(?:HEAD|@)[~^{]|^[\da-f]{7,40}$|^(?:main|master|develop|trunk)$|^(?:origin|upstream)\/\S/.test(target)
  )
}

/** The commits that a reset to `target` leaves; undefined if nothing says what they are. */
function remaining(state: GitState, target: string, text: string): MadeCommit[] | undefined {
  const { commits, branch } = state
  const back = /^(?:HEAD|@)(?:~(\d{0,4})|(\^{1,20}))$/.exec(target)
  if (back !== null) {
    const count = back[2]?.length ?? Number(back[1] === '' ? 1 : back[1])
    return count === 0 ? commits : commits.slice(0, -count)
  }
  const printed = /^HEAD is now at ([\da-f]{7,40})/m.exec(text)?.[1]
  const at = commits.findLastIndex(({ sha }) => sameCommit(sha, printed) || sameCommit(sha, target))
  if (at >= 0) return commits.slice(0, at + 1)
  const isUpstream = target === '@{u}' || (branch !== undefined && target.endsWith(`/${branch}`))
  // What was pushed before is in the upstream.
  if (isUpstream && state.pushed !== undefined) return commits
  return branch === undefined || target === branch
    ? undefined
    : commits.filter((commit) => commit.branch !== branch)
}

function sameCommit(a: string, b: string | undefined): boolean {
  return b !== undefined && b.length >= 7 && (a.startsWith(b) || b.startsWith(a))
}

/** After a rebase the commits of its branch have other ids. */
export function readRebase(state: GitState, text: string): void {
  const branch = /^Successfully rebased and updated refs\/heads\/(\S{1,200}?)\.?$/m.exec(text)?.[1]
  if (branch === undefined) return
  state.commits = state.commits.map((commit) =>
    commit.branch === branch ? { ...commit, rebased: true } : commit,
  )
  state.pushed = undefined
}

/** Reads the new ids of rebased commits from lines of `git log --oneline` with their subjects. */
export function renameRebased(state: GitState, text: string): void {
  if (!state.commits.some(({ rebased }) => rebased)) return
  const lines = text
    .slice(0, 50_000)
    .split('\n')
    .flatMap((line) => {
      const [, sha, subject] = logLine.exec(line) ?? []
      return sha === undefined || subject === undefined ? [] : [{ sha, subject }]
    })
  state.commits = state.commits.map((commit) => {
    const found = commit.rebased ? lines.find(({ subject }) => subject === commit.subject) : undefined
    return found === undefined ? commit : renamed(commit, found.sha)
  })
}

/** The last commit of a rebased branch has the id that was pushed. */
function renameLast(state: GitState, sha: string): void {
  const last = state.commits.at(-1)
  if (last?.rebased) state.commits[state.commits.length - 1] = renamed(last, sha)
  setHead(state, sha)
}

function renamed({ rebased: _, ...commit }: MadeCommit, sha: string): MadeCommit {
  return { ...commit, sha }
}

/** `   1a2b3c4..5d6e7f8  main -> main`, ` + 1a2b3c4...5d6e7f8 x -> x (forced update)`, ` * [new branch]      x -> x` */
const sentRef =
  /^ ?[ +*] ?(?:[\da-f]{7,40}\.{2,3}([\da-f]{7,40})|\[new branch\])\s+(\S{1,200}) -> \S{1,200}/gm
const notSent =
  /^ ! \[(?:remote )?rejected\]|^error: failed to push|(?:^|\bstderr: )fatal: |^To .{1,300}\n ! /m

/**
 * Reads whether `git push`, the command at `at` of a run, sent the branch: from the lines that git prints of each ref,
 * also if the run failed later, otherwise from the outcome of the run.
 */
export function readPush(
  state: GitState,
  args: readonly string[],
  run: ShellRun,
  at: number,
  text: string,
): void {
  const { use, commands } = run
  const branches = [state.branch, state.commits.at(-1)?.branch]
  if (use.result === undefined || !sendsBranch(args, branches)) return
  const sent = [...printedByPush(text).matchAll(sentRef)].find(
    ([, , ref = '']) => state.branch === undefined || ref === 'HEAD' || branches.includes(ref),
  )
  if (sent !== undefined) {
    if (sent[1] !== undefined) renameLast(state, sent[1])
    state.pushed = use.result.id
    return
  }
  if (/^Everything up-to-date$|^[Bb]ranch '.{1,200}' set up to track /m.test(text)) {
    state.pushed = use.result.id
    return
  }
  if (use.outcome === 'denied' || notSent.test(text)) return
  const isSure = isDone(use) && commands.slice(at + 1).every(({ joiner }) => joiner === '&&')
  if (isSure) state.pushed = use.result.id
  else state.pushed ??= 'unknown'
}

/** The lines below `To …`, if a fetch in the same run printed lines of the same form. */
function printedByPush(text: string): string {
  if (!/^From \S/m.test(text)) return text
  const to = /^To \S/m.exec(text)
  return to === null ? '' : text.slice(to.index)
}

/** Whether a push is about the branch: not about tags, a removal, another branch or nothing at all. */
function sendsBranch(args: readonly string[], branches: readonly (string | undefined)[]): boolean {
  if (args.some((arg) => /^(?:--dry-run|-n|--delete|-d|--tags)$/.test(arg))) return false
  const refs = args.filter((arg) => !arg.startsWith('-')).slice(1)
  if (refs.length === 0 || branches[0] === undefined) return true
  return refs.some((ref) => {
    const from =
      ref
        .replace(/^\+/, '')
        .replace(/^refs\/heads\//, '')
        .split(':', 1)[0] ?? ''
    return from === 'HEAD' || from.startsWith('$') || branches.includes(from)
  })
}

/** A commit of the session while its log is read. */
interface MadeCommit extends CommitFact {
  readonly branch?: string
  /** The files and folders that it holds, as far as the session staged them; `''` for all. */
  readonly paths: readonly string[]
}

/** What is known of the repository at a point of the log. */
export interface GitState {
  branch: string | undefined
  head: string | undefined
  dirty: boolean | undefined
  commits: MadeCommit[]
  /** As `paths` of a commit: what was staged since the last one. */
  staged: string[]
  /** The last `git status` that lists all changes. */
  status?: { readonly event: EventId; readonly text: string }
  /** As in the facts. */
  pushed: EventId | 'unknown' | undefined
}

/** Sets the head, in the longer form if it is known in two. */
export function setHead(state: GitState, sha: string): void {
  if (state.head?.startsWith(sha) !== true) state.head = sha
}
