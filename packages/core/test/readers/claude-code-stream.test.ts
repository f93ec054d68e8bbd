import { describe, expect, it } from 'vitest'
import { readSession } from '../../src/readers/read-session.ts'
import type { Session } from '../../src/session/session.ts'
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

const jsonl = (lines: readonly object[]): string => lines.map((each) => `${JSON.stringify(each)}\n`).join('')
const readLines = (lines: readonly object[]): Promise<Session> =>
  readSession(new TextEncoder().encode(jsonl(lines)))

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
    const session = await readLines(lines)
    expect(session).toMatchObject({
      ...{ format: 'claude-code', id: session_id, cwd: '/srv/shop', agentVersion: '2.1.330' },
    })
    expect(session.events.map(({ type }) => type)).toEqual(['tool_call', 'tool_result', 'assistant'])
    expect(session.source.account.other).toBe(0)
    expect(totalUsage(session.usage)).toMatchObject({ inputTokens: 200, outputTokens: 40 })
  })

  it('has the lines of a subagent below the call that started it', async () => {
    const task = {
      type: 'tool_use',
      id: 't-1',
      name: 'Task',
      input: { prompt: 'Count.', subagent_type: 'scout' },
    }
    const inside = (type: 'user' | 'assistant', number: number, content: object[]) => ({
      ...message(type, number, content),
      parent_tool_use_id: 't-1',
    })
    const session = await readLines([
      message('assistant', 1, [task]),
      inside('user', 2, [{ type: 'text', text: 'Count.' }]),
      inside('assistant', 3, [
        { type: 'tool_use', id: 't-2', name: 'Bash', input: { command: 'ls | wc -l' } },
      ]),
      inside('user', 4, [{ type: 'tool_result', tool_use_id: 't-2', content: '2' }]),
      inside('assistant', 5, [{ type: 'text', text: 'There are 2.' }]),
      message('user', 6, [{ type: 'tool_result', tool_use_id: 't-1', content: 'There are 2.' }]),
      message('assistant', 7, [{ type: 'text', text: 'Two files.' }]),
    ])
    const child = session.agents.find(({ id }) => id !== 'main')
    expect(child).toMatchObject({ parent: 'main', callId: 't-1', type: 'scout' })
    const own = session.events.filter(({ agent }) => agent === child?.id)
    expect(own.map(({ type }) => type)).toEqual(['context', 'tool_call', 'tool_result', 'assistant'])
    expect(session.events.some(({ type }) => type === 'user')).toBe(false)
    expect(session.usage.map(({ agent, usage: sum }) => [agent === 'main', sum.outputTokens])).toEqual([
      [true, 40],
      [false, 40],
    ])
  })

  it('has words of the user if these were repeated, a compaction, and no line that is not known', async () => {
    const session = await readLines([
      line('system', 1, { subtype: 'init', cwd: '/srv/shop' }),
      message('user', 2, [{ type: 'text', text: 'Round the totals.' }]),
      line('system', 3, {
        subtype: 'compact_boundary',
        compact_metadata: { trigger: 'auto', pre_tokens: 900 },
      }),
      message('assistant', 4, [{ type: 'text', text: 'Rounded.' }]),
      line('prophecy', 5, { parent_tool_use_id: null }),
    ])
    expect(session.events.map(({ type }) => type)).toEqual(['user', 'compaction', 'assistant', 'other'])
  })

  it('says how the run failed, which only its last line does', async () => {
    const session = await readLines([
      message('assistant', 1, [{ type: 'text', text: 'I look.' }]),
      line('result', 2, {
        subtype: 'error_max_turns',
        is_error: true,
        errors: ['Reached 8 turns'],
        num_turns: 9,
      }),
    ])
    expect(session.notes).toMatchObject([
      {
        code: 'run-failed',
        line: 2,
        message: 'the run ended with an error: error_max_turns: Reached 8 turns',
      },
    ])
  })

  it('of a run that was cut off is read as far as it goes', async () => {
    const text = jsonl([message('assistant', 1, [{ type: 'text', text: 'I look.' }])])
    const session = await readSession(new TextEncoder().encode(`${text}{"type":"assistant","mess`))
    expect(session.events.map(({ type }) => type)).toEqual(['assistant'])
    expect(session.notes).toMatchObject([{ code: 'truncated-tail' }])
  })
})
