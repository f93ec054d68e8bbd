import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerOf, wireOf } from './wires.ts'

/** A call that the model asks for. */
export interface ScriptedCall {
  readonly tool: string
  /** Of the tool, if the agent has its tools in several: only in the Responses API. */
  readonly namespace?: string
  readonly input: Readonly<Record<string, unknown>>
}

/** One answer of the model. */
export interface ScriptedStep {
  readonly text: string
  readonly call?: ScriptedCall
}

/** What the model answers in one session, or in a subagent of it, from its first request on. */
export interface Script {
  readonly name: string
  /** A text that only requests of this session hold. */
  readonly mark: string
  readonly steps: readonly ScriptedStep[]
}

/** A model server on loopback that plays scripts, whatever it is asked. */
export interface StandIn {
  readonly url: string
  /** Adds scripts. A request gets the next step of the first script whose mark it holds. */
  play(scripts: readonly Script[]): void
  /** Bodies of the requests that got a step of the script. */
  requests(name: string): readonly string[]
  /** Forgets all scripts. */
  reset(): void
  close(): void
}

/** What answers a request that offers no tools: for a title, a route, a summary. */
const aside: ScriptedStep = {
  text: '{"title":"A scripted session","reasoning":"none","model_choice":"flash"}',
}

export async function startStandIn(): Promise<StandIn> {
  let playing: readonly Script[] = []
  const asked = new Map<string, string[]>()
  const server = createServer((request, response) => void answer(request, response))
  // Codex tries a web socket first.
  server.on('upgrade', (_, socket) => socket.end('HTTP/1.1 404 Not Found\r\n\r\n'))
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request)
    const wire = request.method === 'POST' ? wireOf(request.url ?? '') : undefined
    if (wire === undefined) return end(response, request.method === 'GET' ? modelList : {})
    const fields = fieldsOf(body)
    const step = offersTools(fields) ? next(body) : aside
    const { stream, json, events } = answerOf(wire, fields, request.url ?? '', step)
    if (!stream) return end(response, json)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const { name, data } of events)
      response.write(`${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`)
    response.end(wire === 'chat' ? 'data: [DONE]\n\n' : undefined)
  }

  function next(body: string): ScriptedStep {
    const script = playing.find(({ mark }) => body.includes(mark))
    if (script === undefined) return aside
    const bodies = asked.get(script.name) ?? []
    asked.set(script.name, [...bodies, body])
    return script.steps[Math.min(bodies.length, script.steps.length - 1)] ?? aside
  }

  return {
    url: `http://127.0.0.1:${port}`,
    play(scripts) {
      playing = [...scripts, ...playing]
    },
    requests: (name) => asked.get(name) ?? [],
    reset() {
      playing = []
      asked.clear()
    },
    close: () => void server.close(),
  }
}

const modelList = {
  object: 'list',
  data: [{ id: 'standin-1', object: 'model' }],
  models: [],
  has_more: false,
}

function offersTools({ tools, input }: Record<string, unknown>): boolean {
  const inInput = Array.isArray(input) && input.some(({ type }) => type === 'additional_tools')
  return inInput || (Array.isArray(tools) && tools.length > 0)
}

function fieldsOf(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch (error) {
    if (error instanceof SyntaxError) return {}
    throw error
  }
}

function end(response: ServerResponse, value: object): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}

async function textOf(request: IncomingMessage): Promise<string> {
  const blocks: Buffer[] = []
  for await (const block of request) blocks.push(block as Buffer)
  return Buffer.concat(blocks).toString('utf8')
}
