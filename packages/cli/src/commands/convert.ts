import { redactSession, type Session } from '@tenfold/core'
import { cleanLine } from '@tenfold/core/internal'
import { sessionToAtif, sessionToJsonl, sessionToMarkdown } from '@tenfold/core/readers'
import { readLog } from '../logs/gather-logs.ts'
import { option, type ValuesOf } from '../options/option.ts'
import { notEmpty } from '../options/parsers.ts'
import { readerOptions } from '../options/reader-options.ts'
import { makeRedactors, redactOptions } from '../options/redact-options.ts'
import { safeJson, toSafeJson } from '../terminal/json-output.ts'
import { formatNumberOf } from '../terminal/numbers.ts'
import { showProgress } from '../terminal/progress.ts'
import { writeOutput } from '../terminal/replace-file.ts'
import type { CommandContext } from '../terminal/terminal.ts'
import { defineCommand } from './define-command.ts'

const options = [
  option('--to <form>', 'form to write', { choices: ['tenfold', 'atif', 'markdown'], mandatory: true }),
  option('-o, --output <file>', 'file to write, or - for stdout (default: stdout)', {
    parse: notEmpty('a file'),
  }),
  option('--full', 'in Markdown, do not cut long tool arguments and results'),
  ...readerOptions,
  ...redactOptions,
] as const

type ConvertOptions = ValuesOf<typeof options>

export const addCommand = defineCommand({
  name: 'convert',
  description: "Print a log in another form: Tenfold's own lines, ATIF, or Markdown to read.",
  arguments: [['<log>', 'path of a log or its folder, PATH#ID for one of several sessions, or - for stdin']],
  options,
  help: `
Examples:
  tenfold convert session.jsonl --to markdown -o session.md
  tenfold convert session.jsonl --to atif > trajectory.json
  tenfold convert opencode.db#ses_1a2b3c --to tenfold -o session.tenfold.jsonl`,
  run: convertLog,
})

async function convertLog(
  options: ConvertOptions,
  { terminal, signal }: CommandContext,
  log: string,
): Promise<void> {
  const { output = '-', reading } = options
  const progress = showProgress(terminal, output !== '-')
  const { session: read } = await readLog(log, { reading, signal, progress })
  const session = redactSession(read, await makeRedactors(options))
  const pieces = piecesOf(session, options)
  if (output === '-') for (const piece of pieces) terminal.write(piece)
  else await writeOutput(output, pieces, { signal })
  progress.clear()
  if (output === '-') return
  const events = formatNumberOf(session.events.length, 'event')
  terminal.warn(`Wrote ${events} of a ${session.format} session to ${cleanLine(output)}`)
}

function* piecesOf(session: Session, { to, full }: ConvertOptions): Generator<string> {
  if (to === 'tenfold') for (const line of sessionToJsonl(session)) yield safeJson(line)
  else if (to === 'atif') yield `${toSafeJson(sessionToAtif(session), 2)}\n`
  else yield* sessionToMarkdown(session, full ? { maxLength: Number.POSITIVE_INFINITY } : {})
}
