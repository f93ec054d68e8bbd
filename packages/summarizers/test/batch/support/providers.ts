import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { everyPoint } from '../../../../../test/support/repeats.ts'
import { anthropicBatch } from '../../../src/anthropic/anthropic-batch.ts'
import type { BatchProvider } from '../../../src/batch/index.ts'
import { openaiBatch } from '../../../src/openai/openai-batch.ts'
import { smallWindow } from './sessions.ts'

export const vendors = ['anthropic', 'openai'] as const

/** What both share is tested over one of them; in `npm run soak` over both. */
export const oneVendor: readonly Vendor[] = everyPoint ? vendors : ['anthropic']
export type Vendor = (typeof vendors)[number]

export interface ServerUrls {
  readonly url: string
  readonly openaiUrl: string
}

/** The real SDK of a vendor against the stand-in. */
export async function providerOf(
  vendor: Vendor,
  server: ServerUrls,
  options: { readonly fetch?: typeof fetch; readonly apiKey?: string } = {},
): Promise<BatchProvider> {
  const { apiKey = 'sk-test', fetch } = options
  const shared = { apiKey, logLevel: 'off' as const, ...(fetch === undefined ? {} : { fetch }) }
  return vendor === 'anthropic'
    ? anthropicBatch({
        ...smallWindow,
        model: 'claude-opus-5-5',
        client: new Anthropic({ ...shared, baseURL: server.url }),
      })
    : openaiBatch({
        ...smallWindow,
        model: 'gpt-6-sol',
        client: new OpenAI({ ...shared, baseURL: server.openaiUrl }),
      })
}
