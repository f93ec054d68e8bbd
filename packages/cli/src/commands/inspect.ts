import { tiktokenCounter } from '@tenfold/core'
import { learnSession } from '@tenfold/core/internal'
import { measureSession } from '@tenfold/core/readers'
import { createRedaction } from '@tenfold/core/redact'
import { inspectionLines } from '../inspect/inspect-report.ts'
import { inspectSession } from '../inspect/inspect-session.ts'
import { gatherLogs, logArguments, readable, readLog, stdinTwice, tellFound } from '../logs/gather-logs.ts'
import { option } from '../options/option.ts'
import { readerOptions } from '../options/reader-options.ts'
import { makeRedactors, redactOptions } from '../options/redact-options.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { failureOfLog } from '../terminal/failure.ts'
import { formatNumberOf } from '../terminal/numbers.ts'
import { showProgress } from '../terminal/progress.ts'
import { defineCommand } from './define-command.ts'

export const addCommand = defineCommand({
  name: 'inspect',
  description:
    'Print how the tokens of logs divide into categories and agents, with events, lines, usage and notes.',
  arguments: [['<log...>', logArguments]],
  options: [
    option('--json', 'print one line of JSON per log; for folders, also one about their other files'),
    ...readerOptions,
    ...redactOptions,
  ],
  help: `
Examples:
  tenfold inspect session.jsonl
  tenfold inspect --json logs/ | jq '.tokens.total // empty'`,
  fault: (_, logs) => stdinTwice(logs),
  async run({ json, reading, ...redact }, { terminal, signal }, paths) {
    const { logs, found } = await gatherLogs(paths, { reading }, { terminal, signal })
    const redactors = await makeRedactors(redact)
    const progress = showProgress(terminal)
    let failed = 0
    for (const [index, argument] of logs.entries()) {
      try {
        const log = readable(argument)
        const { session } = await readLog(log, { reading, signal, progress })
        progress(log, { step: 'plan', events: session.events.length })
        const inspected = inspectSession(log, session, measureSession(session, tiktokenCounter()))
        // Titles, paths and notes quote the log. Token counts are those of the log as it is.
        const redaction = createRedaction(redactors)
        learnSession(session, redaction)
        const inspection = redaction.redactValue(inspected)
        if (json) terminal.printJson(inspection)
        else
          terminal.print([...(index === 0 ? [] : ['']), ...inspectionLines(inspection, terminal)].join('\n'))
      } catch (error) {
        if (signal.aborted) {
          terminal.warn(`Interrupted: ${index} of ${formatNumberOf(logs.length, 'log')} inspected.`)
          return exitCodes.interrupted
        }
        const fault = failureOfLog(argument.log, error)
        if (json) terminal.printJson({ log: argument.log, error: fault })
        terminal.fail(fault.message)
        failed += 1
      }
    }
    tellFound(found, terminal, (text) => terminal.say(`\n${text}`))
    return failed > 0 ? exitCodes.failed : exitCodes.done
  },
})
