import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { isTrackName } from '@tenfold/core/internal'
import { peekLog } from '../sources/peek-log.ts'
import { mainWorkTree } from '../store/project-store.ts'
import { unlessFaulty } from '../terminal/thrown.ts'

/** Follows from the log alone: other logs and the working directory change nothing. */
export async function projectTrack(log: string): Promise<string | undefined> {
  // What is wrong with the log is reported when it is compressed.
  return trackOfFolder((await unlessFaulty(peekLog(log), undefined))?.cwd)
}

export function trackOfFolder(cwd: string | undefined): string | undefined {
  return cwd === undefined ? undefined : trackOf(projectOf(cwd))
}

/** The repository of the folder that a session ran in, if it is on this machine, otherwise that folder. */
export function projectOf(folder: string): string {
  // A path of another system is none that this one can look up.
  if (!isAbsolute(folder)) return folder
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return mainWorkTree(at) ?? at
    if (dirname(at) === at) return folder
  }
}

/** The names of a project's folder and of the one above it: many projects have a folder of the same name. */
export function trackOf(project: string): string {
  const folders = project
    .split(/[/\\]/)
    .filter((part) => part !== '')
    .slice(-2)
    .join('-')
  const plain = folders
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '')
    .slice(0, 60)
  // Letters of other scripts, which a track cannot have, would be the same for all.
  const name = /[^\x20-\x7e]/.test(folders)
    ? `${plain}-${createHash('sha256').update(folders).digest('hex').slice(0, 6)}`
    : plain
  // Tracks of these names are something else.
  const isOwn = isTrackName(name) && !/^(?:main|earlier|latest)$/i.test(name)
  return isOwn ? name : `project-${name}`.replace(/-$/, '')
}
