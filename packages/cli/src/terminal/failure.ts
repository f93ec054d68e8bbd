import { basename } from 'node:path'
import { type SummarizerCall, SummarizerError, TenfoldError } from '@tenfold/core'
import { cleanLine, cleanText, summarizedOf } from '@tenfold/core/internal'
import { messageOf } from './thrown.ts'

/** A failure to report. Its `code` is stable. */
export interface Failure {
  readonly code: string
  readonly message: string
  readonly calls?: readonly SummarizerCall[]
  /** The cause is an API key or an account, so every other log would fail too. */
  readonly ofAccount?: true
  readonly overBudget?: true
}

/** A failure that was found before its log was processed. */
export class FoundFailure extends Error {
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.message)
    this.failure = failure
  }
}

/** Code and message of any thrown value, safe to print. Includes the stack only if TENFOLD_DEBUG is 1. */
export function failureOf(error: unknown): Failure {
  if (error instanceof FoundFailure) return error.failure
  const message = cleanText(messageOf(error))
  const stack = process.env.TENFOLD_DEBUG === '1' && error instanceof Error ? stackOf(error) : ''
  if (TenfoldError.isInstance(error)) {
    // These calls are billed, whether a call or a later step failed.
    const calls = error instanceof SummarizerError ? error.calls : (summarizedOf(error)?.calls ?? [])
    const reason = error instanceof SummarizerError ? error.reason : undefined
    const ofAccount = reason === 'auth' || reason === 'spend-limit' || error.code === 'missing-api-key'
    return {
      code: error.code,
      message: `${inCommandWords(message)}${stack}`,
      ...(calls.length > 0 && { calls }),
      ...(ofAccount && { ofAccount }),
      ...(reason === 'over-budget' && { overBudget: true }),
    }
  }
  const code = systemCode(error)
  if (code !== undefined) return { code, message: `${message}${stack}` }
  const name = error instanceof Error ? error.name : 'error'
  const hint = stack || ' This is a bug in tenfold; set TENFOLD_DEBUG=1 to see the stack.'
  return { code: 'unexpected', message: `Unexpected ${name}: ${message}.${hint}` }
}

export function failureOfLog(log: string, error: unknown): Failure {
  const failure = failureOf(error)
  const { code, message } = failure
  if (error instanceof FoundFailure) return failure
  if (code.startsWith('log-') && log !== '-' && message.includes(log)) return failure
  const shown = log === '-' ? 'stdin' : cleanLine(log)
  const name = `${basename(shown)} `
  const rest = message.startsWith(name) ? ` ${message.slice(name.length)}` : `: ${message}`
  return { ...failure, message: `${shown}${rest}` }
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by: ${error.cause.stack ?? error.cause.message}` : ''
  return `\n${cleanText(`${error.stack ?? ''}${cause}`)}`
}

function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined
  return 'syscall' in error || error.code === 'pattern-too-slow' ? error.code : undefined
}

const anotherStore = 'use another folder (--store DIR or TENFOLD_STORE)'

/** Library options whose name on the command line is not their name in kebab case. */
const otherNames: Readonly<Record<string, string>> = {
  maxLogBytes: 'max-log-size',
  maxLogMs: 'log-time',
  maxLogMegabytes: 'log-memory',
  allowStores: 'allow-store',
  readers: 'reader',
  numCtx: 'context-window',
  baseURL: 'base-url',
}

const toOption = (name: string): string =>
  `--${otherNames[name] ?? name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** Replaces the library's advice in messages with the command line's. Longer phrases come first. */
const phrases: readonly (readonly [library: RegExp, command: string])[] = [
  [/,? or pass apiKey\b/g, ''],
  [/(?: \(|; )idleTimeoutMs\b[^;)]*\)?/g, ''],
  [/\bCompress a log first\./g, 'Compress a session first: tenfold compress.'],
  [/(?<!\w)fs:(?=\/|[A-Za-z]:[\\/])/g, ''],
  [/\bcheck the owner and the mode of the folder\b/g, `$&, or ${anotherStore}`],
  [/\bset another folder\b/g, anotherStore],
  [/\bset a folder (?=that is on one file system|with a shorter path)/g, `${anotherStore}, `],
  [/\buse a key that is not below another key\b/g, anotherStore],
  [/\binto a store with an archive\./g, 'without --no-archive.'],
  [/\blist them with listDumps\./g, 'list them with tenfold dump list.'],
  [/\bimport it with importDump\b/g, 'import it with tenfold import'],
  [/\band maxInputTokens, of\b/g, 'and --max-request-tokens, of'],
  [/\bone with prices\b/g, 'one with --prices'],
  [/\ba summarizer that calls (?:none|no model)\b/g, '--summarizer extractive'],
  [/(?:idleTimeoutMs and )?timeoutMs (set how long|sets the limit|allows)/g, '--timeout $1'],
]

const named =
  /\boption ([a-z]\w*)(?=\))|\b(maxCost|max(?:Input|Output)?Tokens|contextWindow|numCtx|baseURL|maxRatio|maxReadRatio|resubmitUncertain)\b/g

export function inCommandWords(message: string): string {
  const text = phrases.reduce((said, [library, command]) => said.replace(library, command), message)
  return text.replace(named, (_, option, name) => toOption(option ?? name))
}
