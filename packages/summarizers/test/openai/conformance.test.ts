import { summarizerCases } from '@tenfold/core/testing'
import { describe, it } from 'vitest'
import type { ScenarioLike } from '../../../../test/stand-in/index.ts'
import { answeringWith, testStandIn } from '../../../../test/support/test-stand-in.ts'
import { openaiSummarizer } from '../../src/openai/openai-summarizer.ts'

const standIn = testStandIn('all')

const summarizerOf = (scenario: ScenarioLike, api: 'responses' | 'chat') =>
  openaiSummarizer({
    model: 'stand-in',
    baseURL: standIn.openaiUrl,
    apiKey: 'key-1',
    headers: answeringWith(scenario),
    api,
    maxRetries: 0,
  })

for (const api of ['responses', 'chat'] as const)
  describe(`openaiSummarizer keeps the laws of a summarizer, ${api}`, () => {
    const harness = {
      makeSummarizer: () => summarizerOf('ok', api),
      makeHanging: () => summarizerOf('stall', api),
      makeJunk: () => summarizerOf('bad_schema', api),
      // The stand-in answers the same request in the same way.
      deterministic: true,
    }
    for (const { name, run } of summarizerCases) it(name, () => run(harness))
  })
