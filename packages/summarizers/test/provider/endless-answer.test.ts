import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anthropicModel } from '../../src/anthropic/anthropic-model.ts'
import { ollamaModel } from '../../src/ollama/ollama-model.ts'
import { type Model, type ModelRequest, modelMessage } from '../../src/provider/model.ts'

const mebibyte = 2 ** 20
const pieces = {
  line: Buffer.alloc(mebibyte, 'a'),
  lines: Buffer.from(`{"message":{"content":"${'a'.repeat(1000)}"},"done":false}\n`.repeat(mebibyte / 1024)),
  comments: Buffer.from(`: ${'a'.repeat(1000)}\n`.repeat(mebibyte / 1000)),
}

let server: Server
let baseURL: string
let sent = 0

beforeAll(async () => {
  server = createServer(async (incoming, response) => {
    incoming.resume()
    response.setMaxListeners(0)
    const piece = pieces[incoming.headers['x-piece'] as keyof typeof pieces]
    const status = incoming.headers['x-status']
    response.writeHead(status === undefined ? 200 : Number(status), { 'content-type': 'text/event-stream' })
    sent = 0
    while (!response.destroyed) {
      sent++
      if (!response.write(piece)) await new Promise((go) => response.once('drain', go).once('close', go))
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const request: ModelRequest = {
  system: 'Summarize.',
  messages: [modelMessage('user', 'a log')],
  schema: { type: 'object', properties: {}, additionalProperties: false },
  schemaName: 'summary',
  maxOutputTokens: 1000,
  inputTokens: 100,
}

const ask = async (model: Model) => {
  try {
    await model(request, { signal: new AbortController().signal })
    return 'an answer'
  } catch (error) {
    return error
  }
}

interface Headers {
  readonly headers: Record<string, string>
}

describe('an answer without end', () => {
  it.each([
    ['Ollama', 'line', (options: Headers) => ollamaModel({ model: 'llama', host: baseURL, ...options })],
    ['Ollama', 'lines', (options: Headers) => ollamaModel({ model: 'llama', host: baseURL, ...options })],
    [
      'Anthropic',
      'comments',
      (options: Headers) => anthropicModel({ model: 'claude', apiKey: 'key', baseURL, ...options }),
    ],
    [
      'Anthropic',
      'line',
      (options: Headers) => anthropicModel({ model: 'claude', apiKey: 'key', baseURL, ...options }),
    ],
  ] as const)('of %s is not read to the end of the memory: %s', async (_, piece, modelWith) => {
    const failed = await ask(modelWith({ headers: { 'x-piece': piece } }))
    expect(failed).toMatchObject({ name: 'ModelError', reason: 'inflated', retryable: false })
    expect(sent).toBeLessThan(80)
  })

  it('of an error of Ollama is not read to the end of the memory', async () => {
    const headers = { 'x-status': '500', 'x-piece': 'line' }
    expect(await ask(ollamaModel({ model: 'llama', host: baseURL, headers }))).toMatchObject({
      name: 'ModelError',
      reason: 'inflated',
    })
    expect(sent).toBeLessThan(80)
  })
})
