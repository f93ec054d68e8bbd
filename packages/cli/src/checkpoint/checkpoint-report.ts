import type { Checkpoint } from '@tenfold/core'
import { findingLines, gitLine, shownNames } from '@tenfold/core/internal'
import type { LiveCheck } from '@tenfold/core/store'
import type { Style } from '../terminal/terminal.ts'

export function checkpointLines(checkpoint: Checkpoint, style: Style): string[] {
  const { git, files, extra, note, nextCommand, task, label } = checkpoint
  const about = [label && `label ${label}`, task && `task ${task}`].filter(Boolean).join(', ')
  const colour = { green: style.green, failed: style.red, pending: style.yellow }
  const fields: [name: string, value: string | undefined][] = [
    ['Step', checkpoint.step],
    ['Next', nextCommand && `${style.bold(nextCommand)}${style.dim('  (not run)')}`],
    ['Validation', colour[checkpoint.validation](checkpoint.validation)],
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

/** Names and order are stable, and each value is one line. After a live check, `holds` and `stale` follow. */
export function porcelainLines(checkpoint: Checkpoint, live?: LiveCheck): string[] {
  const { track, step, note, git, nextCommand, validation, id, label, task, createdAt, extra } = checkpoint
  const fields: [name: string, value: unknown][] = [
    ...Object.entries({ track, step, note, branch: git?.branch, head: git?.head, next_cmd: nextCommand }),
    ...Object.entries({ validation, id, time: createdAt, label, task }),
    ...Object.entries(extra).map(([name, value]): [string, unknown] => [`extra.${name}`, value]),
    ...(live === undefined ? [] : [['holds', live.holds] as [string, boolean]]),
    ...(live?.findings ?? []).map(({ message }): [string, string] => ['stale', message]),
  ]
  const escaped = (value: unknown) =>
    String(value ?? '')
      .replaceAll('\\', '\\\\')
      .replaceAll('\n', '\\n')
  return fields.map(([name, value]) => `${name}=${escaped(value)}`)
}

export function liveLines({ git, holds, findings }: LiveCheck, style: Style): string[] {
  const now = git.state === 'repository' ? [`${style.dim('Now:')} ${gitLine(git)}`] : []
  if (holds) return [...now, style.green('Live: everything that can be checked is still true.')]
  return [...now, style.yellow('Live: this is no longer true:'), ...findingLines(findings)]
}

function namesOf(files: readonly { readonly path: string }[]): string[] {
  return files.map((file) => file.path)
}

export const checkpointGuide = `## Checkpoints

Work here outlives your context. Keep its state with \`tenfold\`, on a track of your own if other agents work here too.

After a compaction, and whenever you do not know the state of the work:

1. Run \`tenfold checkpoint resume --live\` (with \`--track NAME\` if you have a track of your own).
   Without the command, read \`.agents/bundles/checkpoints/LATEST.md\`.
2. Compare branch, head and files with what it says. What no longer holds comes first.
3. If the next command of your own track still fits what you were asked to do, run it; do not do finished work again.
4. Save a new checkpoint before you begin something new.

Before a long command, a subagent, or the next phase, and when a step is done:

    tenfold checkpoint save --track main --step "what is done" --next-cmd "the exact next command" \\
      --validation green --note "what was learned" --file path/of/a/file --extra key=value

- \`--next-cmd\` matters most: it is what the next context starts with.
- \`--validation\` is green, pending or failed: say what was checked, not what you hope.
- Agents that work beside the main one add \`--no-set-current\` and their own \`--track\`.

At the end of a phase, save what you found and decided: \`tenfold save FILE.md\` (see \`tenfold save --help\`).
`
