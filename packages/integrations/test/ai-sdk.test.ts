import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { bundleStore, memoryStorage } from '@tenfold/core'
import { generateText, stepCountIs, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { compactSteps, recallTool, saveSession } from '../src/ai-sdk.ts'
import { expectKeptSmall } from './expect-kept-small.ts'
import { look, scriptedModel, steps } from './scripted-model.ts'

const { url, seen } = scriptedModel()

describe('compactSteps of the AI SDK', () => {
  it('keeps a loop of 60 steps small, recalls what was cut, and saves the whole session', async () => {
    const store = bundleStore(memoryStorage())
    const messages = [
      { role: 'user' as const, content: 'Move the config loader to zod 4. Never touch src/legacy.' },
    ]
    const { text } = await generateText({
      model: createOpenAICompatible({ name: 'stand-in', baseURL: url() })('scripted'),
      system: 'You are a coding agent.',
      messages,
      tools: {
        look: tool({ inputSchema: z.object({ part: z.number() }), execute: async ({ part }) => look(part) }),
        ...recallTool({ store }),
      },
      stopWhen: stepCountIs(steps),
      prepareStep: compactSteps({ at: 20_000, keep: 6, store }),
      onFinish: saveSession({ store, track: 'loader', messages }),
    })
    expect(text).toBe('The port is 48213.')
    expectKeptSmall(seen, 20_000)
    const saved = await store.latest('loader')
    expect(saved?.bundle.usage.total).toMatchObject({ inputTokens: 100 * steps, outputTokens: 10 * steps })
  })
})
