import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll } from 'vitest'

interface ChatMessage {
  readonly role: string
  readonly content?: unknown
  readonly tool_call_id?: string
}

/** What the server has seen of one loop. */
export interface SeenLoop {
  /** The messages of each request. */
  readonly requests: (readonly ChatMessage[])[]
}

export const steps = 60
/** The step that asks `recall` for the port. */
const asksAt = 50

/** A long listing; that of part 3 alone holds the port. */
export function look(part: number): string {
  const lines = Array.from(
    { length: 60 },
    (_, line) => `src/part${part}/file${line}.ts: export const v${part}x${line * 7919}`,
  )
  if (part === 3) lines.splice(30, 0, 'config/preview.json: "previewPort": 48213')
  return lines.join('\n')
}

/**
 * A server of chat completions that works off a script: it looks at one part a step, asks `recall` for the port, and ends with what the answer to that says.
 */
export function scriptedModel(): { readonly url: () => string; readonly seen: SeenLoop } {
  const seen: SeenLoop = { requests: [] }
  let port: string | undefined
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { messages, model } = JSON.parse(body) as { messages: ChatMessage[]; model: string }
    seen.requests.push(messages)
    const step = seen.requests.length
    const found = messages.find(({ tool_call_id }) => tool_call_id === `call-${asksAt}`)
    port ??= /"?previewPort\W+(\d+)/.exec(JSON.stringify(found ?? ''))?.[1]
    const answer = messageOf(step, port)
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({
        id: `answer-${step}`,
        object: 'chat.completion',
        created: 1,
        model,
        choices: [
          {
            index: 0,
            finish_reason: step < steps ? 'tool_calls' : 'stop',
            message: answer,
          },
        ],
        usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
      }),
    )
  })
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => server.close())
  return { url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, seen }
}

function messageOf(step: number, port: string | undefined) {
  const text = { role: 'assistant', content: `I look at part ${step}.` }
  if (step === asksAt) return { ...text, tool_calls: [callOf(step, 'recall', { query: 'previewPort' })] }
  if (step < steps) return { ...text, tool_calls: [callOf(step, 'look', { part: step })] }
  return { role: 'assistant', content: `The port is ${port}.` }
}

function callOf(step: number, name: string, input: object) {
  return { id: `call-${step}`, type: 'function', function: { name, arguments: JSON.stringify(input) } }
}
