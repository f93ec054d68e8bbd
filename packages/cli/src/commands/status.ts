import { option } from '../options/option.ts'
import { storeOption } from '../options/options.ts'
import { findStatus } from '../status/find-status.ts'
import { statusLines } from '../status/status-lines.ts'
import { toSafeJson } from '../terminal/json-output.ts'
import { defineCommand } from './define-command.ts'

export const addCommand = defineCommand({
  name: 'status',
  description:
    'Print where the work in this folder stands: the last session, what is open, the newest checkpoint, and sessions that are not compressed yet. It is what tenfold alone prints.',
  options: [storeOption, option('--json', 'print one JSON object')],
  help: `
Examples:
  tenfold
  tenfold status --json | jq -r '.last.nextSteps[0] // empty'`,
  async run({ store, json }, context) {
    const { terminal } = context
    const status = await findStatus(process.cwd(), store, context)
    terminal.print(json ? toSafeJson(status, 2) : statusLines(status, new Date(), terminal).join('\n'))
  },
})
