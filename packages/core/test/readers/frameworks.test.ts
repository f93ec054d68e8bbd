import { describe, expect, it } from 'vitest'
import { readSession } from '../../src/readers/read-session.ts'
import { totalUsage } from '../../src/session/usage.ts'
import { outline, readValue } from './message-logs.ts'

describe('traces', () => {
  it.each([
    ['chat', { prompt_tokens: 9, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 4 } }, 9],
    ['responses', { input_tokens: 9, output_tokens: 2, input_tokens_details: { cached_tokens: 4 } }, 9],
    ['messages', { input_tokens: 9, output_tokens: 2, cache_read_input_tokens: 4 }, 13],
  ])('have the usage of an API that was called directly: %s', async (_, usage, inputTokens) => {
    const outputs = { choices: [{ message: { role: 'assistant', content: 'Off.' } }], usage }
    const run = {
      id: 'r',
      run_type: 'llm',
      inputs: { messages: [{ role: 'user', content: 'On?' }] },
      outputs,
    }
    const session = await readSession({ parsed: [run] })
    expect(totalUsage(session.usage)).toEqual({ inputTokens, outputTokens: 2, cacheReadTokens: 4 })
  })

  it('may hold several sessions, of which the last is read or the one asked for', async () => {
    const span = (traceId: string, startTime: string, output: string) => ({
      id: `g-${traceId}`,
      traceId,
      type: 'GENERATION',
      startTime,
      input: 'Hello',
      output,
    })
    const list = [span('a', '2026-09-21T10:00:00Z', 'One'), span('b', '2026-09-21T11:00:00Z', 'Two')]
    const last = await readValue('langfuse', list)
    expect(last.id).toBe('b')
    expect(last.notes[0]).toMatchObject({ code: 'other-sessions' })
    expect(outline(last)).toEqual(['user typed Hello', 'assistant Two'])
  })
})
