import type { Reader } from '../reader/reader.ts'
import { detectCopilotCli } from './detect.ts'
import { companionsOf, copilotLogs } from './folder.ts'

/**
 * Reads event logs of GitHub Copilot CLI, `~/.copilot/session-state/<id>/events.jsonl`: lines of `{type, data, id,
 * timestamp, parentId, agentId?}`.
 */
export const copilotCliReader: Reader = {
  name: 'copilot-cli',
  detect: detectCopilotCli,
  logsInFolder: copilotLogs,
  companions: companionsOf,
  read: async (records, out) => (await import('./read.ts')).readCopilotCli(records, out),
}
