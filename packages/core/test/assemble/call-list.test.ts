import { describe, expect, it } from 'vitest'
import { callList, usageOfCalls } from '../../src/assemble/call-list.ts'
import type { SummarizerCall } from '../../src/summarize/summarizer.ts'
import { tiktokenCounter } from '../../src/tokens/tiktoken-counter.ts'

const counter = tiktokenCounter()

function calls(count: number): SummarizerCall[] {
  return Array.from({ length: count }, (_, index) => ({
    summarizer: 'anthropic',
    model: 'claude-opus-5-5',
    purpose: `part ${index + 1}/${count}`,
    requestId: `req_${index}`,
    stop: 'end',
    durationMs: 1200.4,
    ...(index % 5 === 4 ? { error: 'overloaded: try\nlater' } : {}),
    usage: { inputTokens: 1000, outputTokens: 50 },
  }))
}

describe('callList', () => {
  it('lists each call if there is room', () => {
    const list = callList(calls(5), 1000, counter)
    expect(list).toHaveLength(5)
    expect(list[3]).toEqual({
      summarizer: 'anthropic',
      model: 'claude-opus-5-5',
      purpose: 'part 4/5',
      requestId: 'req_3',
      stop: 'end',
      durationMs: 1200,
      usage: { inputTokens: 1000, outputTokens: 50 },
    })
  })

  it('sums failed calls up in one short entry, and loses no token', () => {
    const failed = (summarizer: string, error: string): SummarizerCall => ({
      summarizer,
      model: `${summarizer}-1`,
      purpose: 'summarize',
      requestId: 'req_0123456789',
      durationMs: 30,
      error,
      usage: summarizer === 'openai' ? { inputTokens: 7 } : {},
    })
    const made = [
      failed('ollama', 'connection: Ollama was not reached at http://127.0.0.1:11434'),
      failed('ollama', 'connection: Ollama was not reached at http://127.0.0.1:11434'),
      failed('openai', 'refused: the model refused to summarize the session'),
    ]
    expect(callList(made, 1000, counter)).toEqual([
      {
        summarizer: 'ollama, openai',
        purpose: '3 failed calls',
        error: 'connection ×2, refused',
        usage: { inputTokens: 7 },
      },
    ])
    expect(callList(made.slice(0, 1), 1000, counter)).toEqual([
      { summarizer: 'ollama', model: 'ollama-1', purpose: 'summarize', error: 'connection', usage: {} },
    ])
  })

  it('leaves out ids and times first, then sums up, and loses no token', () => {
    const made = calls(10)
    const lean = callList(made, 400, counter)
    expect(lean).toHaveLength(9)
    expect(lean[0]?.requestId).toBeUndefined()
    const byEnd = callList(made, 100, counter)
    expect(byEnd.map(({ purpose, error }) => [purpose, error])).toEqual([
      ['8 calls', undefined],
      ['2 failed calls', 'overloaded ×2'],
    ])
    const one = callList(made, 10, counter)
    expect(one.map(({ purpose }) => purpose)).toEqual(['10 calls'])
    for (const list of [lean, byEnd, one]) expect(usageOfCalls(list)).toEqual(usageOfCalls(made))
  })

  it('makes any call record of a summarizer valid', () => {
    const odd: SummarizerCall = {
      summarizer: '\u0007',
      model: ' ',
      error: 'x '.repeat(500),
      durationMs: Number.NaN,
      usage: { inputTokens: -1, outputTokens: 1.4, cacheReadTokens: Number.POSITIVE_INFINITY },
    }
    const [call] = callList([odd], 1000, counter)
    expect(call).toEqual({ summarizer: 'unknown', error: expect.any(String), usage: { outputTokens: 1 } })
    expect(call?.error?.length).toBeLessThanOrEqual(160)
  })
})
