import { describe, expect, it } from 'vitest'
import { codexReader } from '../../src/readers/codex/codex.ts'
import { readSession } from '../../src/readers/read-session.ts'
import { ofType, type Session } from './events.ts'

async function readLines(...records: unknown[]): Promise<Session> {
  const text = records.map((record) => `${JSON.stringify(record)}\n`).join('')
  return await readSession(Buffer.from(text), { readers: [codexReader], format: 'codex' })
}

let seconds = 0
function line(type: string, payload: unknown): unknown {
  seconds++
  return { timestamp: new Date(Date.UTC(2026, 4, 4, 8, 0, seconds)).toISOString(), type, payload }
}
const meta = line('session_meta', { id: 'thread-1', cwd: '/srv', cli_version: '0.130.0' })
const item = (payload: unknown): unknown => line('response_item', payload)
const ui = (payload: unknown): unknown => line('event_msg', payload)
const userItem = (...texts: string[]): unknown =>
  item({ type: 'message', role: 'user', content: texts.map((text) => ({ type: 'input_text', text })) })
const userEvent = (message: string): unknown => ui({ type: 'user_message', message })
const shell = (id: string, command = 'true'): unknown =>
  item({
    type: 'function_call',
    name: 'shell',
    call_id: id,
    arguments: JSON.stringify({ command: [command] }),
  })
const output = (id: string, text: unknown): unknown =>
  item({ type: 'function_call_output', call_id: id, output: text })

describe("text under the user's name", () => {
  it.each([
    ['# AGENTS.md instructions for /srv\n\n<INSTRUCTIONS>x</INSTRUCTIONS>', 'attachment'],
    ['<user_instructions>\nx\n</user_instructions>', 'attachment'],
    ['<environment_context>\n  <cwd>/srv</cwd>\n</environment_context>', 'harness'],
    ['<permissions instructions>\nx\n</permissions instructions>', 'system'],
    ['<skill>\n<name>review</name>\n</skill>', 'attachment'],
    ['<subagent_notification>\n{}\n</subagent_notification>', 'notification'],
    ['<user_shell_command>\nls\n</user_shell_command>', 'output'],
    ['<turn_aborted>\nx\n</turn_aborted>', 'harness'],
    ['<brand_new_wrapper>\nx\n</brand_new_wrapper>', 'harness'],
  ])('is context if a program wrote it: %j', async (text, origin) => {
    const session = await readLines(meta, userItem(text))
    expect(session.events).toMatchObject([{ type: 'context', origin }])
  })

  it.each(['<div class="a_b">why is this blue?</div>', '<b>bold</b>', 'fix <environment_context> parsing'])(
    'is a prompt if a user wrote it: %j',
    async (text) => {
      const session = await readLines(meta, userItem(text), userEvent(text))
      expect(session.events).toMatchObject([{ type: 'user', text }])
    },
  )
})

describe('tool results', () => {
  it.each([
    ['{"output":"a","metadata":{"exit_code":0}}', { text: 'a', exitCode: 0, status: 'ok' }],
    ['{"output":"a","metadata":{"exit_code":7}}', { text: 'a', exitCode: 7, status: 'error' }],
    ['{"status":{}}', { text: '{"status":{}}', status: 'unknown' }],
    ['[{"type":"text","text":"a"},{"type":"image","data":"AAAA"}]', { text: 'a', images: 1 }],
    [
      [
        { type: 'input_text', text: 'a' },
        { type: 'input_image', image_url: 'data:' },
      ],
      { text: 'a', images: 1 },
    ],
    [
      { type: 'input_text', text: 'a' },
      { text: 'a', status: 'unknown' },
    ],
    [
      { content: 'a', success: false },
      { text: 'a', status: 'error' },
    ],
    [
      'Exit code: 2\nWall time: 1 seconds\nTotal output lines: 9\nOutput:\na\nb',
      { text: 'a\nb', exitCode: 2 },
    ],
    ['Command: sh -c "a\nOutput:\nb"\nWall time: 1 s\nOutput:\nc', { text: 'c' }],
    ['Script failed\nWall time 0.1 seconds\nOutput:\nboom', { text: 'boom', status: 'error' }],
    ['Output:\na', { text: 'Output:\na', status: 'unknown' }],
    ['failed in sandbox None with execution error, exit code: 2, stdout: ', { status: 'error', exitCode: 2 }],
    ['exec command rejected by user', { status: 'denied' }],
    ['aborted by user after 3.0s', { status: 'cancelled' }],
    ['apply_patch verification failed: no such lines', { status: 'error' }],
    ['The tests failed, it seems', { status: 'unknown' }],
    [null, { text: '', status: 'unknown' }],
  ])('are read from %j', async (raw, expected) => {
    const session = await readLines(meta, shell('c1'), output('c1', raw))
    expect(ofType(session, 'tool_result')).toMatchObject([expected])
  })
})
