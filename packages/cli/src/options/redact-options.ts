import { readFile } from 'node:fs/promises'
import {
  envValues,
  patternRedactor,
  type Redactor,
  secretRedactor,
  TenfoldError,
  valueRedactor,
} from '@tenfold/core'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { messageOf } from '../terminal/thrown.ts'

/** Options for what is replaced by marks before a model or the store sees it. */
export interface RedactOptions {
  readonly redact: boolean
  readonly redactEmails?: true | undefined
  readonly redactEnv?: readonly string[] | undefined
  readonly redactPattern?: readonly RegExp[] | undefined
}

export function addRedactOptions(command: Command): void {
  command
    .optionsGroup('Redaction options:')
    .addOption(noRedactOption())
    .addOption(emailsOption())
    .addOption(redactEnvOption())
    .addOption(patternOption())
}

/** Those that may be sent to other machines: the values of a `.env` file may not. */
export function addQueuedRedactOptions(command: Command): void {
  command
    .optionsGroup('Redaction options:')
    .addOption(noRedactOption())
    .addOption(emailsOption())
    .addOption(patternOption())
}

function noRedactOption(): Option {
  return new Option(
    '--no-redact',
    'do not redact secrets in what is printed, stored, archived and sent to a model',
  )
}

function emailsOption(): Option {
  return new Option('--redact-emails', 'also replace e-mail addresses')
}

export function redactEnvOption(): Option {
  return new Option(
    '--redact-env <file>',
    'also replace the values of this .env file; may be repeated',
  ).argParser(collect)
}

function patternOption(): Option {
  return new Option(
    '--redact-pattern <regex>',
    'also replace what this matches, or only its first group if it has one; may be repeated',
  ).argParser(collectPattern)
}

/** The first conflict between redaction options that are each valid alone. */
export function redactFault({
  redact,
  redactEmails,
  redactEnv,
  redactPattern,
}: RedactOptions): string | undefined {
  const given = redactEmails ?? redactEnv ?? redactPattern
  return !redact && given !== undefined ? 'expected --no-redact without other options that redact' : undefined
}

/** Makes the redactors that the options ask for. Throws if a file cannot be read. */
export async function makeRedactors(options: RedactOptions): Promise<Redactor[]> {
  if (!options.redact) return []
  const files = await Promise.all((options.redactEnv ?? []).map(readEnvFile))
  const values = files.flatMap((text) => envValues(text))
  return [
    secretRedactor({ emails: options.redactEmails ?? false }),
    ...(values.length > 0 ? [valueRedactor(values)] : []),
    ...(options.redactPattern ?? []).map((pattern) => patternRedactor({ type: 'pattern', pattern })),
  ]
}

async function readEnvFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    const reason = messageOf(cause)
    throw new TenfoldError('no-env-file', `--redact-env ${path} cannot be read: ${reason}.`, { cause })
  }
}

function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value]
}

function collectPattern(value: string, before: readonly RegExp[] = []): RegExp[] {
  try {
    return [...before, new RegExp(value, 'gu')]
  } catch (error) {
    throw new InvalidArgumentError(`expected a regular expression: ${messageOf(error)}`)
  }
}
