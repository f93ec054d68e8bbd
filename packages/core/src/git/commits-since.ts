import { cleanLine } from '../session/clean-text.ts'
import { type RunGitOptions, runGit } from './run-git.ts'

/** A commit of the branch that is checked out. */
export interface Commit {
  readonly id: string
  /** Milliseconds since 1970, of whole seconds. */
  readonly at: number
  readonly subject: string
}

const maxCommits = 100

/** Returns the newest commits of the branch that is checked out, the newest first; none if git does not tell. */
export async function commitsSince(cwd: string, since: number, options: RunGitOptions): Promise<Commit[]> {
  const limits = [`--max-count=${maxCommits}`, `--since=${new Date(since).toISOString()}`]
  const listed = await runGit(cwd, ['rev-list', ...limits, '--format=%ct %s', 'HEAD', '--'], options)
  if (listed.end !== 'ok') return []
  return [...listed.stdout.matchAll(/^commit ([0-9a-f]{40,64})\n(\d+) (.*)$/gm)].map(
    ([, id = '', seconds, subject = '']) => ({ id, at: Number(seconds) * 1000, subject: cleanLine(subject) }),
  )
}
