import { Console } from 'node:console'
import type { Anthropic } from '@anthropic-ai/sdk'
import { known } from '@tenfold/core/internal/summarizer'
import { callError } from '../provider/call-error.ts'
import { type FailedCall, plainLine } from '../provider/failures.ts'
import { loadPackage } from '../provider/load-package.ts'
import { ModelError } from '../provider/model.ts'

/** A client of the SDK that makes no retries. Rejects with TenfoldError `missing-package`. */
export async function anthropicClient({
  headers,
  ...server
}: {
  readonly apiKey: string | undefined
  readonly baseURL: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}): Promise<Anthropic> {
  const { Anthropic } = await loadPackage('@anthropic-ai/sdk', () => import('@anthropic-ai/sdk'))
  return new Anthropic({
    ...server,
    ...known({ defaultHeaders: headers && { ...headers } }),
    maxRetries: 0,
    // Logs to stderr, because stdout has the results of a command.
    logger: new Console(process.stderr, process.stderr),
    ...(process.env.ANTHROPIC_LOG ? {} : { logLevel: 'off' }),
  })
}

/** Converts an error of the SDK to a ModelError. */
export function anthropicError(error: unknown, call: FailedCall = {}): ModelError {
  const failed = callError(error, { vendor: 'Anthropic', ...call })
  if (failed.reason !== 'unknown' || call.answering) return failed
  // Before an answer, a failure other than of the connection comes from the SDK's search for credentials.
  const message = error instanceof Error ? error.message : ''
  const why = /^Could not resolve authentication/i.test(message)
    ? 'it needs an API key'
    : `no usable credentials: ${plainLine(message, call.secrets)}`
  const advice = 'set ANTHROPIC_API_KEY, or pass apiKey'
  return new ModelError(`Anthropic was not asked: ${why}; ${advice}`, { reason: 'auth' })
}
