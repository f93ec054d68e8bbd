import { MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt'
import { ChatOpenAI } from '@langchain/openai'
import { bundleStore, memoryStorage } from '@tenfold/core'
import { createAgent, tool } from 'langchain'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { compactNode, recallTool, tenfoldMiddleware } from '../src/langchain.ts'
import { expectKeptSmall } from './expect-kept-small.ts'
import { look, scriptedModel, steps } from './scripted-model.ts'

const lookTool = tool(({ part }: { part: number }) => look(part), {
  name: 'look',
  schema: z.object({ part: z.number() }),
})
const asked = 'Move the config loader to zod 4. Never touch src/legacy.'
const modelAt = (baseURL: string) =>
  new ChatOpenAI({ model: 'scripted', apiKey: 'none', configuration: { baseURL } })

describe('tenfoldMiddleware of LangChain', () => {
  const { url, seen } = scriptedModel()

  it('keeps a loop of 60 steps small, and recalls what was cut', async () => {
    const store = bundleStore(memoryStorage())
    const agent = createAgent({
      model: modelAt(url()),
      systemPrompt: 'You are a coding agent.',
      tools: [lookTool],
      middleware: [tenfoldMiddleware({ at: 20_000, keep: 6, store })],
    })
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

describe('compactNode of LangGraph', () => {
  const { url, seen } = scriptedModel()

  it('keeps the state of a graph small that has its own checkpointer, and recalls what was cut', async () => {
    const store = bundleStore(memoryStorage())
    const tools = [lookTool, recallTool({ store })]
    const model = modelAt(url()).bindTools(tools)
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('compact', compactNode({ at: 20_000, keep: 6, store }))
      .addNode('agent', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
      .addNode('tools', new ToolNode(tools))
      .addEdge(START, 'compact')
      .addEdge('compact', 'agent')
      .addConditionalEdges('agent', toolsCondition)
      .addEdge('tools', 'compact')
      .compile({ checkpointer: new MemorySaver() })
    const thread = { configurable: { thread_id: 'config-loader' } }
    const messages = [
      { role: 'system', content: 'You are a coding agent.' },
      { role: 'user', content: asked },
    ]
    const state = await graph.invoke({ messages }, { ...thread, recursionLimit: 4 * steps })
    expect(state.messages.at(-1)?.text).toBe('The port is 48213.')
    expectKeptSmall(seen, 20_000)
    // What the thread goes on with is what the checkpointer kept.
    const kept = await graph.getState(thread)
    const said = (messages: typeof state.messages) => messages.map(({ text }) => text)
    expect(said(kept.values.messages)).toEqual(said(state.messages))
    expect(state.messages.length).toBeLessThan(steps)
  })
})
