import { describe, expect, it } from 'vitest'
import { readSession } from '../../src/readers/read-session.ts'
import { log, read } from './claude-code-log.ts'
import { accounted, ofType } from './events.ts'

const text = (value: string) => ({ type: 'text', text: value })

describe('claude-code', () => {
  it("reads the session's metadata", async () => {
    const { user, assistant } = log()
    const session = await read([
      { type: 'file-history-snapshot', messageId: 'm', snapshot: {} },
      { type: 'ai-title', aiTitle: 'First', sessionId: 'session-1' },
      user('go'),
      assistant(text('done')),
      { type: 'ai-title', aiTitle: 'Second', sessionId: 'session-1' },
      { type: 'summary', summary: 'of another session', leafUuid: 'elsewhere' },
    ])
    expect(session).toMatchObject({
      id: 'session-1',
      format: 'claude-code',
      agentVersion: '2.1.101',
      cwd: '/srv/app',
      branch: 'main',
      title: 'Second',
      models: ['claude-opus-4-6'],
      startedAt: '2026-01-01T10:00:01.000Z',
      endedAt: '2026-01-01T10:00:02.000Z',
    })
    expect(accounted(session.source.account)).toBe(6)
  })

  it("takes the title of a summary that ends in this log, and a user's title first", async () => {
    const { user } = log()
    const summary = { type: 'summary', summary: 'Ours', leafUuid: 'u1' }
    expect((await read([summary, user('go')])).title).toBe('Ours')
    const custom = { type: 'custom-title', customTitle: 'Mine', sessionId: 'session-1' }
    expect((await read([summary, custom, log().user('go')])).title).toBe('Mine')
  })

  it('reads blocks of a response, each once, and its last usage', async () => {
    const { assistant } = log()
    const message = { id: 'msg-1' }
    const usage = (output: number) => ({
      id: 'msg-1',
      usage: {
        input_tokens: 3,
        cache_read_input_tokens: 20,
        cache_creation_input_tokens: 100,
        output_tokens: output,
      },
    })
    const session = await read([
      assistant({ type: 'thinking', thinking: 'hm', signature: 'x'.repeat(500) }, {}, usage(1)),
      assistant({ type: 'thinking', thinking: '', signature: 'y' }, {}, usage(1)),
      assistant(text('hello'), {}, usage(9)),
      assistant(text('hello'), {}, usage(9)),
      assistant(text('\n\n'), {}, message),
      assistant({ type: 'tool_use', id: 't', name: 'Read', input: { file_path: 'a' } }, {}, message),
      assistant({ type: 'fallback', x: 1 }, {}, message),
    ])
    expect(session.events).toMatchObject([
      { type: 'reasoning', text: 'hm' },
      { type: 'assistant', text: 'hello', model: 'claude-opus-4-6' },
      { type: 'tool_call', callId: 't', name: 'Read', kind: 'read', input: { file_path: 'a' } },
      { type: 'other', name: 'assistant fallback' },
    ])
    expect(session.usage).toEqual([
      {
        agent: 'main',
        model: 'claude-opus-4-6',
        usage: { inputTokens: 123, outputTokens: 9, cacheReadTokens: 20, cacheWriteTokens: 100 },
      },
    ])
  })

  it('treats what the harness says in the name of the model as context', async () => {
    const { assistant } = log()
    const message = { model: '<synthetic>', usage: { input_tokens: 0 } }
    const session = await read([
      assistant(text('API Error: 500'), { isApiErrorMessage: true }, message),
      assistant(text('No response requested.'), {}, message),
    ])
    expect(session.events).toMatchObject([
      { type: 'context', origin: 'harness', name: 'api_error' },
      { type: 'context', origin: 'harness', name: 'synthetic' },
    ])
    expect(session).toMatchObject({ models: [], usage: [] })
  })

  it('reads a compaction and its summary as one event', async () => {
    const { user, system, attachment, assistant } = log()
    const session = await read([
      user('go'),
      system('compact_boundary', {
        content: 'Conversation compacted',
        compactMetadata: { trigger: 'auto', preTokens: 155000 },
      }),
      user('This session is being continued. We did a.', {
        isCompactSummary: true,
        isVisibleInTranscriptOnly: true,
      }),
      attachment({ type: 'compact_file_reference', filename: 'a.ts' }),
      system('compact_boundary', { compactMetadata: { trigger: 'manual' } }),
      assistant(text('on')),
      system('microcompact_boundary', { microcompactMetadata: { preTokens: 9 } }),
    ])
    expect(ofType(session, 'compaction')).toMatchObject([
      {
        text: 'This session is being continued. We did a.',
        trigger: 'auto',
        tokensBefore: 155000,
        source: { line: 3 },
      },
      { text: '', trigger: 'manual', source: { line: 5 } },
      { text: '', trigger: 'micro', tokensBefore: 9 },
    ])
    expect(ofType(session, 'user')).toHaveLength(1)
  })

  it('reads what the harness shows to the model', async () => {
    const { attachment, system } = log()
    const session = await read([
      attachment({ type: 'edited_text_file', filename: 'a.ts', snippet: '1\tx' }),
      attachment({
        type: 'diagnostics',
        files: [
          {
            uri: '/a.ts',
            diagnostics: [{ severity: 'Error', message: 'bad', range: { start: { line: 4 } } }],
          },
        ],
      }),
      attachment({
        type: 'hook_blocking_error',
        hookName: 'Stop',
        blockingError: { blockingError: 'lint first' },
      }),
      attachment({ type: 'hook_success', content: '', stdout: '{"hookSpecificOutput":{}}' }),
      attachment({
        type: 'file',
        filename: '/a',
        content: { type: 'text', file: { filePath: '/a', content: 'inside' } },
      }),
      attachment({ type: 'task_reminder', content: [{ id: '1', subject: 'Test', status: 'pending' }] }),
      attachment({ type: 'command_permissions', allowedTools: ['Bash'] }),
      attachment({ type: 'from_the_future', text: 'new words' }),
      system('api_error', { error: { status: 529, message: 'Overloaded' } }),
      system('away_summary', { content: 'We fixed it.' }),
      system('local_command', { content: '<command-name>/mcp</command-name>' }),
      system('turn_duration', { durationMs: 5 }),
      system('stop_hook_summary', { hookErrors: ['tests fail'] }),
      system('from_the_future', { value: 1 }),
    ])
    expect(session.events).toMatchObject([
      { origin: 'attachment', name: 'edited_text_file', text: 'a.ts\n1\tx' },
      { origin: 'attachment', name: 'diagnostics', text: '/a.ts:5 Error: bad' },
      { origin: 'hook', name: 'hook_blocking_error', text: 'lint first' },
      { origin: 'attachment', name: 'file', text: '/a\ninside' },
      { origin: 'attachment', name: 'task_reminder', text: '[pending] Test' },
      { origin: 'attachment', name: 'from_the_future', text: 'new words' },
      { origin: 'harness', name: 'api_error', text: '529 Overloaded' },
      { origin: 'harness', name: 'away_summary', text: 'We fixed it.' },
      { type: 'user', origin: 'command', text: '/mcp' },
      { origin: 'hook', name: 'stop_hook_summary', text: 'tests fail' },
      { type: 'other', name: 'system from_the_future' },
    ])
  })

  it('keeps records of unknown kinds raw, and copied records once', async () => {
    const { user } = log()
    const said = user('go')
    const record = { type: 'quantum-event', sessionId: 'session-1', x: [1] }
    const session = await read([
      said,
      record,
      said,
      { ...said, timestamp: '2026-01-01T11:00:00.000Z', message: { content: 'other words' } },
    ])
    expect(session.events).toMatchObject([
      { type: 'user', text: 'go' },
      { type: 'other', name: 'quantum-event', raw: record },
      { type: 'user', text: 'other words' },
    ])
    expect(session.source.account.absorbed).toEqual([['repeated record', 1]])
  })

  it('notes records of another session, once', async () => {
    const { user } = log()
    const session = await read([user('a'), user('b', { sessionId: 'x' }), user('c', { sessionId: 'y' })])
    expect(session.notes).toMatchObject([{ code: 'mixed-sessions', line: 2 }])
  })

  it('reads the web export', async () => {
    const loglines = [
      { type: 'user', timestamp: '2026-01-01T10:00:00.000Z', message: { role: 'user', content: 'add' } },
      {
        type: 'assistant',
        message: { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'Bash', input: {} }] },
      },
      {
        type: 'user',
        message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'ok' }] },
      },
    ]
    const session = await readSession(Buffer.from(JSON.stringify({ loglines }, null, 2)))
    expect(session.format).toBe('claude-code-web')
    expect(session.events.map((event) => event.type)).toEqual(['user', 'tool_call', 'tool_result'])
    expect(session.source.account).toMatchObject({ events: session.source.account.lines })
  })
})
