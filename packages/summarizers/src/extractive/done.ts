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
  const files = `${count} ${count === 1 ? 'file' : 'files'}`
  return `Not committed: ${git.commits.length === 0 ? files : some(git.uncommitted ?? [])}.`
}

/** Whether the commits of the session were pushed; empty if there are none. */
export function published({ git: { commits } }: Facts): string {
  const { length } = commits
  const open = commits.filter(({ pushed }) => pushed === undefined).map(({ sha }) => sha)
  const isUnknown = commits.some(({ pushed }) => pushed === 'unknown')
  const sent = isUnknown ? ': a push was run, its result is not in the log' : ', pushed'
  const few = open.length > 3 || open.includes('unknown') ? '' : `: ${open.join(', ')}`
  const which = open.length < length ? `${open.length} of them not pushed in this session${few}` : ''
  const said = open.length === 0 ? sent : `, ${which || 'not pushed in this session'}`
  return length === 0 ? '' : `${length} ${length === 1 ? 'commit' : 'commits'}${said}.`
}

/** The first few of some paths, and how many more there are. */
export function some(paths: readonly string[]): string {
  const more = paths.length - 3
  return [...paths.slice(0, 3), ...(more > 0 ? [`${more} more ${more === 1 ? 'file' : 'files'}`] : [])].join(
    ', ',
  )
}
