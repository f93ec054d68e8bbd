import { summarizerCases } from '@tenfold/core/testing'
import { describe, it } from 'vitest'
import { extractiveSummarizer } from '../../src/extractive/extractive.ts'

describe('extractiveSummarizer keeps the laws of a summarizer', () => {
  const harness = { makeSummarizer: extractiveSummarizer, deterministic: true }
  for (const { name, run } of summarizerCases) it(name, () => run(harness))
})
