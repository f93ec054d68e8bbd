import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { codexReader } from '../../src/readers/codex/codex.ts'
import { readSession } from '../../src/readers/read-session.ts'
import { ofType, type Session } from './events.ts'

async function readFixture(name: string): Promise<Session> {
  return await readSession(readFileSync(new URL(`../fixtures/codex/${name}`, import.meta.url)), {
    readers: [codexReader],
  })
}

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
const total = (input: number, outputTokens: number): unknown =>
  ui({
    type: 'token_count',
    info: { total_token_usage: { input_tokens: input, output_tokens: outputTokens } },
  })

describe('a rollout of the wrapped era', async () => {
  const session = await readFixture('wrapped.jsonl')

  it('is described by its first session_meta', () => {
    expect(session).toMatchObject({
      id: '019f0000-aaaa-7000-8000-000000000001',
      format: 'codex',
      agentVersion: '0.125.0',
      title: 'Round carts',
      cwd: '/srv/shop',
      branch: 'fix/rounding',
      commit: '1f2e3d4c5b6a79880716253443526170a1b2c3d4',
      models: ['gpt-5.5', 'gpt-5.5-mini'],
      startedAt: expect.stringContaining('2026-05-04T08:00'),
    })
    expect(JSON.stringify(session.events)).not.toContain('the own words of the harness')
    expect(JSON.stringify(session.events)).not.toContain('Reads a ticket')
  })

  it('has calls with their kind and parsed input', () => {
    expect(ofType(session, 'tool_call').map(({ name, kind }) => [name, kind])).toEqual([
      ['exec_command', 'execute'],
      ['apply_patch', 'edit'],
      ['update_plan', 'think'],
      ['shell', 'edit'],
      ['exec_command', 'execute'],
      ['write_stdin', 'execute'],
      ['web_search', 'fetch'],
      ['view_image', 'read'],
      ['spawn_agent', 'other'],
      ['wait_agent', 'other'],
      ['exec_command', 'execute'],
      ['exec_command', 'execute'],
    ])
    expect(ofType(session, 'tool_call')[0]?.input).toEqual({ cmd: 'npm test', workdir: '/srv/shop' })
    expect(ofType(session, 'tool_call')[1]?.input).toMatch(/^\*\*\* Begin Patch/)
  })

  it('counts images without keeping them', () => {
    expect(session.source.images).toBe(2)
    expect(JSON.stringify(session.events)).not.toContain('iVBORw0KGgo')
  })
})

describe('a forked child', async () => {
  it('ends the copied history at a pause if there is no marker', async () => {
    const at = (ms: number, type: string, payload: unknown): unknown => ({
      timestamp: new Date(Date.UTC(2026, 4, 4) + ms).toISOString(),
      type,
      payload,
    })
    const said = (message: string): unknown => ({ type: 'user_message', message })
    const forked = await readLines(
      at(0, 'session_meta', { id: 'fork', forked_from_id: 'origin' }),
      at(1, 'session_meta', { id: 'origin' }),
      at(2, 'event_msg', said('old')),
      at(9000, 'event_msg', said('new')),
    )
    expect(ofType(forked, 'user').map((event) => [event.text, event.copied])).toEqual([
      ['old', true],
      ['new', undefined],
    ])
  })

  it('starts no copy at a resume', async () => {
    const resumed = await readLines(meta, meta, userEvent('hello'))
    expect(ofType(resumed, 'user')[0]).not.toHaveProperty('copied')
  })
})

describe('texts in several places', () => {
  it('count once, no matter which place comes first', async () => {
    const session = await readLines(
      meta,
      userEvent('one'),
      userItem('one'),
      userItem('two'),
      userEvent('two'),
      ui({ type: 'agent_message', message: 'first' }),
      item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'first' }] }),
      ui({ type: 'agent_message', message: 'alone' }),
      ui({ type: 'agent_reasoning', text: 'thought' }),
      item({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'thought' }] }),
      ui({ type: 'task_complete', last_agent_message: 'alone' }),
      ui({ type: 'task_complete', last_agent_message: 'only here' }),
    )
    expect(ofType(session, 'user').map((event) => event.text)).toEqual(['one', 'two'])
    expect(ofType(session, 'assistant').map((event) => event.text)).toEqual(['first', 'alone', 'only here'])
    expect(ofType(session, 'reasoning').map((event) => event.text)).toEqual(['thought'])
  })

  it('count each time they were said', async () => {
    const session = await readLines(meta, ...[1, 2, 3].flatMap(() => [userItem('yes'), userEvent('yes')]))
    expect(ofType(session, 'user')).toHaveLength(3)
  })
})

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

  it('is the task of another agent in a subagent', async () => {
    const review = line('session_meta', { id: 'child', source: { subagent: 'review' } })
    const session = await readLines(review, userItem('Review the changes.'), userEvent('Review the changes.'))
    expect(session.events).toMatchObject([{ type: 'context', origin: 'agent' }])
    expect(session.agents).toEqual([{ id: 'main', type: 'review' }])
  })

  it('is a command if /review got instructions', async () => {
    const session = await readLines(
      meta,
      ui({ type: 'entered_review_mode', target: { type: 'custom', instructions: 'look at locks' } }),
    )
    expect(session.events).toMatchObject([{ type: 'user', origin: 'command', text: 'look at locks' }])
  })
})

describe('standing instructions', () => {
  it('are kept once, even with another wrapper', async () => {
    const rules = (text: string): unknown =>
      item({ type: 'message', role: 'developer', content: [{ type: 'input_text', text }] })
    const session = await readLines(
      meta,
      rules('be brief'),
      userItem('# AGENTS.md instructions for /srv\n\n<INSTRUCTIONS>\nno pushes\n</INSTRUCTIONS>'),
      rules('be brief'),
      line('world_state', { full: true, state: { agents_md: { text: 'no pushes' } } }),
      rules('be long'),
    )
    expect(ofType(session, 'context').map((event) => event.text.slice(0, 9))).toEqual([
      'be brief',
      '# AGENTS.',
      'be long',
    ])
    expect(session.source.account.absorbed).toContainEqual(['repeated context', 2])
  })
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

  it('take exit code and failure from the end event if their own text lacks them', async () => {
    const session = await readLines(
      meta,
      shell('c1'),
      ui({ type: 'exec_command_end', call_id: 'c1', exit_code: 3, aggregated_output: 'long form' }),
      output('c1', 'short form'),
      shell('c2'),
      ui({ type: 'exec_command_end', call_id: 'c2', status: 'declined' }),
      output('c2', 'no'),
    )
    expect(ofType(session, 'tool_result')).toMatchObject([
      { text: 'short form', exitCode: 3, status: 'error' },
      { status: 'denied' },
    ])
  })

  it('come from the end event if the log breaks off before the output', async () => {
    const session = await readLines(
      meta,
      shell('c1'),
      ui({ type: 'exec_command_end', call_id: 'c1', exit_code: 0, aggregated_output: 'seen' }),
      userEvent('hello?'),
    )
    expect(ofType(session, 'tool_result')).toMatchObject([{ text: 'seen', exitCode: 0, source: { line: 3 } }])
  })

  it('of calls from a script have a call of their own', async () => {
    const session = await readLines(
      meta,
      ui({
        type: 'patch_apply_end',
        call_id: 'inner',
        success: true,
        stdout: 'done',
        changes: {
          '/srv/a.ts': { type: 'update', unified_diff: '--- a\n+++ b\n@@ -1 +1 @@\n--- x\n+++ y\n' },
        },
      }),
      ui({
        type: 'mcp_tool_call_end',
        call_id: 'mcp',
        invocation: { server: 'docs', tool: 'find', arguments: { q: 1 } },
        result: { Err: 'offline' },
      }),
    )
    expect(ofType(session, 'tool_call')).toMatchObject([
      { name: 'apply_patch', kind: 'edit' },
      { name: 'docs.find', input: { q: 1 } },
    ])
    expect(ofType(session, 'tool_result')).toMatchObject([
      { changes: [{ path: '/srv/a.ts', action: 'modified', added: 1, removed: 1 }] },
      { text: 'offline', status: 'error' },
    ])
  })

  it('have no changes if the patch failed', async () => {
    const session = await readLines(
      meta,
      item({
        type: 'custom_tool_call',
        call_id: 'c1',
        name: 'apply_patch',
        input: '*** Begin Patch\n*** Add File: a\n+x',
      }),
      item({ type: 'custom_tool_call_output', call_id: 'c1', output: 'apply_patch verification failed: x' }),
    )
    expect(ofType(session, 'tool_result')[0]).not.toHaveProperty('changes')
  })

  it('find their calls in order if redaction made all ids the same', async () => {
    const session = await readLines(
      meta,
      shell('REDACTED', 'a'),
      output('REDACTED', 'of a'),
      shell('REDACTED', 'b'),
      output('REDACTED', 'of b'),
    )
    expect(ofType(session, 'tool_call').map((event) => event.callId)).toEqual(['REDACTED', 'REDACTED#2'])
    expect(ofType(session, 'tool_result').map((event) => [event.callId, event.text])).toEqual([
      ['REDACTED', 'of a'],
      ['REDACTED#2', 'of b'],
    ])
  })

  it('are noted if no call precedes them', async () => {
    const session = await readLines(meta, output('c9', 'lonely'))
    expect(ofType(session, 'tool_result')).toMatchObject([{ callId: 'c9', text: 'lonely' }])
    expect(session.notes).toMatchObject([{ code: 'result-without-call', line: 2 }])
  })
})

describe('calls of their own item types', () => {
  it('are calls like others', async () => {
    const session = await readLines(
      meta,
      item({ type: 'local_shell_call', call_id: 'l1', action: { type: 'exec', command: ['ls'] } }),
      item({ type: 'tool_search_call', call_id: 's1', arguments: { query: 'x' } }),
      item({ type: 'tool_search_output', call_id: 's1', tools: [{ name: 'find', description: 'Finds.' }] }),
      item({ type: 'image_generation_call', id: 'i1', revised_prompt: 'a cat', result: 'AAAA' }),
      ui({
        type: 'web_search_end',
        call_id: 'w1',
        action: { query: 'q' },
        results: [{ title: 'T', snippet: 'S' }],
      }),
      item({ type: 'web_search_call', action: { query: 'q' } }),
    )
    expect(ofType(session, 'tool_call').map(({ name, kind }) => [name, kind])).toEqual([
      ['local_shell', 'execute'],
      ['tool_search', 'search'],
      ['image_generation', 'other'],
      ['web_search', 'fetch'],
    ])
    expect(ofType(session, 'tool_result')).toMatchObject([
      { callId: 's1', text: 'find: Finds.' },
      { callId: 'i1', images: 1 },
      { callId: 'w1', text: 'T\nS' },
    ])
  })
})

describe('usage', () => {
  it('counts repeated totals once and skips empty ones', async () => {
    const session = await readLines(
      meta,
      line('turn_context', { model: 'm1' }),
      ui({ type: 'token_count', info: null }),
      total(100, 10),
      total(100, 10),
      line('turn_context', { model: 'm2' }),
      total(150, 30),
    )
    expect(session.usage).toEqual([
      { agent: 'main', model: 'm1', usage: { inputTokens: 100, outputTokens: 10 } },
      { agent: 'main', model: 'm2', usage: { inputTokens: 50, outputTokens: 20 } },
    ])
  })

  it('starts again if the total falls', async () => {
    const session = await readLines(meta, total(100, 10), total(40, 4), total(60, 5))
    expect(session.usage.map((entry) => entry.usage)).toEqual([{ inputTokens: 160, outputTokens: 15 }])
  })
})

describe('unknown content', () => {
  it('stays as it was', async () => {
    const records = [
      line('brand_new', { a: 1 }),
      item({ type: 'new_item' }),
      ui({ type: 'new_event' }),
      7,
      { type: 5 },
    ]
    const session = await readLines(meta, ...records)
    expect(ofType(session, 'other').map((event) => [event.name, event.raw])).toEqual([
      ['brand_new', records[0]],
      ['response_item/new_item', records[1]],
      ['event_msg/new_event', records[2]],
      ['unknown', 7],
      ['untyped', { type: 5 }],
    ])
  })

  it('stays even if a known kind has another form', async () => {
    const odd = item({ type: 'message', role: 'user', content: 5 })
    expect(ofType(await readLines(meta, odd), 'other').map((event) => event.raw)).toEqual([odd])
  })
})

describe('detection', () => {
  const score = (...records: unknown[]): number => codexReader.detect({ name: 'log', text: '', records })

  it('recognizes both layouts', () => {
    expect(score(meta)).toBe(1)
    expect(score({ id: 'x', timestamp: '2025-08-30', instructions: null, git: {} })).toBe(0.9)
    expect(score(userItem('cut at its start'))).toBe(0.9)
  })

  it('leaves the output of codex exec --json and other logs alone', () => {
    expect(score({ type: 'thread.started', thread_id: 'x' }, { type: 'item.completed', item: {} })).toBe(0)
    expect(score({ type: 'user', sessionId: 'x', uuid: 'y', message: {} })).toBe(0)
    expect(score({ type: 'message', role: 'user', content: 'hi' })).toBe(0)
    expect(score({ id: 'x', timestamp: '2026-01-01', role: 'user' })).toBe(0)
  })
})
