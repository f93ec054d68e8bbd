import { Console } from 'node:console'
import type OpenAI from 'openai'
import { loadPackage } from '../provider/load-package.ts'

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
  /** Loads the SDK, unless the caller brought a client. Rejects with TenfoldError `missing-package`. */
  client(): Promise<OpenAI>
  readonly api: 'responses' | 'chat'
  /** Whether this is OpenAI itself, not a compatible server. */
  readonly isOwn: boolean
  /** Whether OpenAI itself is to be asked without a key. */
  readonly keyMissing: boolean
}

/** The message if there is no key, with advice. */
export const keyAdvice = 'OpenAI was not asked: it needs an API key; set OPENAI_API_KEY, or pass apiKey'

const noKey = 'none'
const ownURL = 'https://api.openai.com/v1'

/**
 * The server that the options name. There is a client even without a key, since a chain may have another one to ask.
 */
export function openaiServer({ client, api, apiKey, baseURL }: ServerOptions): Server {
  const isForeign = baseURL !== undefined && !isOpenAI(baseURL)
  const key = apiKey?.trim() || (isForeign ? noKey : process.env.OPENAI_API_KEY?.trim() || noKey)
  const url = client?.baseURL ?? (baseURL || process.env.OPENAI_BASE_URL?.trim() || ownURL)
  const isOwn = isOpenAI(url)
  return {
    client: async () => client ?? (await openaiClient(key, url, isForeign)),
    isOwn,
    api: api ?? (isOwn ? 'responses' : 'chat'),
    keyMissing: isOwn && client === undefined && key === noKey,
  }
}

/** Whether a URL is of OpenAI's own servers, in any region. */
function isOpenAI(baseURL: string): boolean {
  try {
    return /(?:^|\.)api\.openai\.com$/.test(new URL(baseURL).hostname)
  } catch {
    return false
  }
}

async function openaiClient(apiKey: string, baseURL: string, isForeign: boolean): Promise<OpenAI> {
  const { OpenAI } = await loadPackage('openai', () => import('openai'))
  return new OpenAI({
    apiKey,
    baseURL,
    ...(isForeign ? { organization: null, project: null } : {}),
    // The ledger of a summarizer must see each try, and openai 6 cannot be stopped while it waits for the next.
    maxRetries: 0,
    // OPENAI_LOG logs to stdout by default, where a command may print its bundle.
    logger: new Console(process.stderr),
  })
}
