import { asObject, asText } from '../../session/json-values.ts'
import type { LogHead, Reader } from '../reader/reader.ts'
import { companionsOf, trajectoriesIn } from './folder.ts'
import { isMini } from './is-mini.ts'

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
  read: async (documents, out) => (await import('./read.ts')).readSweAgent(documents, out),
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
