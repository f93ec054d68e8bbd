import { describe, expect, it } from 'vitest'
import {
  type AiSdkCall,
  type AiSdkLanguageModel,
  aiSdkModel,
  aiSdkSummarizer,
} from '../../src/ai-sdk/index.ts'
import { request } from '../openai/sample.ts'
import { failureOf } from '../support/ask.ts'

// The stream parts of the specifications, as their providers send them.

function modelOf(
  parts: readonly { readonly type: string; readonly [field: string]: unknown }[],
  more: object = {},
): AiSdkLanguageModel & { readonly calls: AiSdkCall[] } {
  const calls: AiSdkCall[] = []
  return {
    specificationVersion: 'v3',
    provider: 'acme.chat',
    modelId: 'acme-1',
    calls,
    async doStream(call) {
      calls.push(call)
      return { stream: ReadableStream.from(parts) }
    },
    ...more,
  }
}

const ask = async (model: AiSdkLanguageModel) => await aiSdkModel({ model })(request, new AbortController())
const text = (delta: string) => ({ type: 'text-delta', id: '0', delta })
const answered = [text('{"a"'), { type: 'reasoning-delta', id: '1', delta: 'hm' }, text(':1}')]
const counts = {
  inputTokens: { total: 30, noCache: 20, cacheRead: 8, cacheWrite: 2 },
  outputTokens: { total: 12, text: 7, reasoning: 5 },
}
const usage = {
  inputTokens: 30,
  outputTokens: 12,
  cacheReadTokens: 8,
  cacheWriteTokens: 2,
  reasoningTokens: 5,
}

describe('aiSdkModel', () => {
  it('reads what a model of AI SDK 5 sends', async () => {
    const counted = {
      inputTokens: 30,
      outputTokens: 12,
      totalTokens: 42,
      reasoningTokens: 5,
      cachedInputTokens: 8,
    }
    const { cacheWriteTokens: _, ...known } = usage
    const model = modelOf([
      { type: 'response-metadata', id: 'r1', modelId: 'acme-1-0926' },
      ...answered,
      { type: 'finish', finishReason: 'stop', usage: counted },
    ])
    expect(await ask(model)).toEqual({
      text: '{"a":1}',
      stop: 'end',
      usage: known,
      model: 'acme-1-0926',
      requestId: 'r1',
    })
  })

  it('reads what a model of AI SDK 6 and 7 sends', async () => {
    const finish = { type: 'finish', finishReason: { unified: 'stop', raw: 'end_turn' }, usage: counts }
    expect(await ask(modelOf([{ type: 'ping' }, ...answered, finish]))).toEqual({
      text: '{"a":1}',
      stop: 'end',
      usage,
    })
  })

  it.each([
    ['length', undefined, 'max-tokens'],
    ['content-filter', 'refusal', 'refusal'],
    ['content-filter', 'SAFETY', 'content-filter'],
    ['length', 'model_context_window_exceeded', 'context-exceeded'],
    ['tool-calls', 'tool_use', 'end'],
    ['other', 'eos', 'end'],
  ])('reads the finish reason %s of %s', async (unified, raw, stop) => {
    const finish = { type: 'finish', finishReason: { unified, raw }, usage: counts }
    expect(await ask(modelOf([...answered, finish]))).toMatchObject({ stop, usage })
  })

  it.each([
    ['the stream ends without one', []],
    ['it is interrupted', [{ type: 'finish', finishReason: { unified: 'interrupted' }, usage: counts }]],
    [
      'the provider has no word for it, and the text is no whole object',
      [{ type: 'finish', finishReason: 'unknown' }],
    ],
  ])('takes an answer as cut off if %s', async (_, finish) => {
    expect(await failureOf(ask(modelOf([text('{"a":'), ...finish])))).toMatchObject({
      reason: 'cut-off',
      retryable: true,
      usage: finish[0]?.type === 'finish' && 'usage' in finish[0] ? usage : {},
    })
  })

  it('reports an error within the stream, with what was billed', async () => {
    const parts = [
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      { type: 'finish', finishReason: { unified: 'error' }, usage: counts },
    ]
    expect(await failureOf(ask(modelOf(parts)))).toMatchObject({
      reason: 'overloaded',
      retryable: true,
      usage,
    })
  })

  it.each(['unsupported', 'unsupported-setting'])(
    'puts the schema into words from the next call on if a provider warns: %s',
    async (type) => {
      const warnings = [{ type, feature: 'responseFormat', setting: 'responseFormat' }]
      const finish = { type: 'finish', finishReason: 'stop', usage: counts }
      const model = modelOf([{ type: 'stream-start', warnings }, ...answered, finish])
      const call = aiSdkModel({ model })
      for (let times = 0; times < 2; times++) await call(request, new AbortController())
      const [first, second] = model.calls.map(({ prompt, responseFormat }) => ({
        words: JSON.stringify(prompt).includes('JSON Schema'),
        schema: responseFormat?.schema !== undefined,
      }))
      expect(first).toEqual({ words: false, schema: true })
      expect(second).toEqual({ words: true, schema: false })
    },
  )

  it.each([
    ['AI_LoadAPIKeyError', 'auth'],
    ['AI_NoSuchModelError', 'bad-request'],
    ['AI_UnsupportedFunctionalityError', 'bad-request'],
    ['AI_EmptyResponseBodyError', 'cut-off'],
    ['TypeError', 'unknown'],
  ])('reports %s as %s, without the cause', async (name, reason) => {
    const thrown = Object.assign(new Error('key sk-abcdefghijklmnop\nmarmalade'), { name })
    const model = modelOf([], { doStream: () => Promise.reject(thrown) })
    const error = await failureOf(ask(model))
    expect(error.reason).toBe(reason)
    expect(error.cause).toBeUndefined()
    expect(error.message).not.toMatch(/sk-abc|marmalade/)
  })

  it('takes the object of a model, not its name', () => {
    expect(() => aiSdkSummarizer({ model: 'acme/acme-1' as unknown as AiSdkLanguageModel })).toThrow(
      TypeError,
    )
  })
})
