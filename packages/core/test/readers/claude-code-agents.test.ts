import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readSession } from '../../src/readers/read-session.ts'
import type { Session } from '../../src/session/session.ts'
import { jsonl, log, read } from './claude-code-log.ts'
import { accounted } from './events.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'subagents-'))
})
afterAll(() => rm(folder, { recursive: true }))

const text = (value: string) => ({ type: 'text', text: value })
const task = { description: 'Look around', prompt: 'Find the tests', subagent_type: 'Explore' }
const shape = (session: Session) =>
  session.events.map(
    (event) =>
      `${event.agent} ${event.turn} ${event.type}${'child' in event ? ` ${event.child} ${event.callId}` : ''}`,
  )

describe('a subagent of Claude Code', () => {
  it('is read inside the log, as old versions wrote it', async () => {
    const { user, call, assistant, result } = log()
    const side = { isSidechain: true }
    const session = await read([
      user('go'),
      call('t1', 'Task', task),
      call('t2', 'Task', { ...task, prompt: 'Find the docs' }),
      user('Find the docs', { ...side, parentUuid: null, uuid: 's1' }),
      assistant(text('found'), { ...side, parentUuid: 's1', uuid: 's2' }),
      user('Find the tests', { ...side, parentUuid: null, uuid: 's3' }),
      assistant(text('more'), { ...side, parentUuid: 's2', uuid: 's4' }),
      result('t2', 'docs'),
      result('t1', 'tests'),
    ])
    expect(shape(session)).toEqual([
      'main 1 user',
      'main 1 tool_call',
      'main 1 tool_call',
      'main 1 subagent_start sub1 t2',
      'sub1 1 context',
      'sub1 1 assistant',
      'main 1 subagent_start sub2 t1',
      'sub2 1 context',
      'sub1 1 assistant',
      'main 1 subagent_end sub1 t2',
      'main 1 tool_result',
      'main 1 subagent_end sub2 t1',
      'main 1 tool_result',
    ])
    expect(session.agents).toEqual([
      { id: 'main' },
      { id: 'sub1', parent: 'main', callId: 't2', type: 'Explore', title: 'Look around' },
      { id: 'sub2', parent: 'main', callId: 't1', type: 'Explore', title: 'Look around' },
    ])
    expect(session.events[4]).toMatchObject({ type: 'context', origin: 'agent', text: 'Find the docs' })
  })

  it('is read from its own file, with the turn it was started in', async () => {
    const path = join(folder, 'main.jsonl')
    const { user, call, result } = log()
    const mainLog = [
      user('go'),
      call('t1', 'Agent', task),
      result('t1', 'done', {}, { toolUseResult: { agentId: 'a1', status: 'completed' } }),
      user('next'),
    ]
    const inner = log()
    const side = { isSidechain: true, agentId: 'a1' }
    const own = [
      inner.user('Find the tests', { ...side, uuid: 'x1' }),
      inner.assistant(text('found'), { ...side, uuid: 'x2' }),
    ]
    const copy = log().user('go', { ...side, agentId: 'acompact-1' })
    await mkdir(join(folder, 'main', 'subagents'), { recursive: true })
    await writeFile(path, jsonl(mainLog))
    await writeFile(join(folder, 'main', 'subagents', 'agent-a1.jsonl'), jsonl(own))
    await writeFile(join(folder, 'main', 'subagents', 'agent-acompact-1.jsonl'), jsonl([copy]))
    const session = await readSession(path)
    expect(shape(session)).toEqual([
      'main 1 user',
      'main 1 tool_call',
      'main 1 tool_result',
      'main 2 user',
      'main 1 subagent_start a1 t1',
      'a1 1 context',
      'a1 1 assistant',
      'main 1 subagent_end a1 t1',
    ])
    expect(session.events[5]?.source).toEqual({ file: 1, line: 1 })
    expect(session.source.files.map((file) => file.name)).toEqual([
      'main.jsonl',
      'agent-a1.jsonl',
      'agent-acompact-1.jsonl',
    ])
    expect(accounted(session.source.account)).toBe(7)
  })

  it('is read inside progress records, each message once', async () => {
    const { user, call, progress, result } = log()
    const told = { type: 'user', uuid: 'p1', message: { role: 'user', content: [text('Find the tests')] } }
    const said = {
      type: 'assistant',
      uuid: 'p2',
      message: { id: 'm', model: 'haiku', content: [text('I look')] },
    }
    const called = {
      type: 'assistant',
      uuid: 'p3',
      message: { id: 'm', model: 'haiku', content: [{ type: 'tool_use', id: 'g', name: 'Glob', input: {} }] },
    }
    const more = { parentToolUseID: 't1' }
    const data = { type: 'agent_progress', agentId: 'a9' }
    const session = await read([
      user('go'),
      call('t1', 'Task', task),
      progress({ ...data, message: told, normalizedMessages: [told] }, more),
      progress({ ...data, message: called, normalizedMessages: [told, said, called] }, more),
      progress({ ...data, message: called, normalizedMessages: [] }, more),
      progress({ type: 'bash_progress', output: '' }),
      result('t1', 'done', {}, { toolUseResult: { agentId: 'a9', status: 'completed' } }),
    ])
    expect(shape(session)).toEqual([
      'main 1 user',
      'main 1 tool_call',
      'main 1 subagent_start a9 t1',
      'a9 1 context',
      'a9 1 assistant',
      'a9 1 tool_call',
      'main 1 subagent_end a9 t1',
      'main 1 tool_result',
    ])
    expect(session.source.account.absorbed).toEqual([
      ['progress repeated', 1],
      ['progress', 1],
    ])
    expect(session.models).toEqual(['claude-opus-4-6', 'haiku'])
  })

  it('runs in the background until a notice ends it', async () => {
    const { user, call, result } = log()
    const session = await read([
      user('go'),
      call('t1', 'Agent', { ...task, run_in_background: true }),
      result(
        't1',
        'launched',
        {},
        { toolUseResult: { isAsync: true, status: 'async_launched', agentId: 'b1' } },
      ),
      user('meanwhile'),
      user('<task-notification>\n<task-id>b1</task-id>\n<result>ok</result></task-notification>'),
    ])
    expect(shape(session)).toEqual([
      'main 1 user',
      'main 1 tool_call',
      'main 1 subagent_start b1 t1',
      'main 1 tool_result',
      'main 2 user',
      'main 2 subagent_end b1 t1',
      'main 2 context',
    ])
  })

  it('is the main agent if it is alone in a log', async () => {
    const { user, assistant } = log()
    const side = { isSidechain: true, agentId: 'a1' }
    const session = await read([user('Find the tests', side), assistant(text('found'), side)])
    expect(shape(session)).toEqual(['main 0 context', 'main 0 assistant'])
    expect(session.agents).toEqual([{ id: 'main' }])
  })
})
