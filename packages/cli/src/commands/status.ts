import { storeOption } from '../options/options.ts'
import { findStatus } from '../status/find-status.ts'
import { statusLines } from '../status/status-lines.ts'
import { defineCommand } from './define-command.ts'

export const addCommand = defineCommand({
  name: 'status',
  description:
    'Print where the work in this folder stands: the last session, what is open, the newest checkpoint, and sessions that are not compressed yet. Plain "tenfold" prints the same.',
  options: [storeOption],
  json: 'one JSON object',
  help: `
Examples:
  tenfold
  tenfold status --json | jq -r '.last.nextSteps[0] // empty'`,
  async run({ store }, context) {
    const status = await findStatus(process.cwd(), store, context)
    return { json: status, lines: statusLines(status, new Date(), context.terminal) }
  },
})
