import { isOpenError } from '@tenfold/core/internal/summarizer'
import type { Facts } from '@tenfold/core/summarizer'

/** Counts what a session did. */
export function done(facts: Facts): string {
  const changed = (status: string) =>
    facts.files.filter((file) => file.status === status && !file.temporary).length
  const open = new Set(facts.errors.filter(isOpenError).map(({ message }) => message)).size
  const parts = [
    ...(['created', 'modified', 'renamed', 'deleted'] as const).map(
      (status) => [changed(status), `files ${status}`] as const,
    ),
    [facts.commands.length, 'commands run'] as const,
    [facts.git.commits.length, 'commits'] as const,
    [facts.errors.length, `errors, ${open} of them open`] as const,
  ].filter(([count]) => count > 0)
  return parts
    .map(([count, what]) => `${count} ${count === 1 ? what.replace(/^(\w+)s\b/, '$1') : what}`)
    .join(', ')
}

/** What no commit of the session holds, if the log shows that its folder is a repository; empty if nothing. */
export function uncommitted({ git, commands }: Facts): string {
  const count = git.uncommitted?.length ?? 0
  const isRepository =
    git.branch !== undefined ||
    git.head !== undefined ||
    commands.some(({ program }) => program.startsWith('git '))
  if (count === 0 || !isRepository) return git.dirty === true ? 'The work tree had uncommitted changes.' : ''
  const changed = `${count} ${count === 1 ? 'file' : 'files'} changed`
  if (git.commits.length > 0) return `Not committed: ${some(git.uncommitted ?? [])}.`
  return commands.some(({ command }) => /\bcommit\b/.test(command)) ? '' : `Nothing committed: ${changed}.`
}

/** Whether the commits of the session were pushed; empty if there are none, or if the log does not show it. */
export function published({ git }: Facts): string {
  const { length } = git.commits
  if (length === 0 || git.pushed === 'unknown') return ''
  const commits = `${length} ${length === 1 ? 'commit' : 'commits'}`
  return git.pushed === undefined ? `${commits}, not pushed in this session.` : `${commits}, pushed.`
}

/** The first few of some paths, and how many more there are. */
export function some(paths: readonly string[]): string {
  const more = paths.length - 3
  return [...paths.slice(0, 3), ...(more > 0 ? [`${more} more ${more === 1 ? 'file' : 'files'}`] : [])].join(
    ', ',
  )
}
