import type { BatchProvider, ModelWindow, WindowOptions } from './batch-provider.ts'
import { keyFingerprint } from './key-fingerprint.ts'

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
      ...(maxInputTokens === undefined ? {} : { maxInputTokens }),
    },
  }
}
