import { describe, expect, it } from 'vitest'
import { type ChatLine, streamedChat } from '../../src/ollama/read-chat.ts'
import { ModelError } from '../../src/provider/model.ts'
import { request } from '../support/ask.ts'

function reply(last: ChatLine, estimate = 700, numCtx = 1000) {
  const chat = streamedChat({ ...request, inputTokens: estimate, maxOutputTokens: 100 }, numCtx)
  chat.add({ model: 'm', message: { role: 'assistant', content: '{"a":' } })
  chat.add({ message: { role: 'assistant', content: '1}' } })
  chat.add({ done: true, ...last })
  return chat.reply()
}

describe('a streamed chat', () => {
  it('reads counts, including those of the cache', () => {
    const counts = { prompt_eval_count: 300, prompt_eval_cached_count: 200, eval_count: 50 }
    expect(reply({ done_reason: 'stop', ...counts })).toEqual({
      text: '{"a":1}',
      stop: 'end',
      model: 'm',
      usage: { inputTokens: 300, outputTokens: 50, cacheReadTokens: 200 },
    })
  })

  it('does not take 0 for the number of tokens read', () => {
    expect(reply({ done_reason: 'stop', prompt_eval_count: 0, eval_count: 5 }).usage).toEqual({
      outputTokens: 5,
    })
  })

  it('recognizes an answer at its limit even from a server that gives no reason', () => {
    expect(reply({ eval_count: 99 }).stop).toBe('end')
    expect(reply({ eval_count: 100 }).stop).toBe('max-tokens')
  })

  it.each([999, 1000, 1001, 502])(
    'recognizes a prompt that was cut by %i tokens read',
    (prompt_eval_count) => {
      expect(() => reply({ done_reason: 'stop', prompt_eval_count, eval_count: 1 })).toThrow(ModelError)
    },
  )

  it.each([998, 503, 501, 500])('takes %i tokens read for a whole prompt', (prompt_eval_count) => {
    expect(reply({ done_reason: 'stop', prompt_eval_count, eval_count: 1 }).stop).toBe('end')
  })

  it('takes half a window for a whole prompt if no more was sent', () => {
    expect(reply({ done_reason: 'stop', prompt_eval_count: 502, eval_count: 1 }, 502).stop).toBe('end')
  })

  it.each(['load', 'unload', 'later'])('does not take %s for the end of an answer', (done_reason) => {
    expect(() => reply({ done_reason })).toThrow(expect.objectContaining({ reason: 'cut-off' }))
  })
})
