import { Agent, MemorySession, OpenAIProvider, Runner, tool } from '@openai/agents'
import { bundleStore, memoryStorage } from '@tenfold/core'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { compactInput, compactSession, recallTool } from '../src/openai-agents.ts'
import { expectKeptSmall } from './expect-kept-small.ts'
import { look, scriptedModel, steps } from './scripted-model.ts'

const { url, seen } = scriptedModel()

describe('compactInput of OpenAI Agents', () => {
  it('keeps a loop of 60 steps small, and recalls what was cut', async () => {
    const store = bundleStore(memoryStorage())
    const agent = new Agent({
      name: 'coder',
      model: 'scripted',
      instructions: 'You are a coding agent.',
      tools: [
        tool({
          name: 'look',
          description: 'Looks at a part.',
          parameters: z.object({ part: z.number() }),
          execute: async ({ part }) => look(part),
        }),
        tool(recallTool({ store })),
      ],
    })
    const modelProvider = new OpenAIProvider({ apiKey: 'none', baseURL: url(), useResponses: false })
    const runner = new Runner({ modelProvider, tracingDisabled: true })
    const session = compactSession({ inner: new MemorySession(), at: 20_000, keep: 6, store })
    const result = await runner.run(agent, 'Move the config loader to zod 4. Never touch src/legacy.', {
      session,
      maxTurns: steps,
      callModelInputFilter: compactInput({ at: 20_000, keep: 6, store }),
    })
    expect(result.finalOutput).toBe('The port is 48213.')
    expectKeptSmall(seen, 20_000)
    const items = await session.getItems()
    expect(JSON.stringify(items[0])).toContain('Move the config loader to zod 4')
    expect(items.length).toBeLessThan(40)
    const { bundle } = (await store.latest('main')) ?? {}
    expect(bundle?.source.format).toBe('openai-agents')
  })
})
