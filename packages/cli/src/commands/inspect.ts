import { type Redactor, tiktokenCounter } from '@tenfold/core'
import { learnSession } from '@tenfold/core/internal'
import { measureSession } from '@tenfold/core/readers'
import { createRedaction } from '@tenfold/core/redact'
import { inspectionLines } from '../inspect/inspect-report.ts'
import { type Inspection, inspectSession } from '../inspect/inspect-session.ts'
import { foundJson, foundLines, gatherLogs, readable, readLog } from '../logs/gather-logs.ts'
import { option, type ValuesOf } from '../options/option.ts'
import { counterOption } from '../options/options.ts'
import { readerOptions } from '../options/reader-options.ts'
import { makeRedactors, redactOptions } from '../options/redact-options.ts'
import { type ExitCode, exitCodes } from '../terminal/exit-codes.ts'
import { failureOfLog } from '../terminal/failure.ts'
import { formatNumberOf } from '../terminal/numbers.ts'
import { type Progress, showProgress } from '../terminal/progress.ts'
import type { CommandContext } from '../terminal/terminal.ts'
import { defineCommand } from './define-command.ts'

const inspectOptions = [
  counterOption,
  option('--json', 'print one line of JSON per log; for folders, also what else is in them'),
  ...readerOptions,
  ...redactOptions,
] as const

type InspectOptions = ValuesOf<typeof inspectOptions>

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

async function inspectAll(
  paths: readonly string[],
  options: InspectOptions,
  { terminal, signal }: CommandContext,
): Promise<ExitCode> {
  const { logs, found } = await gatherLogs(paths, options, { terminal, signal })
  const redactors = await makeRedactors(options)
  const progress = showProgress(terminal)
  let failed = 0
  for (const [index, argument] of logs.entries()) {
    try {
      const inspection = await inspect(readable(argument), options, redactors, { signal, progress })
      if (options.json) terminal.printJson(inspection)
      else terminal.print([...(index === 0 ? [] : ['']), ...inspectionLines(inspection, terminal)].join('\n'))
    } catch (error) {
      if (signal.aborted) {
        terminal.warn(`Interrupted: ${index} of ${formatNumberOf(logs.length, 'log')} inspected.`)
        return exitCodes.interrupted
      }
      const fault = failureOfLog(argument.log, error)
      if (options.json) terminal.printJson({ log: argument.log, error: fault })
      terminal.fail(fault.message)
      failed += 1
    }
  }
  progress.clear()
  if (found !== undefined && options.json) terminal.printJson(foundJson(found))
  else if (found !== undefined) terminal.say(['', ...foundLines(found, terminal)].join('\n'))
  return failed > 0 ? exitCodes.failed : exitCodes.done
}

/** Redacts the quotes from the log (titles, paths, notes). Token counts remain those of the log as it is. */
async function inspect(
  log: string,
  options: InspectOptions,
  redactors: readonly Redactor[],
  { signal, progress }: { readonly signal: AbortSignal; readonly progress: Progress },
): Promise<Inspection> {
  const { session } = await readLog(log, { reading: options.reading, signal, progress })
  progress.show(log, { step: 'plan', events: session.events.length })
  const inspection = inspectSession(log, session, measureSession(session, tiktokenCounter(options.counter)))
  const redaction = createRedaction(redactors)
  learnSession(session, redaction)
  return redaction.redactValue(inspection)
}
