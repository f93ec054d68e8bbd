import type Anthropic from '@anthropic-ai/sdk'
import { describe, expect, it } from 'vitest'
import { messageParams } from '../../src/anthropic/message-params.ts'
import { replyOf, usageOf } from '../../src/anthropic/read-message.ts'
import { modelMessage } from '../../src/provider/model.ts'
import { request } from '../support/ask.ts'

function message(...texts: string[]) {
  const content = texts.map((text): Anthropic.ContentBlock => ({ type: 'text', text, citations: null }))
  return { content, stop_reason: 'end_turn' as const, usage: {} }
}

describe('messageParams', () => {
  it('returns plain data without the fields for streaming', () => {
    const params = messageParams(request, {
      model: 'm',
      extra: { stream: true, max_tokens: 1, model: 'other' },
    })
    expect(params).toEqual(JSON.parse(JSON.stringify(params)))
    expect(params).toMatchObject({ model: 'm', max_tokens: 30_000 })
    expect(params).not.toHaveProperty('stream')
    expect(params).not.toHaveProperty('temperature')
  })

  it('leaves out an empty system prompt and the draft of the schema', () => {
    const params = messageParams(
      { ...request, system: '', schema: { $schema: 'x', type: 'object' } },
      { model: 'm' },
    )
    expect(params).not.toHaveProperty('system')
    expect(params.output_config).toEqual({ format: { type: 'json_schema', schema: { type: 'object' } } })
  })

  it('replaces lone surrogates, which the API refuses', () => {
    const messages = [modelMessage('user', 'a\ud800b')]
    expect(messageParams({ ...request, messages }, { model: 'm' }).messages).toEqual([
      { role: 'user', content: 'a\ufffdb' },
    ])
  })
})

describe('replyOf', () => {
  it.each([
    ['one block', ['{"a":1}'], '{"a":1}'],
    ['prose before JSON', ['Here: ', '{"a":1}'], '{"a":1}'],
    ['JSON before prose', ['{"a":1}', 'Done.'], '{"a":1}'],
    ['two objects: the later', ['{"a":1}', '{"a":2}'], '{"a":2}'],
    ['JSON in two halves', ['{"a":', '1}'], '{"a":1}'],
    ['prose only', ['one ', 'two'], 'one two'],
    ['a number is no answer', ['{"a":1}', '7'], '{"a":1}'],
    ['nothing', [], ''],
  ])('reads several blocks: %s', (_, texts, text) => {
    expect(replyOf(message(...texts)).text).toBe(text)
  })

  it('leaves out a missing id', () => {
    expect(replyOf(message('x'), null)).toEqual({ text: 'x', stop: 'end', usage: {} })
  })
})

describe('usageOf', () => {
  it('leaves null, missing and invalid counts unknown', () => {
    expect(usageOf(undefined)).toEqual({})
    expect(usageOf({ input_tokens: 5, cache_read_input_tokens: null, output_tokens_details: null })).toEqual({
      inputTokens: 5,
    })
    expect(usageOf({ input_tokens: -1, output_tokens: 1.5 })).toEqual({})
  })
})
