import { createHash } from 'node:crypto'
import { known } from '../../provider/fields.ts'
import type { BatchProvider, ModelWindow, WindowOptions } from './batch-provider.ts'

/** The description of a provider, from the options of its adapter and the client that it calls. */
export function providerHead(
  options: WindowOptions & { readonly model: string },
  client: { readonly baseURL: string; readonly apiKey: string | null },
  defaults: Omit<ModelWindow, 'maxInputTokens'>,
): Pick<BatchProvider, 'model' | 'endpoint' | 'keyFingerprint' | 'window'> {
  const { maxInputTokens } = options
  return {
    model: options.model,
    endpoint: client.baseURL.replace(/\/+$/, ''),
    ...keyFingerprint(client.apiKey),
    window: {
      contextWindow: options.contextWindow ?? defaults.contextWindow,
      maxOutputTokens: options.maxOutputTokens ?? defaults.maxOutputTokens,
      tokenFactor: options.tokenFactor ?? defaults.tokenFactor,
      ...known({ maxInputTokens }),
    },
  }
}

/** First 12 hex digits of the SHA-256 of a key: distinguishes keys without revealing them. */
function keyFingerprint(key: string | null | undefined): { readonly keyFingerprint?: string } {
  if (typeof key !== 'string' || key === '') return {}
  return { keyFingerprint: createHash('sha256').update(key).digest('hex').slice(0, 12) }
}
