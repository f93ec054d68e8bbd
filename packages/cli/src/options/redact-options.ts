import { type Redactor, secretRedactor } from '@tenfold/core'
import { envValues, patternRedactor, valueRedactor } from '@tenfold/core/redact'
import { InvalidArgumentError } from 'commander'
import { messageOf } from '../terminal/thrown.ts'
import { readGivenFile } from '../terminal/user-files.ts'
import { heading, option, type Row, type ValuesOf } from './option.ts'
import { listOf } from './parsers.ts'

export const redactEnvOption = option(
  '--redact-env <file>',
  'also redact the values of this .env file; may be repeated',
  { parse: listOf(String) },
)

const noRedactOption: Row<{ readonly redact: boolean }> = {
  ...option('--no-redact', 'do not redact secrets in output, store, archive and requests to a model'),
  fault: ({ redact, redactEmails, redactEnv, redactPattern }) =>
    !redact && (redactEmails ?? redactEnv ?? redactPattern) !== undefined
      ? 'expected --no-redact without other options that redact'
      : undefined,
}
const emailsOption = option('--redact-emails', 'also redact e-mail addresses')
const patternOption = option(
  '--redact-pattern <regex>',
  'also redact what this matches, or only its first group if it has one; may be repeated',
  { parse: listOf(parsePattern) },
)

export const redactOptions = [
  heading('Redaction options:'),
  noRedactOption,
  emailsOption,
  redactEnvOption,
  patternOption,
] as const

/** Those that may be sent to other machines: the values of a `.env` file may not. */
export const queuedRedactOptions = [
  heading('Redaction options:'),
  noRedactOption,
  emailsOption,
  patternOption,
] as const

export type RedactOptions = ValuesOf<typeof redactOptions>

export async function makeRedactors(options: RedactOptions): Promise<Redactor[]> {
  if (!options.redact) return []
  const files = await Promise.all(
    (options.redactEnv ?? []).map((path) => readGivenFile(path, '--redact-env', 'no-env-file')),
  )
  const values = files.flatMap((text) => envValues(text))
  return [
    secretRedactor({ emails: options.redactEmails ?? false }),
    ...(values.length > 0 ? [valueRedactor(values)] : []),
    ...(options.redactPattern ?? []).map((pattern) => patternRedactor({ type: 'pattern', pattern })),
  ]
}

function parsePattern(value: string): RegExp {
  try {
    return new RegExp(value, 'gu')
  } catch (error) {
    throw new InvalidArgumentError(`expected a regular expression: ${messageOf(error)}`)
  }
}
