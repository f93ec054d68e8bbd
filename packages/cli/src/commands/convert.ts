import { redactSession, type Session } from '@tenfold/core'
import { cleanLine } from '@tenfold/core/internal'
import { sessionToAtif, sessionToJsonl, sessionToMarkdown } from '@tenfold/core/readers'
import { logArgument, readLog } from '../logs/gather-logs.ts'
import { makeRedactors, readerOptions, redactOptions } from '../options/log-options.ts'
import { option } from '../options/option.ts'
import { notEmpty } from '../options/parsers.ts'
import { printNotes, showProgress } from '../terminal/progress.ts'
import { safeJson, toSafeJson } from '../terminal/terminal.ts'
import { formatNumberOf } from '../terminal/text.ts'
import { writeOutput } from '../terminal/user-files.ts'
import { defineCommand } from './define-command.ts'

const forms = ['tenfold', 'atif', 'markdown'] as const

export const addCommand = defineCommand({
  name: 'convert',
  description: "Print a log in another form: Tenfold's own lines, ATIF, or Markdown to read.",
  arguments: [logArgument],
  options: [
    option('--to <form>', 'form to write', { choices: forms, mandatory: true }),
    option('-o, --output <file>', 'file to write, or - for stdout (default: stdout)', {
      parse: notEmpty('a file'),
    }),
    option('--full', 'in Markdown, do not cut long tool arguments and results'),
    ...readerOptions,
    ...redactOptions,
  ],
  help: `
Examples:
  tenfold convert session.jsonl --to markdown -o session.md
  tenfold convert session.jsonl --to atif > trajectory.json
  tenfold convert opencode.db#ses_1a2b3c --to tenfold -o session.tenfold.jsonl`,
  async run({ output = '-', to, full = false, reading, ...redact }, { terminal, signal }, log) {
    const progress = showProgress(terminal, output !== '-')
    const { session: read } = await readLog(log, { reading, signal, progress })
    const session = redactSession(read, await makeRedactors(redact))
    printNotes(session.notes, terminal)
    const pieces = piecesOf(session, to, full)
    if (output === '-') for (const piece of pieces) terminal.write(piece)
    else {
      await writeOutput(output, pieces, { signal })
      const events = formatNumberOf(session.events.length, 'event')
      terminal.warn(`Wrote ${events} of a ${session.format} session to ${cleanLine(output)}`)
    }
  },
})

function* piecesOf(session: Session, to: (typeof forms)[number], full: boolean): Generator<string> {
  if (to === 'tenfold') for (const line of sessionToJsonl(session)) yield safeJson(line)
  else if (to === 'atif') yield `${toSafeJson(sessionToAtif(session), 2)}\n`
  else yield* sessionToMarkdown(session, full ? { maxLength: Number.POSITIVE_INFINITY } : {})
}
