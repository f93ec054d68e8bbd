import { basename, dirname, join } from 'node:path'
import { asObject, asText } from '../../session/json-values.ts'
import type { LogHead, Reader } from '../reader/reader.ts'
import { filesAt, filesThatBegin } from '../shared/folder-files.ts'
import { isMini } from './content.ts'

/**
 * Reads trajectories of SWE-agent, `<instance>.traj`, and of mini-SWE-agent, `<instance>.traj.json`: one JSON document
 * each. https://swe-agent.com/latest/usage/trajectories/
 */
export const sweAgentReader: Reader = {
  name: 'swe-agent',
  framing: 'document',
  detect,
  logsInFolder: trajectoriesIn,
  companions: companionsOf,
  read: async (documents, out) => (await import('./trajectory.ts')).readSweAgent(documents, out),
}

function detect({ document }: LogHead): number {
  const object = asObject(document)
  if (object !== undefined && Array.isArray(object.trajectory)) {
    if (Array.isArray(object.history) && asObject(object.info) !== undefined) return 0.95
    const step = asObject(object.trajectory[0])
    return asText(step?.action) !== undefined && typeof step?.observation === 'string' ? 0.8 : 0
  }
  if (object !== undefined && asText(object.trajectory_format)?.startsWith('mini-swe-agent')) return 1
  if (object !== undefined && asText(asObject(object.info)?.mini_version) !== undefined) return 0.95
  return isMini(document) ? 0.9 : 0
}

const ending = /\.traj(?:\.json)?$/
// Molecular dynamics programs write files `*.traj`, too.
const firstLine = /^\uFEFF?\s*\{/

/** Trajectories in the folder of one instance, or in that of a run, `<run>/<instance>/<instance>.traj`. */
async function trajectoriesIn(folder: string): Promise<readonly string[]> {
  const own = await filesThatBegin(await filesAt(folder, ending), firstLine)
  return own.length > 0 ? own : await filesThatBegin(await filesAt(folder, /./, ending), firstLine)
}

/** The folder of an instance, or the other files of the run with its name. */
function companionsOf(path: string): readonly string[] {
  if (!ending.test(path)) return []
  const folder = dirname(path)
  const instance = basename(path).replace(ending, '')
  if (basename(folder) === instance) return [folder]
  const ends = ['pred', 'patch', 'config.yaml', 'info.log', 'debug.log', 'trace.log']
  return ends.map((end) => join(folder, `${instance}.${end}`))
}
