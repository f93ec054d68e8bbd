import { eventIndex, isOpenError } from '@tenfold/core/internal/summarizer'
import type { Facts } from '@tenfold/core/summarizer'
import { clip } from './sentences.ts'

/** Counts what a session did, and says how the last check ended. */
export function done(facts: Facts): string {
  const changed = (status: string) =>
    facts.files.filter((file) => file.status === status && !file.temporary).length
  const open = new Set(facts.errors.filter(isOpenError).map(({ message }) => message)).size
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
  return [sums, ...checked].join('; ')
}

/** What no commit of the session holds, if the log shows that its folder is a repository; empty if nothing. */
export function uncommitted({ files, git, commands }: Facts): string {
  if (git.dirty === false) return ''
  const last = git.commits.at(-1)
  const since = last === undefined ? -1 : eventIndex(last.event)
  const count = files.filter(
    ({ lastEdit, temporary }) => lastEdit !== undefined && !temporary && eventIndex(lastEdit) > since,
  ).length
  const isRepository =
    git.branch !== undefined ||
    git.head !== undefined ||
    commands.some(({ program }) => program.startsWith('git '))
  if (count === 0 || !isRepository) return git.dirty === true ? 'The work tree had uncommitted changes.' : ''
  const changed = `${count} ${count === 1 ? 'file' : 'files'} changed`
  if (last !== undefined) return `${changed} since the last commit.`
  return commands.some(({ command }) => /\bcommit\b/.test(command)) ? '' : `Nothing committed: ${changed}.`
}
