import { inspectAll, inspectOptions } from '../inspect/inspect-all.ts'
import { defineCommand } from './define-command.ts'

export const addCommand = defineCommand({
  name: 'inspect',
  description:
    'Print how the tokens of logs are spread over categories and agents, with events, lines, usage and notes.',
  arguments: [['<log...>', 'paths of logs or folders (every log in them, oldest first), or - for stdin']],
  options: inspectOptions,
  help: `
Examples:
  tenfold inspect session.jsonl
  tenfold inspect --json logs/ | jq '.tokens.total // empty'`,
  fault: (_, logs) =>
    logs.filter((log) => log === '-').length > 1
      ? 'expected - (stdin) once, got it several times'
      : undefined,
  run: (options, context, logs) => inspectAll(logs, options, context),
})
