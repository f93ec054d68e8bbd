import { Console } from 'node:console'
import OpenAI from 'openai'

/** How a server that speaks OpenAI's interface is reached. */
export interface ServerOptions {
  /** @default 'responses' for OpenAI itself, 'chat' for any other server */
  readonly api?: 'responses' | 'chat' | undefined
  /** @default `OPENAI_API_KEY` for OpenAI itself; none for another `baseURL`, so that no key leaks */
  readonly apiKey?: string | undefined
  /** The URL of a compatible server, often with `/v1` at its end. @default `OPENAI_BASE_URL`, or OpenAI itself */
  readonly baseURL?: string | undefined
  /** Your own client in place of `apiKey` and `baseURL`; its retries are turned off for each call. */
  readonly client?: OpenAI | undefined
}

export interface Server {
  readonly client: OpenAI
  readonly api: 'responses' | 'chat'
  /** Whether this is OpenAI itself, not a compatible server. */
  readonly isOwn: boolean
  /** Whether OpenAI itself is to be asked without a key. */
  readonly keyMissing: boolean
}

/** The message if there is no key, with advice. */
export const keyAdvice = 'OpenAI was not asked: it needs an API key; set OPENAI_API_KEY, or pass apiKey'

const noKey = 'none'

/**
 * The server that the options name. There is a client even without a key, since a chain may have another one to ask.
 */
export function openaiServer(options: ServerOptions): Server {
  const client = options.client ?? openaiClient(options)
  const isOwn = isOpenAI(client.baseURL)
  const keyMissing = isOwn && options.client === undefined && client.apiKey === noKey
  return { client, isOwn, api: options.api ?? (isOwn ? 'responses' : 'chat'), keyMissing }
}

/** Whether a URL is of OpenAI's own servers, in any region. */
function isOpenAI(baseURL: string): boolean {
  try {
    return /(?:^|\.)api\.openai\.com$/.test(new URL(baseURL).hostname)
  } catch {
    return false
  }
}

function openaiClient({ apiKey, baseURL }: ServerOptions): OpenAI {
  const isForeign = baseURL !== undefined && !isOpenAI(baseURL)
  const key = apiKey?.trim() || (isForeign ? noKey : process.env.OPENAI_API_KEY?.trim() || noKey)
  return new OpenAI({
    apiKey: key,
    baseURL,
    ...(isForeign ? { organization: null, project: null } : {}),
    // The ledger of a summarizer must see each try, and openai 6 cannot be stopped while it waits for the next.
    maxRetries: 0,
    // OPENAI_LOG logs to stdout by default, where a command may print its bundle.
    logger: new Console(process.stderr),
  })
}
