import { describe, expect, it } from 'vitest'
import { chatParams, responseParams } from '../../src/openai/call-params.ts'
import { modelMessage } from '../../src/provider/model.ts'
import { request, schema } from './sample.ts'

describe('responseParams', () => {
  it('asks for the schema, strictly, and for nothing to be stored', () => {
    expect(responseParams(request, { model: 'gpt-6-luna' })).toEqual({
      model: 'gpt-6-luna',
      instructions: 'You summarize a session.',
      input: [{ role: 'user', content: 'What was done? marmalade' }],
      max_output_tokens: 4000,
      text: { format: { type: 'json_schema', name: 'summary', strict: true, schema } },
      store: false,
    })
  })

  it('sends an answer that needs repair as the assistant', () => {
    const messages = [...request.messages, modelMessage('assistant', '{'), modelMessage('user', 'Repair it.')]
    expect(responseParams({ ...request, messages }, { model: 'm' }).input).toEqual([
      { role: 'user', content: 'What was done? marmalade' },
      { role: 'assistant', content: '{' },
      { role: 'user', content: 'Repair it.' },
    ])
  })

  it('keeps the schema, the effort and store: false with any additions', () => {
    const extra = {
      store: true,
      text: { verbosity: 'low', format: { type: 'text' } },
      reasoning: { summary: 'auto', effort: 'max' },
      prompt_cache_key: 'k',
    }
    const params = responseParams(request, { model: 'm', effort: 'low', extra })
    expect(params).toMatchObject({
      store: false,
      prompt_cache_key: 'k',
      reasoning: { summary: 'auto', effort: 'low' },
    })
    expect(params.text).toMatchObject({ verbosity: 'low', format: { type: 'json_schema' } })
  })
})

describe('chatParams', () => {
  const options = {
    model: 'qwen3',
    structured: 'json-schema',
    maxTokensField: 'max_tokens',
    stream: true,
  } as const

  it('uses only what compatible servers share', () => {
    expect(chatParams(request, options)).toEqual({
      model: 'qwen3',
      messages: [
        { role: 'system', content: 'You summarize a session.' },
        { role: 'user', content: 'What was done? marmalade' },
      ],
      max_tokens: 4000,
      response_format: { type: 'json_schema', json_schema: { name: 'summary', strict: true, schema } },
      stream: true,
      stream_options: { include_usage: true },
    })
  })

  it('puts the schema into words if the server does not get it in another way', () => {
    for (const structured of ['json-object', 'prompt'] as const) {
      const params = chatParams(request, { ...options, structured })
      expect(params.messages[0]?.content).toContain(JSON.stringify(schema))
      expect(params.messages[0]?.content).toContain('JSON')
      expect(params.response_format).toEqual(structured === 'prompt' ? undefined : { type: 'json_object' })
      expect('response_format' in params).toBe(structured !== 'prompt')
    }
  })

  it('sends temperature, seed and effort only if they are set', () => {
    expect(chatParams(request, { ...options, temperature: 0, seed: 1, effort: 'low' })).toMatchObject({
      temperature: 0,
      seed: 1,
      reasoning_effort: 'low',
    })
    const plain = chatParams(request, options)
    for (const field of ['temperature', 'seed', 'reasoning_effort', 'store'])
      expect(field in plain).toBe(false)
  })

  it('names the limit as configured, and passes on additions', () => {
    const params = chatParams(request, {
      ...options,
      stream: false,
      maxTokensField: 'max_completion_tokens',
      extra: { provider: { require_parameters: true } },
    })
    expect(params).toMatchObject({
      max_completion_tokens: 4000,
      provider: { require_parameters: true },
      stream: false,
    })
    expect('max_tokens' in params || 'stream_options' in params).toBe(false)
  })
})
