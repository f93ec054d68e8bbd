import { Console } from 'node:console'
import Anthropic from '@anthropic-ai/sdk'
import { known } from '../provider/fields.ts'

/** A client of the SDK that makes no retries. */
export function anthropicClient({
  headers,
  ...server
}: {
  readonly apiKey: string | undefined
  readonly baseURL: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}): Anthropic {
  return new Anthropic({
    ...server,
    ...known({ defaultHeaders: headers && { ...headers } }),
    maxRetries: 0,
    // On standard output a log would mix with the results of a command.
    logger: new Console(process.stderr, process.stderr),
    ...(process.env.ANTHROPIC_LOG ? {} : { logLevel: 'off' }),
  })
}
