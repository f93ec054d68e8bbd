import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openHandsReader } from '../../src/readers/openhands/openhands.ts'
import { listSessions, readSession } from '../../src/readers/read-session.ts'
import { logsOfFolder } from '../../src/readers/reader/locate-log.ts'
import { ofType } from './events.ts'

const readers = [openHandsReader]
const pathOf = (name: string): URL => new URL(`../fixtures/openhands/${name}`, import.meta.url)

it('takes the history that the SDK puts before a message for context, and only the rest for the words', async () => {
  const said = (id: string, text: string) => ({
    id,
    timestamp: '2026-01-05T08:00:00.000000',
    kind: 'MessageEvent',
    source: 'user',
    llm_message: { role: 'user', content: [{ type: 'text', text }] },
  })
  const history =
    '<<RESUMED CONVERSATION>>\n\nThe history below is from a prior session.\n\n[USER]: Sort the shelf.\n\n--- End of prior session ---'
  const log = [said('a', `${history}\n\nNow label it.`), said('b', history)]
  const session = await readSession(new TextEncoder().encode(JSON.stringify(log)), { readers })
  expect(ofType(session, 'user').map(({ text }) => text)).toEqual(['Now label it.'])
  expect(ofType(session, 'context').map(({ name, text }) => [name, text])).toEqual([['history', history]])
})

describe('a trajectory of V0', async () => {
  const session = await readSession(pathOf('v0-trajectory.json'), { readers })

  it('keeps the arguments as the model wrote them', () => {
    expect(ofType(session, 'tool_call').map(({ name, kind, input }) => [name, kind, input])).toMatchObject([
      ['execute_bash', 'execute', { command: 'make check' }],
      ['str_replace_editor', 'read', { command: 'view' }],
      ['str_replace_editor', 'edit', { old_str: 'shelf = load()' }],
      ['execute_bash', 'execute', { command: 'python -m http.server' }],
      ['delegate_to_browsing_agent', 'other', { task: 'Look up weights.' }],
      ['browse', 'fetch', { url: 'https://example.com/weights' }],
    ])
  })

  it('joins observations with their actions, also out of order', () => {
    const results = ofType(session, 'tool_result')
    expect(results.slice(0, 4)).toMatchObject([
      { callId: 'call_a', status: 'error', exitCode: 2 },
      { callId: 'call_b', status: 'ok' },
      {
        callId: 'call_c',
        changes: [{ path: '/srv/shelf/list.py', action: 'modified', added: 1, removed: 1 }],
      },
      {
        callId: 'call_d',
        status: 'unknown',
        text: 'Serving\n[The command has no new output after 30 seconds.]',
      },
    ])
    expect(results[3]).not.toHaveProperty('exitCode')
  })

  it("separates the user's words from those of the harness", () => {
    expect(ofType(session, 'user').map(({ origin, text }) => [origin, text])).toEqual([
      ['typed', 'Sort the shelf list by weight. Do not add dependencies.'],
      ['command', '! ls'],
    ])
    expect(ofType(session, 'context').map(({ name, text }) => [name, text])).toEqual([
      ['system prompt', 'You are OpenHands agent.'],
      ['workspace', 'Run make check before the end.'],
      ['knowledge github', 'Never push to main.'],
      ['command', 'list.py'],
      ['error', 'Rate limit reached'],
    ])
  })

  it("attributes a delegate's work to the delegate", () => {
    expect(session.agents[1]).toMatchObject({ id: 'delegate-15', parent: 'main', type: 'BrowsingAgent' })
    const own = session.events.filter(({ agent }) => agent === 'delegate-15')
    expect(own.map(({ type }) => type)).toEqual(['assistant', 'tool_call', 'tool_result'])
    expect(ofType(session, 'assistant').at(-1)).toMatchObject({ agent: 'main', phase: 'final' })
  })

  it('counts each response once, and usage that no response reports', () => {
    const expected = { inputTokens: 1000, outputTokens: 200, cacheReadTokens: 400, cacheWriteTokens: 10 }
    expect(session.usage).toEqual([{ agent: 'main', model: 'claude-sonnet-4', usage: expected }])
    expect(session.notes.map(({ code }) => code)).toEqual(['naive-time'])
  })
})

describe('rows of a benchmark', () => {
  const path = fileURLToPath(pathOf('v0-output.jsonl'))

  it('are sessions, of which one is read', async () => {
    expect(await listSessions(path, { readers })).toEqual([
      { id: 'shelf__shelf-1' },
      { id: 'shelf__shelf-2' },
    ])
    const last = await readSession(path, { readers })
    expect(last.id).toBe('shelf__shelf-2')
    expect(last.notes.map(({ code }) => code)).toEqual(['other-sessions'])
    const first = await readSession(`${path}#shelf__shelf-1`, { readers })
    expect(first.id).toBe('shelf__shelf-1')
    expect(first.notes.map(({ code }) => code)).toEqual(['naive-time'])
    await expect(readSession(`${path}#nowhere`, { readers })).rejects.toMatchObject({
      code: 'session-missing',
    })
  })

  it('may hold pairs without ids and times', async () => {
    const session = await readSession(path, { readers })
    expect(session.events.map(({ type }) => type)).toEqual([
      'user',
      'assistant',
      'tool_call',
      'tool_result',
      'assistant',
      'context',
    ])
    expect(ofType(session, 'tool_result')).toMatchObject([{ exitCode: 1, status: 'error', text: 'no scale' }])
    expect(ofType(session, 'context')).toMatchObject([{ origin: 'output', name: 'patch' }])
  })
})

describe('a conversation of V1', async () => {
  const lines = readFileSync(pathOf('v1-events.jsonl'), 'utf8').trim().split('\n')
  const session = await readSession(pathOf('v1-events.jsonl'), { readers })

  it('joins results with their calls by id', () => {
    expect(
      ofType(session, 'tool_result').map(({ callId, status, exitCode }) => [callId, status, exitCode]),
    ).toEqual([
      ['t1', 'error', 1],
      ['t2', 'ok', undefined],
      ['t3', 'error', undefined],
      ['t4', 'denied', undefined],
    ])
    expect(ofType(session, 'assistant').map(({ text, phase }) => [text, phase])).toEqual([
      ['I read the hours.', undefined],
      ['Sundays are closed.', 'final'],
    ])
    expect(ofType(session, 'reasoning').map(({ text }) => text)).toEqual(['Read it.'])
  })

  it('counts usage by the purpose of a model', () => {
    expect(session.usage.map(({ model, usage }) => [model, usage.inputTokens])).toEqual([
      ['anthropic/claude-sonnet-4-5', 500],
      ['anthropic/claude-haiku-4-5', 90],
    ])
    expect(session.cwd).toBe('/srv/shelf')
  })

  it('equals the same events in one list', async () => {
    const list = Buffer.from(`[${lines.join(',\n')}]`)
    const read = await readSession(list, { readers })
    expect(read.events.map(({ source, ...event }) => event)).toEqual(
      session.events.map(({ source, ...event }) => event),
    )
  })

  it('has what the file editor and agents behind a protocol changed', async () => {
    const acp = (more: { tool_call_id: string; [field: string]: unknown }) => ({
      id: `e-${more.tool_call_id}`,
      kind: 'ACPToolCallEvent',
      source: 'agent',
      timestamp: '2026-02-03T04:01:00',
      status: 'completed',
      raw_input: null,
      raw_output: null,
      ...more,
    })
    const diff = (oldText: string | null, newText: string) => ({
      type: 'diff',
      path: '/srv/shelf/a.py',
      old_text: oldText,
      new_text: newText,
    })
    const text = (words: string) => ({ type: 'content', content: { type: 'text', text: words } })
    const log = [
      ...lines.map((line): unknown => JSON.parse(line)),
      acp({
        tool_call_id: 'p1',
        title: 'Edit a.py',
        tool_kind: 'edit',
        content: [diff('a\nb\n', 'a\nc\nd\n')],
      }),
      acp({
        tool_call_id: 'p2',
        title: 'Write a.py',
        tool_kind: 'edit',
        content: [diff(null, 'a\n'), text('written')],
      }),
      acp({
        tool_call_id: 'p3',
        title: 'make',
        tool_kind: 'execute',
        raw_output: { output: 'no rule', exit_code: 2 },
      }),
      acp({
        tool_call_id: 'p4',
        title: 'Edit b.py',
        tool_kind: 'edit',
        status: 'failed',
        content: [diff('a', 'b')],
      }),
    ]
    const read = await readSession({ parsed: log }, { readers })
    expect(ofType(read, 'tool_result').filter(({ callId }) => /^(?:t2|p\d)$/.test(callId))).toMatchObject([
      { status: 'ok', changes: [{ path: '/srv/shelf/sunday.txt', action: 'created', added: 1, removed: 0 }] },
      {
        status: 'ok',
        text: '',
        changes: [{ path: '/srv/shelf/a.py', action: 'modified', added: 2, removed: 1 }],
      },
      { status: 'ok', text: 'written', changes: [{ action: 'created', added: 1, removed: 0 }] },
      { status: 'error', text: 'no rule', exitCode: 2 },
      { status: 'error' },
    ])
    expect(ofType(read, 'tool_result').at(-1)).not.toHaveProperty('changes')
  })

  describe('in its folder', () => {
    let store = ''
    beforeAll(async () => {
      store = await mkdtemp(join(tmpdir(), 'openhands-'))
      const folder = join(store, 'conversations', 'abc')
      await mkdir(join(folder, 'events'), { recursive: true })
      const state = {
        id: 'abc',
        agent: { llm: { model: 'anthropic/claude-sonnet-4-5' } },
        workspace: { working_dir: '/srv/shelf' },
        execution_status: 'finished',
        stats: { usage_to_metrics: { agent: { accumulated_token_usage: { prompt_tokens: 900 } } } },
      }
      await writeFile(join(folder, 'base_state.json'), JSON.stringify(state, null, 2))
      for (const [index, line] of lines.entries()) {
        const name = `event-${String(index).padStart(5, '0')}-x${index}.json`
        await writeFile(join(folder, 'events', name), line)
      }
    })
    afterAll(async () => await rm(store, { recursive: true }))

    it('is read from its state and its events, in order', async () => {
      const folder = join(store, 'conversations', 'abc')
      expect(await logsOfFolder(join(store, 'conversations'), readers)).toEqual([
        join(folder, 'base_state.json'),
      ])
      const read = await readSession(folder, { readers })
      expect(read).toMatchObject({ id: 'abc', cwd: '/srv/shelf', startedAt: session.startedAt })
      expect(read.events.map(({ type }) => type)).toEqual(session.events.map(({ type }) => type))
      expect(read.source.files).toHaveLength(lines.length + 1)
      expect(read.usage[0]).toMatchObject({ usage: { inputTokens: 900 } })
    })
  })
})
