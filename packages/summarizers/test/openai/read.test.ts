import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { repeats } from '../../../../test/support/repeats.ts'
import { seedOf } from '../../../../test/support/seed.ts'
import { chatAnswer, replyOfChat } from '../../src/openai/read-chat.ts'
import { replyOfResponse, responseAnswer } from '../../src/openai/read-response.ts'
import { ModelError } from '../../src/provider/model.ts'

const usage = {
  input_tokens: 900,
  input_tokens_details: { cached_tokens: 512, cache_write_tokens: 7 },
  output_tokens: 60,
  output_tokens_details: { reasoning_tokens: 32 },
}
const known = {
  inputTokens: 900,
  outputTokens: 60,
  cacheReadTokens: 512,
  cacheWriteTokens: 7,
  reasoningTokens: 32,
}

function response(fields: object): object {
  const content = [{ type: 'output_text', text: '{"a":1}' }]
  const output = [
    { type: 'reasoning', summary: [] },
    { type: 'message', content },
  ]
  return {
    id: 'resp_1',
    object: 'response',
    model: 'gpt-6-luna',
    status: 'completed',
    output,
    usage,
    ...fields,
  }
}

function errorOf(act: () => unknown): ModelError {
  try {
    act()
  } catch (error) {
    if (error instanceof ModelError) return error
    throw error
  }
  throw new Error('expected a ModelError')
}

describe('replyOfResponse', () => {
  it("joins the messages and leaves out the model's remarks in between", () => {
    const message = (text: string, phase?: string) => ({
      type: 'message',
      phase,
      content: [{ type: 'output_text', text }],
    })
    const output = [message('I look at it.', 'commentary'), message('{"a"', 'final_answer'), message(':1}')]
    expect(replyOfResponse(response({ output })).text).toBe('{"a":1}')
  })

  it.each([
    ['server_error', 'server-error', true],
    ['rate_limit_exceeded', 'rate-limited', true],
    ['insufficient_quota', 'spend-limit', false],
    ['context_length_exceeded', 'prompt-too-long', false],
    ['invalid_prompt', 'bad-request', false],
    ['bio_policy', 'content-filter', false],
  ])('turns a Response that failed with %s into %s', (code, reason, retryable) => {
    const error = errorOf(() =>
      replyOfResponse(response({ status: 'failed', error: { code, message: 'It broke.' } })),
    )
    expect(error).toMatchObject({ reason, retryable, usage: known, requestId: 'resp_1', model: 'gpt-6-luna' })
  })

  it.each(['in_progress', 'queued', 'cancelled', 'incomplete', 'strange', { a: 1 }])(
    'accepts no text of status %j',
    (status) => {
      expect(errorOf(() => replyOfResponse(response({ status })))).toMatchObject({
        reason: 'cut-off',
        retryable: true,
        usage: known,
      })
    },
  )

  it('leaves invalid counts unknown', () => {
    const odd = {
      input_tokens: -1,
      output_tokens: 1.5,
      output_tokens_details: null,
      input_tokens_details: [3],
    }
    expect(replyOfResponse(response({ usage: odd })).usage).toEqual({})
    expect(replyOfResponse(response({ usage: null })).usage).toEqual({})
  })
})

describe('replyOfChat', () => {
  const chat = (choice: object, more: object = {}) => ({
    id: 'chatcmpl-1',
    model: 'qwen3',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: '{}' }, ...choice }],
    usage: { prompt_tokens: 90, completion_tokens: 6 },
    ...more,
  })
  const cost = { inputTokens: 90, outputTokens: 6 }

  it('leaves a usage unknown that is missing, or 0 for a prompt', () => {
    expect(replyOfChat(chat({}, { usage: undefined })).usage).toEqual({})
    expect(replyOfChat(chat({}, { usage: { prompt_tokens: 0, completion_tokens: 0 } })).usage).toEqual({
      outputTokens: 0,
    })
  })

  it.each([
    ['stop', 'end'],
    ['eos_token', 'end'],
    ['length', 'max-tokens'],
    ['content_filter', 'content-filter'],
  ])('reads the finish_reason %s as %s', (finish_reason, stop) => {
    expect(replyOfChat(chat({ finish_reason })).stop).toBe(stop)
  })

  it('accepts no text without a finish_reason, or with an error', () => {
    for (const finish_reason of [null, 'abort'])
      expect(errorOf(() => replyOfChat(chat({ finish_reason })))).toMatchObject({
        reason: 'cut-off',
        retryable: true,
        usage: cost,
      })
    expect(errorOf(() => replyOfChat(chat({ finish_reason: 'error' })))).toMatchObject({
      reason: 'server-error',
      usage: cost,
    })
    const error = { code: 502, message: 'Provider returned error' }
    expect(errorOf(() => replyOfChat({ error }))).toMatchObject({ reason: 'server-error', retryable: true })
    expect(errorOf(() => replyOfChat(chat({ error })))).toMatchObject({ reason: 'server-error', usage: cost })
    expect(errorOf(() => replyOfChat({ error: 'Unexpected endpoint' })).message).toContain(
      'Unexpected endpoint',
    )
    expect(errorOf(() => replyOfChat({ hello: 1 }))).toMatchObject({
      reason: 'bad-request',
      retryable: false,
    })
  })
})

describe('any JSON value', () => {
  const names =
    'id status error output usage choices message content type refusal finish_reason delta response object'
  const key = fc.constantFrom(...names.split(' '), '__proto__', 'constructor')
  const leaf = fc.oneof(
    fc.constantFrom('completed', 'failed', 'stop', 'error', 'message', '[DONE]'),
    fc.jsonValue(),
  )
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof({ maxDepth: 5 }, leaf, fc.array(tie('json')), fc.dictionary(key, tie('json'))),
  }))

  it('is a reply or a ModelError', () => {
    const holds = (act: () => unknown) => {
      try {
        act()
      } catch (error) {
        if (!(error instanceof ModelError)) throw error
      }
    }
    const collect = (answer: ReturnType<typeof chatAnswer>, list: unknown[]) => {
      for (const data of list) if (answer.add({ data })) break
      answer.facts()
      answer.reply()
    }
    fc.assert(
      fc.property(fc.array(json, { maxLength: 4 }), (list) => {
        holds(() => replyOfResponse(list[0]))
        holds(() => replyOfChat(list[0]))
        holds(() => collect(chatAnswer(), list))
        holds(() => collect(responseAnswer(), list))
      }),
      { numRuns: repeats({ few: 150, all: 500 }), seed: seedOf(1) },
    )
  })
})
