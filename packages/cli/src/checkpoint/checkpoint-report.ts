import { type Checkpoint, findingLines, gitLine, type LiveCheck, shownNames } from '@tenfold/core'
import type { Style } from '../terminal/style.ts'

/** The lines that summarize a checkpoint; the first says which one it is. */
export function checkpointLines(checkpoint: Checkpoint, style: Style): string[] {
  const { git, files, extra, note, nextCommand, task, label } = checkpoint
  const about = [label && `label ${label}`, task && `task ${task}`].filter(Boolean).join(', ')
  const fields: [name: string, value: string | undefined][] = [
    ['Step', checkpoint.step],
    ['Next', nextCommand && `${style.bold(nextCommand)}${style.dim('  (not run)')}`],
    ['Validation', colourOf(checkpoint.validation, style)],
    ['About', about],
    ['Git', git && gitLine(git)],
    ['Changed', git && git.changed > 0 ? shownNames(namesOf(git.files), git.changed, 8) : ''],
    ['Files', shownNames(namesOf(files), files.length, 12)],
    ['Bundle', checkpoint.bundle],
    [
      'Extra',
      Object.entries(extra)
        .map(([key, value]) => `${key}=${value}`)
        .join(', ')
        .replace(/\s+/g, ' '),
    ],
    ['Note', note.replaceAll('\n', '\n  ')],
  ]
  const lines = fields.flatMap(([name, value]) => (value ? [`${style.dim(`${name}:`)} ${value}`] : []))
  return [`Checkpoint ${checkpoint.id} of track ${checkpoint.track}, ${checkpoint.createdAt}`, ...lines]
}

/**
 * The checkpoint as `key=value` lines for scripts: names and order are stable, and each value is one line. After a live
 * check, `holds` follows, and a `stale` for each thing that no longer holds.
 */
export function porcelainLines(checkpoint: Checkpoint, live?: LiveCheck): string[] {
  const { track, step, note, git, nextCommand, validation, id, label, task, createdAt } = checkpoint
  const fields: [name: string, value: string | undefined][] = [
    ['track', track],
    ['step', step],
    ['note', note],
    ['branch', git?.branch],
    ['head', git?.head],
    ['next_cmd', nextCommand],
    ['validation', validation],
    ['id', id],
    ['time', createdAt],
    ['label', label],
    ['task', task],
    ...Object.entries(checkpoint.extra).map(([name, value]): [string, string] => [
      `extra.${name}`,
      String(value),
    ]),
    ...(live === undefined ? [] : [['holds', String(live.holds)] as [string, string]]),
    ...(live?.findings ?? []).map(({ message }): [string, string] => ['stale', message]),
  ]
  return fields.map(
    ([name, value = '']) => `${name}=${value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`,
  )
}

/** The result of the live check, in plain words. */
export function liveLines({ git, holds, findings }: LiveCheck, style: Style): string[] {
  const now = git.state === 'repository' ? [`${style.dim('Now:')} ${gitLine(git)}`] : []
  if (holds) return [...now, style.green('Live: everything that can be checked still holds.')]
  return [...now, style.yellow('Live: this no longer holds:'), ...findingLines(findings)]
}

function namesOf(files: readonly { readonly path: string }[]): string[] {
  return files.map((file) => file.path)
}

function colourOf(validation: Checkpoint['validation'], style: Style): string {
  return { green: style.green, failed: style.red, pending: style.yellow }[validation](validation)
}
