import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { Summarizer } from '@tenfold/core'
import { summarizerCases } from '@tenfold/core/testing'
import { describe, it } from 'vitest'
import type { ScenarioLike } from '../../../../test/stand-in/index.ts'
import { answeringWith, testStandIn } from '../../../../test/support/test-stand-in.ts'
import { aiSdkSummarizer } from '../../src/ai-sdk/index.ts'
import { anthropicSummarizer } from '../../src/anthropic/index.ts'
import { ollamaSummarizer } from '../../src/ollama/index.ts'
import { openaiSummarizer } from '../../src/openai/index.ts'

const server = testStandIn('all')
const apiKey = 'sk-ant-test-0123456789'

const openai = (api: 'responses' | 'chat') => (headers: Record<string, string>) =>
  openaiSummarizer({ model: 'm', baseURL: server.openaiUrl, apiKey, headers, api, maxRetries: 0 })

const summarizers: Record<string, (headers: Record<string, string>) => Summarizer> = {
  anthropicSummarizer: (headers) =>
    anthropicSummarizer({ model: 'm', apiKey, baseURL: server.url, headers, maxRetries: 0 }),
  'openaiSummarizer, responses': openai('responses'),
  'openaiSummarizer, chat': openai('chat'),
  ollamaSummarizer: (headers) => ollamaSummarizer({ model: 'm', host: server.url, headers, maxRetries: 0 }),
  aiSdkSummarizer: (headers) => {
    const baseURL = server.openaiUrl
    const settings = { name: 'x', baseURL, apiKey, headers, supportsStructuredOutputs: true }
    return aiSdkSummarizer({ model: createOpenAICompatible(settings)('m'), maxRetries: 0 })
  },
}

describe.each(Object.entries(summarizers))('%s keeps the laws of a summarizer', (_, make) => {
  const answering = (scenario: ScenarioLike) => make(answeringWith(scenario))
  const harness = {
    makeSummarizer: () => answering('ok'),
    makeHanging: () => answering('stall'),
    makeJunk: () => answering('bad_schema'),
    // The stand-in answers the same request in the same way.
    deterministic: true,
  }
  for (const { name, run } of summarizerCases) it(name, () => run(harness))
})
