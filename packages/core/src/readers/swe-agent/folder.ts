import { basename, dirname, join } from 'node:path'
import { namesIn, startOfFile } from '../shared/folder-files.ts'

const ending = /\.traj(?:\.json)?$/

/** Trajectories in the folder of a run, `<run>/<instance>/<instance>.traj`, or in that of one instance. */
export async function trajectoriesIn(folder: string): Promise<readonly string[]> {
  const { files, folders } = await namesIn(folder)
  const own = await trajectoriesOf(folder, files)
  if (own.length > 0) return own
  const found: string[] = []
  for (const inner of folders)
    found.push(...(await trajectoriesOf(join(folder, inner), (await namesIn(join(folder, inner))).files)))
  return found
}

async function trajectoriesOf(folder: string, names: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const name of names) {
    // Molecular dynamics programs write files `*.traj`, too.
    if (ending.test(name) && /^\uFEFF?\s*\{/.test(await startOfFile(join(folder, name), 64)))
      found.push(join(folder, name))
  }
  return found
}

/** The folder of an instance, or the other files of the run with its name. */
export function companionsOf(path: string): readonly string[] {
  if (!ending.test(path)) return []
  const folder = dirname(path)
  const instance = basename(path).replace(ending, '')
  if (basename(folder) === instance) return [folder]
  const ends = ['pred', 'patch', 'config.yaml', 'info.log', 'debug.log', 'trace.log']
  return ends.map((end) => join(folder, `${instance}.${end}`))
}
