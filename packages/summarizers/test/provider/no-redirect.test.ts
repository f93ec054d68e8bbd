import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anthropicModel } from '../../src/anthropic/anthropic-model.ts'
import { ollamaModel } from '../../src/ollama/ollama-model.ts'
import { openaiModel } from '../../src/openai/openai-model.ts'
import { type ModelRequest, modelMessage } from '../../src/provider/model.ts'

const request: ModelRequest = {
  system: 's',
  messages: [modelMessage('user', 'words of the session')],
  schema: { type: 'object', properties: {}, required: [], additionalProperties: false },
  schemaName: 'x',
  maxOutputTokens: 100,
  inputTokens: 50,
}

let here: Server
let elsewhere: Server
let status = 307
const asked: string[] = []
const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const started = async (server: Server) => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

beforeAll(async () => {
  elsewhere = await started(
    createServer((incoming, response) => {
      asked.push(incoming.url ?? '')
      response.end('{}')
    }),
  )
  here = await started(
    createServer((_, response) => {
      response.writeHead(status, { location: `${urlOf(elsewhere)}/other?key=1` }).end()
    }),
  )
})
afterAll(() => {
  here.close()
  elsewhere.close()
})

describe.each([
  ['anthropic', () => anthropicModel({ model: 'claude-opus-5-5', apiKey: 'k', baseURL: urlOf(here) })],
  [
    'openai responses',
    () => openaiModel({ model: 'm', api: 'responses', apiKey: 'k', baseURL: urlOf(here) }),
  ],
  ['openai chat', () => openaiModel({ model: 'm', api: 'chat', apiKey: 'k', baseURL: urlOf(here) })],
  ['ollama', () => ollamaModel({ model: 'm', host: urlOf(here), headers: { authorization: 'Bearer k' } })],
])('the client of %s', (_, make) => {
  it.each([301, 302, 303, 307, 308])(
    'does not follow a redirect (%i), and reports its target',
    async (code) => {
      status = code
      const error = await make()(request, { signal: new AbortController().signal }).catch(
        (thrown: unknown) => thrown,
      )
      expect(error).toMatchObject({ reason: 'bad-request', retryable: false })
      expect((error as Error).message).toContain(urlOf(elsewhere))
      expect((error as Error).message).not.toContain('key=1')
      expect(asked).toEqual([])
    },
  )
})
