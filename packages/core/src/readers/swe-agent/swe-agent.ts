import { basename, dirname, join } from 'node:path'
import * as json from '../../session/json.ts'
import type { Reader } from '../reader/reader.ts'
import { filesAt, filesThatBegin } from '../shared/folder-files.ts'
import { miniScore } from './content.ts'

const ending = /\.traj(?:\.json)?$/

/**
 * Reads trajectories of SWE-agent, `<instance>.traj`, and of mini-SWE-agent, `<instance>.traj.json`: one JSON document
 * each. https://swe-agent.com/latest/usage/trajectories/
 */
export const sweAgentReader: Reader = {
  name: 'swe-agent',
  framing: 'document',
  detect({ document }) {
    const { history, info, trajectory } = json.fields(document)
    if (Array.isArray(trajectory)) {
      if (Array.isArray(history) && json.object(info) !== undefined) return 0.95
      const { action, observation } = json.fields(trajectory[0])
      return json.text(action) !== undefined && typeof observation === 'string' ? 0.8 : 0
    }
    return miniScore(document)
  },
  // In the folder of one instance, or in that of a run, `<run>/<instance>/<instance>.traj`. Molecular dynamics programs
  // also write `*.traj`.
  async logsInFolder(folder) {
    const own = await filesThatBegin(await filesAt(folder, ending), /^\uFEFF?\s*\{/)
    return own.length > 0 ? own : await filesThatBegin(await filesAt(folder, /./, ending), /^\uFEFF?\s*\{/)
  },
  // The folder of an instance, or the other files of the run with its name.
  companions(path) {
    if (!ending.test(path)) return []
    const folder = dirname(path)
    const instance = basename(path).replace(ending, '')
    const ends = ['pred', 'patch', 'config.yaml', 'info.log', 'debug.log', 'trace.log']
    return basename(folder) === instance ? [folder] : ends.map((end) => join(folder, `${instance}.${end}`))
  },
  read: async (documents, out) => (await import('./trajectory.ts')).readSweAgent(documents, out),
}
