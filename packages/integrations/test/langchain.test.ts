import { ChatOpenAI } from '@langchain/openai'
import { bundleStore, memoryStorage } from '@tenfold/core'
import { createAgent, tool } from 'langchain'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { tenfoldMiddleware } from '../src/langchain.ts'
import { expectKeptSmall } from './expect-kept-small.ts'
import { look, scriptedModel, steps } from './scripted-model.ts'

const { url, seen } = scriptedModel()

describe('tenfoldMiddleware of LangChain', () => {
  it('keeps a loop of 60 steps small, and recalls what was cut', async () => {
    const store = bundleStore(memoryStorage())
    const agent = createAgent({
      model: new ChatOpenAI({ model: 'scripted', apiKey: 'none', configuration: { baseURL: url() } }),
      systemPrompt: 'You are a coding agent.',
      tools: [
        tool(({ part }: { part: number }) => look(part), {
          name: 'look',
          schema: z.object({ part: z.number() }),
        }),
      ],
      middleware: [tenfoldMiddleware({ at: 20_000, keep: 6, store })],
    })
    const asked = 'Move the config loader to zod 4. Never touch src/legacy.'
    const state = await agent.invoke(
      { messages: [{ role: 'user', content: asked }] },
      { recursionLimit: 4 * steps },
    )
    expect(state.messages.at(-1)?.text).toBe('The port is 48213.')
    expectKeptSmall(seen, 20_000)
    const { bundle } = (await store.latest('main')) ?? {}
    expect(bundle?.source.format).toBe('langchain')
  })
})
