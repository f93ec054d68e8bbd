import { expect, it } from 'vitest'
import { anthropicSummarizer } from '../src/anthropic/index.ts'
import { ollamaSummarizer } from '../src/ollama/index.ts'
import { openaiSummarizer } from '../src/openai/index.ts'

it('tells summarizers of one model apart by their effort', () => {
  const apiKey = 'sk-dummy'
  const model = 'm-1'
  expect(anthropicSummarizer({ model, apiKey, effort: 'high' }).settings).toBe('effort high')
  expect(openaiSummarizer({ model, apiKey, effort: 'low' }).settings).toBe('effort low')
  expect(ollamaSummarizer({ model, think: false }).settings).toBe('think false')
  expect(anthropicSummarizer({ model, apiKey })).not.toHaveProperty('settings')
  expect(openaiSummarizer({ model, apiKey, effort: 'low', settings: 'mine' }).settings).toBe('mine')
})
