import nock from 'nock'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openaiModel } from '../../src/openai/openai-model.ts'
import { failureOf } from '../support/ask.ts'
import { answer, type Body, cost, options, refuse, whole } from './compatible.ts'
import { ask, request } from './sample.ts'

beforeAll(() => nock.disableNetConnect())
afterEach(() => {
  expect(nock.pendingMocks()).toEqual([])
  nock.cleanAll()
})
afterAll(() => nock.restore())

describe('a server that knows another name of the output limit', () => {
  const limits = (bodies: readonly Body[]) =>
    bodies.map(({ max_tokens, max_completion_tokens }) => ({ max_tokens, max_completion_tokens }))
  const old = { max_tokens: 4000, max_completion_tokens: undefined }
  const newer = { max_tokens: undefined, max_completion_tokens: 4000 }

  it.each([
    [
      400,
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    ],
    [400, 'Unrecognized request argument supplied: max_tokens'],
    [
      422,
      "[{'type': 'extra_forbidden', 'loc': ('body', 'max_tokens'), 'msg': 'Extra inputs are not permitted'}]",
    ],
  ])('is asked by that name after %i %s, and so from then on', async (status, message) => {
    const model = openaiModel(options)
    const { signal } = new AbortController()
    const refused: string[] = []
    const first = refuse(status, message)
    const second = answer(200, whole)
    const reply = await model(request, { signal, onRefused: (error) => void refused.push(error.reason) })
    expect(reply).toMatchObject({ text: '{"a":1}', usage: cost })
    const later = answer(200, whole)
    await model(request, { signal })
    expect(limits([...first, ...second, ...later])).toEqual([old, newer, newer])
    expect(refused).toEqual(['bad-request'])
  })

  it('may know only the old one', async () => {
    const first = refuse(400, 'property max_completion_tokens is unsupported', { param: null })
    const second = answer(200, whole)
    await ask({ ...options, maxTokensField: 'max_completion_tokens' })
    expect(limits([...first, ...second])).toEqual([newer, old])
  })

  it('may refuse the form of the schema too', async () => {
    refuse(400, 'response_format is not supported')
    refuse(400, "unknown field 'max_tokens'")
    const third = answer(200, whole)
    await ask(options)
    expect(third[0]).toMatchObject({ max_completion_tokens: 4000, response_format: { type: 'json_object' } })
  })

  it('is asked at most once by each', async () => {
    const first = refuse(400, 'max_tokens is not supported')
    const second = refuse(400, 'max_completion_tokens is not supported')
    expect(await failureOf(ask(options))).toMatchObject({ reason: 'bad-request' })
    expect(limits([...first, ...second])).toEqual([old, newer])
  })

  it.each([
    ['max_tokens is too large: 4000. This model supports at most 1024 completion tokens', 'bad-request'],
    [
      "This model's maximum context length is 8192 tokens, but max_tokens is 4000: not supported",
      'prompt-too-long',
    ],
    ['max_tokens must be a positive integer', 'bad-request'],
  ])('is not asked again after %s', async (message, reason) => {
    refuse(400, message)
    expect(await failureOf(ask(options))).toMatchObject({ reason })
  })
})
