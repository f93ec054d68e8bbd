import { existsSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { isTrackName, TenfoldError } from '@tenfold/core'
import { peekLog } from '../sources/peek-log.ts'
import { mainWorkTree } from '../store/main-work-tree.ts'
import { errorCode } from '../terminal/thrown.ts'

/**
 * Returns the track of each log: its project's if the logs are of several projects, otherwise none, so that they go to
 * the default one. The project is the repository of the folder that the session ran in, or that folder.
 */
export async function projectTracks(logs: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const folders = new Map<string, string>()
  for (const log of logs) {
    const cwd = await folderOf(log)
    if (cwd !== undefined) folders.set(log, cwd)
  }
  const projects = projectsOf([...new Set(folders.values())])
  const roots = [...new Set(projects.values())].sort()
  if (roots.length < 2) return new Map()
  const names = namesOf(roots)
  const trackOf = (cwd: string) => names.get(projects.get(cwd) ?? '')
  return new Map([...folders].flatMap(([log, cwd]) => [[log, trackOf(cwd) ?? 'main'] as const]))
}

async function folderOf(log: string): Promise<string | undefined> {
  try {
    return (await peekLog(log)).cwd
  } catch (error) {
    // What is wrong with the log is reported when it is compressed.
    if (TenfoldError.isInstance(error) || errorCode(error) !== undefined) return undefined
    throw error
  }
}

/** The project of each folder: its repository on this machine, otherwise the outermost folder of another session. */
export function projectsOf(folders: readonly string[]): Map<string, string> {
  const roots = new Map(folders.map((folder) => [folder, repositoryOf(folder) ?? folder]))
  const candidates = [...new Set(roots.values())].filter(isOfOneProject).sort((a, b) => a.length - b.length)
  return new Map(
    [...roots].map(([folder, root]) => [folder, candidates.find((each) => isBelow(each, root)) ?? root]),
  )
}

function repositoryOf(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return mainWorkTree(at) ?? at
    if (dirname(at) === at) return undefined
  }
}

/** Not the home folder of a user or a folder above it, where sessions of all projects may begin. */
function isOfOneProject(folder: string): boolean {
  return !/^(?:[A-Za-z]:)?[/\\]?(?:(?:home|Users)[/\\][^/\\]+|[^/\\]*)[/\\]?$/.test(folder)
}

function isBelow(folder: string, path: string): boolean {
  const place = relative(folder, path)
  return place === '' || (place !== '..' && !place.startsWith(`..${sep}`) && resolve(folder, place) === path)
}

/** Track names: the name of the folder, with those of folders above it as far as two projects have the same. */
function namesOf(roots: readonly string[]): Map<string, string> {
  const names = new Map<string, string>()
  // A project must not be taken for what tracks of these names are.
  const taken = new Set(['main', 'earlier', 'latest'])
  for (const root of roots) {
    const parts = root.split(/[/\\]/).filter((part) => part !== '')
    const twins = roots.filter((other) => basename(other) === basename(root)).length
    let count = twins > 1 ? 2 : 1
    let name = trackName(parts.slice(-count))
    while (taken.has(name.toLowerCase()) && count < parts.length) name = trackName(parts.slice(-++count))
    for (let number = 2; taken.has(name.toLowerCase()); number++)
      name = `${trackName(parts.slice(-1))}-${number}`
    taken.add(name.toLowerCase())
    names.set(root, name)
  }
  return names
}

function trackName(parts: readonly string[]): string {
  const name = parts
    .join('-')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9_-]+$/g, '')
    .slice(0, 60)
  return isTrackName(name) ? name : `project-${name}`.replace(/-$/, '')
}
