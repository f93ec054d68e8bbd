import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { summarizerCases } from '@tenfold/core/testing'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type StandIn, startStandIn } from '../../../../test/stand-in/index.ts'
import { aiSdkSummarizer } from '../../src/ai-sdk/index.ts'

let [obliging, hanging, junk]: StandIn[] = []
beforeAll(async () => {
  obliging = await startStandIn()
  hanging = await startStandIn()
  hanging.always('stall')
  junk = await startStandIn()
  junk.always('bad_schema')
})
afterAll(async () => {
  for (const standIn of [obliging, hanging, junk]) await standIn?.close()
})

function summarizerOf(standIn: StandIn | undefined) {
  const provider = createOpenAICompatible({
    name: 'stand-in',
    baseURL: standIn?.openaiUrl ?? '',
    apiKey: 'key-1',
    includeUsage: true,
    supportsStructuredOutputs: true,
  })
  return aiSdkSummarizer({ model: provider('stand-in'), maxRetries: 0 })
}

describe('aiSdkSummarizer keeps the laws of a summarizer', () => {
  const harness = {
    makeSummarizer: () => summarizerOf(obliging),
    makeHanging: () => summarizerOf(hanging),
    makeJunk: () => summarizerOf(junk),
    // The stand-in answers the same request in the same way.
    deterministic: true,
  }
  for (const { name, run } of summarizerCases) it(name, () => run(harness))
})
