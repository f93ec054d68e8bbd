import { type Block, block } from '../brief/block.ts'
import type { Checkpoint } from '../checkpoint/schema.ts'
import { findingLines, gitLine, shownNames, shownPath } from '../git/git-line.ts'
import type { LiveCheck } from '../git/live-check.ts'
import { cutHead } from '../session/cut-text.ts'

export function checkpointBlocks(
  checkpoints: readonly Checkpoint[],
  live: LiveCheck | undefined,
  folder: string,
): Block[] {
  const newest = checkpoints.at(-1)
  if (newest === undefined) return []
  const ofLive = live === undefined ? [] : [liveBlock(live, folder)]
  return [pointBlock(pointLines(newest)), ...ofLive, ...wordBlocks(newest), olderBlock(checkpoints)]
}

export function pointBlock(lines: readonly string[]): Block {
  return block('Resume point', 0.5, lines, 300)
}

export function wordBlocks(checkpoint: Checkpoint): Block[] {
  const extra = Object.entries(checkpoint.extra).map(
    ([key, value]) => `- ${key}: ${String(value).replace(/\s+/g, ' ')}`,
  )
  return [
    block('Note of that checkpoint', 0.15, [quote(checkpoint.note)], 200),
    block('Extra of that checkpoint', 0.05, extra),
  ]
}

export function pointLines(checkpoint: Checkpoint): string[] {
  const { step, nextCommand, validation, git, createdAt, track, label } = checkpoint
  const files = checkpoint.files.map(({ path }) => path)
  return [
    `- step: ${step}`,
    nextCommand === undefined ? '' : `- next command at that time (shown, not run): ${nextCommand}`,
    `- validation: ${validation}`,
    `- saved ${createdAt} on track ${track}${label === undefined ? '' : `, label ${label}`}${git === undefined ? '' : `, ${gitLine(git)}`}`,
    files.length === 0 ? '' : `- files: ${shownNames(files, files.length, 20)}`,
  ]
}

/** Returns the first block, on claims that no longer hold; findings about files take one line per kind. */
export function liveBlock({ findings, git, holds }: LiveCheck, folder: string): Block {
  const now = git.state === 'repository' ? [`- now: ${gitLine(git)}`] : []
  const place = shownPath(folder)
  if (findings.some(({ code }) => code === 'other-repository'))
    return block(`Not checked in ${place}`, 0.1, findingLines(findings))
  if (holds) return block(`Checked in ${place}: what can be checked still holds`, 0.1, now)
  return block(`No longer holds (checked in ${place})`, 0.25, [...findingLines(findings), ...now])
}

export function olderBlock(checkpoints: readonly Checkpoint[]): Block {
  const lines = checkpoints.slice(0, -1).map(({ createdAt, step, validation, nextCommand, note }) => {
    const about = [
      validation,
      ...(nextCommand === undefined ? [] : [`next: ${nextCommand}`]),
      ...(note === '' ? [] : [cutHead(note.replace(/\s+/g, ' '), 300)]),
    ]
    return `- ${createdAt} ${step} (${about.join('; ')})`
  })
  return { ...block('Checkpoints before it, oldest first (history)', 0.15, lines), newestLast: true }
}

/** Quotes a text, so that no line of it reads as a heading of the brief. */
export function quote(text: string): string {
  return text === ''
    ? ''
    : text
        .split('\n')
        .map((line) => (line === '' ? '>' : `> ${line}`))
        .join('\n')
}
