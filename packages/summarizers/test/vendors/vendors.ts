import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { StandIn } from '../../../../test/stand-in/index.ts'
import { aiSdkModel } from '../../src/ai-sdk/index.ts'
import { anthropicModel } from '../../src/anthropic/index.ts'
import { ollamaModel } from '../../src/ollama/index.ts'
import { openaiModel } from '../../src/openai/index.ts'
import type { Model } from '../../src/provider/model.ts'

export const key = 'sk-ant-test-0123456789abcdef'

export interface Times {
  readonly idleTimeoutMs?: number
  readonly timeoutMs?: number
}

export interface Vendor {
  readonly name: string
  readonly streams: boolean
  readonly make: (server: Pick<StandIn, 'url' | 'openaiUrl'>, times?: Times) => Model
}

const openai = (['responses', 'chat'] as const).flatMap((api) =>
  [true, false].map((stream): Vendor => {
    const shared = { model: 'stand-in', apiKey: key, api, stream }
    return {
      name: `openai ${api}, stream ${stream}`,
      streams: stream,
      make: ({ openaiUrl }, times) => openaiModel({ ...shared, baseURL: openaiUrl, ...times }),
    }
  }),
)

/** The models of all vendors, each over its own SDK. */
export const vendors: readonly Vendor[] = [
  {
    name: 'anthropic',
    streams: true,
    make: ({ url }, times) =>
      anthropicModel({ model: 'claude-opus-5-5', apiKey: key, baseURL: url, ...times }),
  },
  ...openai,
  {
    name: 'ollama',
    streams: true,
    make: ({ url }, times) => ollamaModel({ model: 'qwen3', host: url, ...times }),
  },
  {
    name: 'ai-sdk',
    streams: true,
    make: ({ openaiUrl }, times) => {
      const settings = { includeUsage: true, supportsStructuredOutputs: true }
      const provider = createOpenAICompatible({
        name: 'x',
        baseURL: openaiUrl,
        apiKey: key,
        ...settings,
      })
      return aiSdkModel({ model: provider('stand-in'), ...times })
    },
  },
]
