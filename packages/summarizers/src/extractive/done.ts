import { eventIndex, isOpenError } from '@tenfold/core/internal/summarizer'
import type { Facts } from '@tenfold/core/summarizer'
import { clip } from './sentences.ts'

/** Counts what a session did, says what of it is not committed, and how the last check ended. */
export function done(facts: Facts): string {
  const changed = (status: string) => facts.files.filter((file) => file.status === status).length
  const open = facts.errors.filter(isOpenError).length
  const check = facts.validation
  const parts = [
    ...(['created', 'modified', 'renamed', 'deleted'] as const).map(
      (status) => [changed(status), `files ${status}`] as const,
    ),
    [facts.commands.length, 'commands run'] as const,
    [facts.git.commits.length, 'commits'] as const,
    [facts.errors.length, `errors, ${open} of them open`] as const,
  ].filter(([count]) => count > 0)
  const sums = parts
    .map(([count, what]) => `${count} ${count === 1 ? what.replace(/^(\w+)s\b/, '$1') : what}`)
    .join(', ')
  const stale = check?.stale === true ? ', before the last edits' : ''
  const checked =
    check === undefined ? [] : [`last check ${clip(check.command, 100)}: ${check.status}${stale}`]
  return [sums, ...uncommitted(facts), ...checked].join('; ')
}

/** What no commit of the session holds, if the log shows that its folder is a repository. */
function uncommitted({ files, git, commands }: Facts): string[] {
  const last = git.commits.at(-1)
  const since = last === undefined ? -1 : eventIndex(last.event)
  const count = files.filter(({ lastEdit }) => lastEdit !== undefined && eventIndex(lastEdit) > since).length
  const isRepository =
    git.branch !== undefined ||
    git.head !== undefined ||
    commands.some(({ program }) => program.startsWith('git '))
  if (count === 0 || !isRepository) return []
  if (last === undefined)
    return commands.some(({ command }) => /\bcommit\b/.test(command)) ? [] : ['nothing committed']
  return [`${count} ${count === 1 ? 'file' : 'files'} changed since the last commit`]
}
