import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readSession } from '../../src/readers/read-session.ts'
import type { Session } from '../../src/session/session.ts'
import { jsonl, log } from './claude-code-log.ts'
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
})
