import type { FoundFiles } from '@tenfold/core'
import { cleanLine } from '@tenfold/core/internal'
import { formatCount, formatNumberOf } from '../terminal/numbers.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** The record that `--json` prints last if a folder was given: how many files it holds, and which are not logs. */
export function foundJson({ files, logs, companions, skipped, skippedFolders }: FoundFiles) {
  const paths = new Set(logs.map(({ path }) => path))
  return {
    found: { files, logs: paths.size, sessions: logs.length, companions, skipped, skippedFolders },
  }
}

export function foundLines(
  found: FoundFiles,
  { verbose, style }: Pick<Terminal, 'verbose' | 'style'>,
): string[] {
  return verbose ? [...reasonLines(found).map(style.dim), countLine(found)] : [countLine(found)]
}

function reasonLines({ companions, skipped, skippedFolders }: FoundFiles): string[] {
  const lines = [
    ...companions.map(({ path, log, kind }) => `${path} ${relations[kind]} ${log}`),
    ...skipped.map(({ path, message }) => `${path} ${message}`),
    ...skippedFolders.map(({ path, message }) => `${path} was not searched: ${message}`),
  ]
  return lines.map(cleanLine)
}

const relations = {
  read: 'is read with',
  around: 'belongs to',
  'packed-copy': 'is a packed copy of',
} as const

function countLine({ files, logs, companions, skipped, skippedFolders }: FoundFiles): string {
  const paths = new Set(logs.map(({ path }) => path)).size
  const sessions = logs.length > paths ? ` (${formatNumberOf(logs.length, 'session')})` : ''
  const unseen = skipped.filter(({ code }) => code === 'unreadable').length
  const none = skipped.length - unseen
  const parts = [
    `${formatNumberOf(paths, 'log')}${sessions}`,
    ...(companions.length > 0 ? [`${formatNumberOf(companions.length, 'companion')} of logs`] : []),
    ...(none > 0 ? [`${formatCount(none)} that ${none === 1 ? 'is not a log' : 'are not logs'}`] : []),
    ...(unseen > 0 ? [`${formatCount(unseen)} unreadable`] : []),
  ]
  const folders =
    skippedFolders.length > 0 ? `; ${formatNumberOf(skippedFolders.length, 'folder')} not searched` : ''
  return `${formatNumberOf(files, 'file')}: ${parts.join(', ')}${folders}`
}
