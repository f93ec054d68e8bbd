import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { summarizerCases } from '@tenfold/core/testing'
import { describe, it } from 'vitest'
import type { ScenarioLike } from '../../../../test/stand-in/index.ts'
import { answeringWith, testStandIn } from '../../../../test/support/test-stand-in.ts'
import { aiSdkSummarizer } from '../../src/ai-sdk/index.ts'

const standIn = testStandIn('all')

function summarizerOf(scenario: ScenarioLike) {
  const provider = createOpenAICompatible({
    name: 'stand-in',
    baseURL: standIn.openaiUrl,
    apiKey: 'key-1',
    headers: answeringWith(scenario),
    includeUsage: true,
    supportsStructuredOutputs: true,
  })
  return aiSdkSummarizer({ model: provider('stand-in'), maxRetries: 0 })
}

describe('aiSdkSummarizer keeps the laws of a summarizer', () => {
  const harness = {
    makeSummarizer: () => summarizerOf('ok'),
    makeHanging: () => summarizerOf('stall'),
    makeJunk: () => summarizerOf('bad_schema'),
    // The stand-in answers the same request in the same way.
    deterministic: true,
  }
  for (const { name, run } of summarizerCases) it(name, () => run(harness))
})
