import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { mapChatMessagesToStoredMessages } from '@langchain/core/messages'
import { RunCollectorCallbackHandler } from '@langchain/core/tracers/run_collector'
import { MemorySaver } from '@langchain/langgraph'
import { ChatOpenAI } from '@langchain/openai'
import * as agents from '@openai/agents'
import { readSession, type Session } from '@tenfold/core'
import { generateText, tool as sdkTool, stepCountIs } from 'ai'
import { createAgent, tool } from 'langchain'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'

// What the readers are to read, as the packages themselves make it: a call that works, one that fails, an answer.

const input = z.object({ part: z.number() })

function run({ part }: z.infer<typeof input>): string {
  if (part === 2) throw new Error('the lamp is broken')
  return `lamp ${part} is off`
}

const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }
let step = 0
const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    step += 1
    const called = { name: 'look', arguments: JSON.stringify({ part: step }) }
    const calls = [{ id: `call-${step}`, type: 'function', function: called }]
    const content = step < 3 ? `I look at part ${step}.` : 'The lamps were off.'
    const message = { role: 'assistant', content, ...(step < 3 && { tool_calls: calls }) }
    const choice = { index: 0, finish_reason: step < 3 ? 'tool_calls' : 'stop', message }
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({
        id: `r-${step}`,
        object: 'chat.completion',
        created: 1,
        model: 'scripted',
        choices: [choice],
        usage,
      }),
    )
  })
})
beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)))
afterAll(() => void server.close())
beforeEach(() => {
  step = 0
})
const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
const asked = 'Why are the lamps off?'

async function read(value: unknown): Promise<Session> {
  return await readSession({ parsed: JSON.parse(JSON.stringify(value)) })
}

function expectWhole({ events, notes, usage: billed }: Session): void {
  expect(notes).toEqual([])
  const told = events.flatMap((event) => {
    if (event.type === 'tool_call') return [`${event.type} ${event.name} ${JSON.stringify(event.input)}`]
    if (event.type === 'tool_result') return [`${event.type} ${event.status}`]
    return event.type === 'context' ? [] : [`${event.type} ${'text' in event ? event.text : ''}`]
  })
  expect(told).toEqual([
    `user ${asked}`,
    'assistant I look at part 1.',
    'tool_call look {"part":1}',
    'tool_result ok',
    'assistant I look at part 2.',
    'tool_call look {"part":2}',
    'tool_result error',
    'assistant The lamps were off.',
  ])
  const texts = events.flatMap((event) => (event.type === 'tool_result' ? [event.text] : []))
  expect(texts[0]).toContain('lamp 1 is off')
  expect(texts[1]).toContain('the lamp is broken')
  if (billed.length > 0) expect(billed[0]?.usage).toMatchObject({ inputTokens: 300, outputTokens: 30 })
}

describe('LangChain', () => {
  const look = tool(
    (given: z.infer<typeof input>) => {
      try {
        return run(given)
      } catch (error) {
        return `Error: ${(error as Error).message}`
      }
    },
    { name: 'look', schema: input },
  )
  const model = () => new ChatOpenAI({ model: 'scripted', apiKey: 'none', configuration: { baseURL: url() } })

  it('its messages, a snapshot of LangGraph and runs of LangSmith are read', async () => {
    const tracer = new RunCollectorCallbackHandler()
    const agent = createAgent({ model: model(), tools: [look], checkpointer: new MemorySaver() })
    const thread = { configurable: { thread_id: 'lamps' } }
    const messages = [{ role: 'user', content: asked }]
    const state = await agent.invoke({ messages }, { ...thread, callbacks: [tracer] })
    const snapshot = await agent.graph.getState(thread)
    const forms = {
      langchain: [state, state.messages, mapChatMessagesToStoredMessages(state.messages), snapshot],
      langsmith: [tracer.tracedRuns],
    }
    for (const [format, values] of Object.entries(forms))
      for (const value of values) {
        const session = await read(value)
        expect(session.format).toBe(format)
        expectWhole(session)
      }
  })
})

describe('OpenAI Agents', () => {
  it('the items of its sessions, a history and a run state are read', async () => {
    const look = agents.tool({ name: 'look', description: 'Looks.', parameters: input, execute: run })
    const agent = new agents.Agent({ name: 'mender', model: 'scripted', tools: [look] })
    const modelProvider = new agents.OpenAIProvider({ apiKey: 'none', baseURL: url(), useResponses: false })
    const session = new agents.MemorySession()
    const runner = new agents.Runner({ modelProvider, tracingDisabled: true })
    const result = await runner.run(agent, asked, { session })
    for (const value of [result.history, await session.getItems(), result.state.toJSON()]) {
      const made = await read(value)
      expect(made.format).toBe('openai-agents')
      expectWhole(made)
    }
  })
})

describe('AI SDK', () => {
  it('its messages and steps are read', async () => {
    const messages = [{ role: 'user' as const, content: asked }]
    const { response, steps } = await generateText({
      model: createOpenAICompatible({ name: 'stand-in', baseURL: url() })('scripted'),
      messages,
      tools: { look: sdkTool({ inputSchema: input, execute: async (given) => run(given) }) },
      stopWhen: stepCountIs(3),
    })
    for (const value of [
      [...messages, ...response.messages],
      [...messages, ...steps],
    ]) {
      const made = await read(value)
      expect(made.format).toBe('ai-sdk')
      expectWhole(made)
    }
  })
})
