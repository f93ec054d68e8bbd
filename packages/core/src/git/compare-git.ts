import { shownNames, shownPath } from './git-line.ts'
import type { ChangedFile } from './parse-status.ts'
import type { GitReading, GitRepository } from './read-git.ts'
import { type RunGitOptions, runGit } from './run-git.ts'

/** A claim that no longer holds. `code` is stable. */
export interface LiveFinding {
  /** The kind of claim that no longer holds. */
  readonly code:
    | 'no-repository'
    | 'other-repository'
    | 'branch-changed'
    | 'branch-gone'
    | 'head-ahead'
    | 'head-behind'
    | 'head-diverged'
    | 'head-unknown'
    | 'upstream-ahead'
    | 'now-dirty'
    | 'now-clean'
    | 'file-gone'
    | 'file-changed'
  /** One line for a person. */
  readonly message: string
  /** The affected file, as named in the claim. */
  readonly path?: string
}

/** Knowledge about a repository at an earlier moment; {@link readGit}, checkpoints and bundles provide it. */
export interface GitClaim {
  /** Branch that was checked out. */
  readonly branch?: string | undefined
  /** Full or abbreviated commit id. */
  readonly head?: string | undefined
  /** True if there were uncommitted changes. */
  readonly dirty?: boolean | undefined
  /** Commits of the upstream that the branch lacked. */
  readonly behind?: number | undefined
  /** Files with uncommitted changes. */
  readonly files?: readonly Pick<ChangedFile, 'path'>[] | undefined
}

const commitId = /^[0-9a-f]{7,64}$/i

/** Whether git reads the text as a commit id and nothing else, so that it is safe as an argument of a command. */
export function isCommitId(text: string | undefined): text is string {
  return text !== undefined && commitId.test(text)
}

/** Lists which claims about a repository no longer hold, most serious first. `cwd` is a folder of the repository. */
export async function compareGit(
  before: GitClaim,
  now: GitReading,
  cwd: string,
  options: RunGitOptions = {},
): Promise<LiveFinding[]> {
  if (now.state !== 'repository') {
    const claimed = before.branch !== undefined || before.head !== undefined
    return claimed ? [{ code: 'no-repository', message: `cannot compare: ${whyNot(now)}` }] : []
  }
  return [
    ...(await compareBranch(before, now, cwd, options)),
    ...(await compareHead(before, now, cwd, options)),
    ...compareUpstream(before, now),
    ...compareTree(before, now),
  ]
}

function whyNot(now: Exclude<GitReading, GitRepository>): string {
  if (now.state === 'no-git') return 'git is not installed'
  return now.state === 'no-repository'
    ? 'this folder is not in a Git repository'
    : `git failed: ${now.message}`
}

async function compareBranch(
  { branch }: GitClaim,
  now: GitRepository,
  cwd: string,
  options: RunGitOptions,
): Promise<LiveFinding[]> {
  if (branch === undefined || branch === now.branch) return []
  const here = now.branch === undefined ? 'the head is detached' : `the branch is ${shownPath(now.branch)}`
  const found = await runGit(cwd, ['show-ref', '--verify', '--quiet', `refs/heads/${branch}`], options)
  const changed = { code: 'branch-changed', message: `${here}, it was ${shownPath(branch)}` } as const
  if (found.end !== 'refused') return [changed]
  return [changed, { code: 'branch-gone', message: `there is no branch ${shownPath(branch)} any more` }]
}

async function compareHead(
  { head }: GitClaim,
  now: GitRepository,
  cwd: string,
  options: RunGitOptions,
): Promise<LiveFinding[]> {
  if (!isCommitId(head) || now.head?.startsWith(head.toLowerCase()) === true) return []
  const was = head.slice(0, 12)
  if (now.head === undefined)
    return [{ code: 'head-unknown', message: `this repository has no commit yet, the head was ${was}` }]
  const here = now.head.slice(0, 12)
  const range = await runGit(
    cwd,
    ['rev-list', '--left-right', '--count', `${head}...${now.head}`, '--'],
    options,
  )
  const [, left, right] = /^(\d+)\s+(\d+)/.exec(range.stdout) ?? []
  if (range.end !== 'ok' || left === undefined || right === undefined) {
    const reason =
      range.end === 'stopped' ? 'git was too slow to compare them' : `${was} is not a commit here`
    const message = `the head is ${here}, it was ${was}: ${reason} (another repository, a shallow clone, or commits that were removed)`
    return [{ code: 'head-unknown', message }]
  }
  const [lost, added] = [Number(left), Number(right)]
  if (lost === 0 && added === 0) return []
  const moved = `the head moved from ${was} to ${here}`
  if (lost === 0) return [{ code: 'head-ahead', message: `${moved}: ${commits(added)} newer` }]
  const holder = await whereIs(head, cwd, options)
  if (added === 0) return [{ code: 'head-behind', message: `${moved}: ${commits(lost)} back; ${holder}` }]
  const message = `${moved}: ${commits(lost)} from then ${lost === 1 ? 'is' : 'are'} not in it, ${commits(added)} ${added === 1 ? 'is' : 'are'} new (rebased, amended or another branch); ${holder}`
  return [{ code: 'head-diverged', message }]
}

async function whereIs(head: string, cwd: string, options: RunGitOptions): Promise<string> {
  const refs = await runGit(
    cwd,
    ['for-each-ref', '--count=1', '--format=%(refname:short)', `--contains=${head}`],
    options,
  )
  const name = refs.stdout.trim()
  const was = head.slice(0, 12)
  if (refs.end !== 'ok') return `whether a branch holds ${was} is not known`
  return name === '' ? `no branch or tag holds ${was}` : `${was} is on ${shownPath(name)}`
}

function compareUpstream(before: GitClaim, now: GitRepository): LiveFinding[] {
  const { behind = 0, upstream } = now
  if (upstream === undefined || behind <= (before.behind ?? 0)) return []
  const message = `${shownPath(upstream)} has ${commits(behind)} that ${behind === 1 ? 'is' : 'are'} not here (as of the last fetch)`
  return [{ code: 'upstream-ahead', message }]
}

function compareTree(before: GitClaim, now: GitRepository): LiveFinding[] {
  if (before.dirty === undefined || now.dirty === undefined) return []
  if (before.dirty && !now.dirty) {
    const message = 'nothing is uncommitted now, but something was then: committed since, stashed, or lost'
    return [{ code: 'now-clean', message }]
  }
  if (before.dirty && before.files === undefined) return []
  const then = new Set(before.files?.map((file) => file.path))
  const more = now.files.filter((file) => !then.has(file.path)).map((file) => file.path)
  // If `files` is cut, only the total number of changed files is known.
  const count = then.size === 0 ? now.changed : more.length
  if (count === 0) return []
  const what = count === 1 ? '1 file is' : `${count} files are`
  const message = `${what} changed or new and not committed that ${count === 1 ? 'was' : 'were'} not then: ${shownNames(more, count)}`
  return [{ code: 'now-dirty', message }]
}

function commits(count: number): string {
  return count === 1 ? '1 commit' : `${count} commits`
}
