import { describe, expect, it } from 'vitest'
import { readSession } from '../../src/readers/read-session.ts'
import { totalUsage } from '../../src/session/usage.ts'

const session_id = '0ab1c2d3-0000-4000-8000-000000000001'
const usage = { input_tokens: 10, cache_read_input_tokens: 90, output_tokens: 20 }

/** A line of `claude -p --output-format stream-json`. */
const line = (type: string, number: number, fields: object) => ({
  type,
  session_id,
  uuid: `u-${number}`,
  ...fields,
})
const message = (type: 'user' | 'assistant', number: number, content: object[]) => {
  const more = type === 'assistant' ? { id: `m-${number}`, model: 'claude-x', usage } : {}
  return line(type, number, { parent_tool_use_id: null, message: { role: type, content, ...more } })
}

describe('the stream that claude -p prints', () => {
  it('is read like the log of the session', async () => {
    const call = { type: 'tool_use', id: 't-1', name: 'Bash', input: { command: 'node check.mjs' } }
    const result = { type: 'tool_result', tool_use_id: 't-1', is_error: true, content: 'Exit code 3' }
    const lines = [
      line('system', 1, {
        subtype: 'init',
        cwd: '/srv/shop',
        claude_code_version: '2.1.330',
        tools: ['Bash'],
      }),
      line('stream_event', 2, { event: { type: 'message_start' } }),
      message('assistant', 3, [call]),
      message('user', 4, [result]),
      message('assistant', 5, [{ type: 'text', text: 'The check fails.' }]),
      line('result', 6, { subtype: 'success', result: 'The check fails.', usage: { input_tokens: 20 } }),
    ]
    const text = lines.map((each) => JSON.stringify(each)).join('\n')
    const session = await readSession(new TextEncoder().encode(text))
    expect(session).toMatchObject({
      ...{ format: 'claude-code', id: session_id, cwd: '/srv/shop', agentVersion: '2.1.330' },
    })
    expect(session.events.map(({ type }) => type)).toEqual(['tool_call', 'tool_result', 'assistant'])
    expect(session.source.account.other).toBe(0)
    expect(totalUsage(session.usage)).toMatchObject({ inputTokens: 200, outputTokens: 40 })
  })
})
