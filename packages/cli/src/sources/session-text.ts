import { cleanLine } from '@tenfold/core'
import { formatBytes, formatDuration } from '../terminal/numbers.ts'
import type { FolderSession } from './sessions-of-folder.ts'

/** One line about a session in an agent's folder. */
export function sessionText({ agent, path, bytes, changed }: FolderSession, now: Date): string {
  const size = bytes === undefined ? '' : `, ${formatBytes(bytes)}`
  return `${agent}, ${ago(new Date(changed).toISOString(), now)}${size}: ${cleanLine(path)}`
}

/** How long ago a time was: `just now`, `3 h 5 min ago`, `12 days ago`. */
export function ago(time: string, now: Date): string {
  const passed = now.getTime() - Date.parse(time)
  const days = Math.floor(passed / 86_400_000)
  if (days >= 2) return `${days} days ago`
  return passed < 60_000 ? 'just now' : `${formatDuration(passed)} ago`
}
