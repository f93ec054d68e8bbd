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

/** What no commit holds, if the log shows that its folder is a repository; empty if nothing. */
export function uncommitted({ git, commands }: Facts): string {
  const { uncommitted: paths = [], commits } = git
  const isNamed = git.branch !== undefined || git.head !== undefined
  const isRepository = isNamed || commands.some(({ program }) => program.startsWith('git '))
  const files = paths.length === 1 ? '1 file' : `${paths.length} files`
  if (paths.length > 0 && isRepository)
    return `Not committed when it ended: ${commits.length > 0 ? some(paths) : files}.`
  return git.dirty === true ? 'The work tree had uncommitted changes.' : ''
}

/** Whether the commits of the session were pushed; empty if there are none. */
export function published({ git: { commits } }: Facts): string {
  const { length } = commits
  const open = commits.filter(({ pushed }) => pushed === undefined).map(({ sha }) => sha)
  const isUnknown = commits.some(({ pushed }) => pushed === 'unknown')
  const few = open.length > 3 || open.includes('unknown') ? '' : `: ${open.join(', ')}`
  const [part, ids] = open.length < length ? [`${open.length} of them `, few] : ['', '']
  const sent = isUnknown ? ': a push was run, its result is not in the log' : ', pushed'
  const said = open.length === 0 ? sent : `, ${part}not pushed in this session${ids}`
  return length === 0 ? '' : `${length} ${length === 1 ? 'commit' : 'commits'}${said}.`
}

/** The first few of some paths, and how many more there are. */
export function some(paths: readonly string[]): string {
  const more = paths.length - 3
  return [...paths.slice(0, 3), ...(more > 0 ? [`${more} more ${more === 1 ? 'file' : 'files'}`] : [])].join(
    ', ',
  )
}
