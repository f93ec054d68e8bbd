import { formatText } from '../bundle/item-line.ts'
import { branchAndHead, shownPath } from '../git/git-line.ts'
import type { CheckpointEntry } from './checkpoint-entry.ts'
import type { Checkpoint } from './schema.ts'

/** Renders a checkpoint for people and agents. Only the JSON is ever read back. */
export function checkpointToMarkdown(checkpoint: Checkpoint): string {
  const { git } = checkpoint
  const sections: [title: string, lines: readonly string[]][] = [
    ['Step', [checkpoint.step]],
    ['Next command (shown, never run)', codeBlock(checkpoint.nextCommand)],
    ['Note', formatText(checkpoint.note)],
    ['Files', checkpoint.files.map(({ path }) => `- ${shownPath(path)}`)],
    ['Not committed', git === undefined ? [] : uncommitted(git)],
    ['Extra', extraLines(checkpoint)],
  ]
  const lines = [`# Checkpoint ${checkpoint.id}`, '', ...facts(checkpoint)]
  for (const [title, body] of sections) if (body.length > 0) lines.push('', `## ${title}`, ...body)
  return `${lines.join('\n')}\n`
}

export function pointerToMarkdown(pointer: {
  readonly current?: string | undefined
  readonly tracks: readonly (CheckpointEntry & Pick<Checkpoint, 'note' | 'extra' | 'files'>)[]
}): string {
  const isCurrent = (entry: CheckpointEntry): boolean => entry.track === pointer.current
  const ordered = [
    ...pointer.tracks.filter(isCurrent),
    ...pointer.tracks.filter((entry) => !isCurrent(entry)),
  ]
  const lines = ['# Latest checkpoints']
  for (const entry of ordered) {
    lines.push('', `## ${entry.track}${isCurrent(entry) ? ' (current)' : ''}`)
    const facts = {
      step: entry.step,
      validation: entry.validation,
      at: entry.createdAt,
      head: entry.head && branchAndHead(entry),
      checkpoint: entry.id,
      label: entry.label,
      task: entry.task,
      files: entry.files.map(({ path }) => shownPath(path)).join(', ') || undefined,
    }
    lines.push(...factLines(facts), ...extraLines(entry))
    if (entry.nextCommand !== undefined)
      lines.push('', 'Next command (shown, never run):', '', ...codeBlock(entry.nextCommand))
    if (entry.note !== '') lines.push('', 'Note:', '', ...formatText(entry.note))
  }
  return `${lines.join('\n')}\n`
}

function facts({ git, ...checkpoint }: Checkpoint): string[] {
  return factLines({
    track: checkpoint.track,
    at: checkpoint.createdAt,
    task: checkpoint.task,
    label: checkpoint.label,
    validation: checkpoint.validation,
    head: git && branchAndHead(git),
    upstream: git && upstream(git),
    bundle: checkpoint.bundle,
  })
}

function factLines(facts: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(facts).flatMap(([name, value]) =>
    value === undefined ? [] : [`- ${name}: ${value}`],
  )
}

function extraLines({ extra }: Pick<Checkpoint, 'extra'>): string[] {
  return Object.entries(extra).map(([key, value]) => {
    const isLong = typeof value === 'string' && value.includes('\n')
    return `- ${key}: ${isLong ? JSON.stringify(value) : value}`
  })
}

function upstream({ upstream, ahead = 0, behind = 0 }: NonNullable<Checkpoint['git']>): string | undefined {
  return upstream && `${shownPath(upstream)}, ${ahead} ahead, ${behind} behind`
}

function uncommitted({ files, changed }: NonNullable<Checkpoint['git']>): string[] {
  const lines = files.map(({ path, status }) => `- ${status} ${shownPath(path)}`)
  return changed > files.length ? [...lines, `- and ${changed - files.length} more`] : lines
}

/** Indented code has no fence that the command could close. */
function codeBlock(command: string | undefined): string[] {
  return command === undefined ? [] : [`    ${command}`]
}
