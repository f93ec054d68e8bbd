import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copilotCliReader } from '../../src/readers/copilot-cli/copilot-cli.ts'
import { readSession } from '../../src/readers/read-session.ts'
import { logsOfFolder } from '../../src/readers/reader/locate-log.ts'
import { ofType, type Session } from './events.ts'

const fixture = readFileSync(new URL('../fixtures/copilot-cli/session.jsonl', import.meta.url))
const readers = [copilotCliReader]

let count = 0
function record(type: string, data: unknown, agentId?: string): unknown {
  count++
  const timestamp = new Date(Date.UTC(2026, 2, 1, 8, 0, count)).toISOString()
  return { type, data, id: `r${count}`, timestamp, parentId: null, ...(agentId !== undefined && { agentId }) }
}

async function readRecords(...records: unknown[]): Promise<Session> {
  const lines = records.map((value) => `${JSON.stringify(value)}\n`).join('')
  return await readSession(Buffer.from(lines), { readers, format: 'copilot-cli' })
}

describe('a session of Copilot CLI', async () => {
  const session = await readSession(fixture, { readers })

  it('is described by its start', () => {
    expect(session).toMatchObject({
      id: 'aaaaaaaa-0000-4000-8000-000000000001',
      agentVersion: '1.0.40',
      cwd: '/srv/bakery',
      branch: 'ovens',
      models: ['claude-sonnet-4.6', 'gpt-5.2'],
    })
  })

  it("has only what the user typed as the user's words", () => {
    expect(ofType(session, 'user').map(({ origin, text }) => [origin, text])).toEqual([
      ['typed', 'Make the oven timer round up. Never touch the recipes.'],
      ['queued', 'use Math.ceil, please'],
      ['queued', 'no pushes today'],
      ['typed', 'Write that down.'],
    ])
    const [first] = ofType(session, 'user')
    expect(first).toMatchObject({ images: 1 })
    const contexts = ofType(session, 'context').map(({ origin, name }) => `${origin} ${name}`)
    expect(contexts).toEqual([
      'hook userPromptSubmitted',
      'system system prompt',
      'attachment file',
      'harness reminder',
      'agent task',
      'notification agent_idle',
      'system new lines of the system prompt',
      'harness continuation',
    ])
  })

  it('joins calls with their results, exit codes and diffs', () => {
    const results = ofType(session, 'tool_result').map(({ callId, status, exitCode }) => [
      callId,
      status,
      exitCode,
    ])
    expect(results).toEqual([
      ['call_view', 'ok', undefined],
      ['call_test', 'error', 1],
      ['call_edit', 'ok', undefined],
      ['call_push', 'denied', undefined],
      ['call_sub', 'ok', undefined],
      ['call_task', 'ok', undefined],
    ])
    const [edit] = ofType(session, 'tool_result').filter(({ callId }) => callId === 'call_edit')
    expect(edit?.changes).toEqual([
      { path: '/srv/bakery/src/timer.ts', action: 'modified', added: 2, removed: 1 },
    ])
    expect(ofType(session, 'tool_call')).toHaveLength(6)
  })

  it('keeps a subagent separate', () => {
    expect(session.agents).toContainEqual({
      id: 'call_task',
      parent: 'main',
      callId: 'call_task',
      type: 'reviewer',
      title: 'Review the timer',
    })
    const own = session.events.filter(({ agent }) => agent === 'call_task')
    expect(own.map(({ type }) => type)).toEqual(['context', 'tool_call', 'tool_result', 'assistant'])
    expect(session.events.map(({ type }) => type)).toContain('subagent_end')
  })

  it('has the final answer once', () => {
    const finals = ofType(session, 'assistant').filter(({ phase }) => phase === 'final')
    expect(finals.map(({ text }) => text)).toEqual(['The oven timer rounds up; tests pass.'])
    expect(ofType(session, 'compaction')).toMatchObject([
      { text: '<overview>The timer rounds up now.</overview>', tokensBefore: 1000 },
    ])
  })

  it('counts the sums at the end of a run and the responses before it only once', () => {
    const main = session.usage.find(({ model }) => model === 'claude-sonnet-4.6')
    expect(main).toMatchObject({ agent: 'main', usage: { inputTokens: 5000, outputTokens: 297 } })
    const outputs = session.usage.reduce((sum, { usage }) => sum + (usage.outputTokens ?? 0), 0)
    expect(outputs).toBe(297 + 42)
  })
})

it('withdraws what came after the event that the user went back to', async () => {
  const session = await readRecords(
    record('user.message', { content: 'one' }),
    record('user.message', { content: 'two' }),
    record('assistant.message', { content: 'done two', toolRequests: [] }),
    record('session.snapshot_rewind', { upToEventId: `r${count - 1}`, eventsRemoved: 2 }),
    record('user.message', { content: 'three' }),
  )
  expect(session.events.map((event) => [event.type, event.inContext ?? true])).toEqual([
    ['user', true],
    ['user', false],
    ['assistant', false],
    ['rewind', true],
    ['user', true],
  ])
})

it('gives calls their own ids if redaction made them equal', async () => {
  const call = { toolCallId: 'REDACTED', name: 'bash', arguments: { command: 'ls' } }
  const session = await readRecords(
    record('assistant.message', { content: '', toolRequests: [call, call] }),
    record('tool.execution_start', { toolCallId: 'REDACTED', toolName: 'bash', arguments: {} }),
    record('tool.execution_start', { toolCallId: 'REDACTED', toolName: 'bash', arguments: {} }),
    record('tool.execution_complete', { toolCallId: 'REDACTED', success: true, result: { content: 'a' } }),
    record('tool.execution_complete', { toolCallId: 'REDACTED', success: true, result: { content: 'b' } }),
  )
  expect(ofType(session, 'tool_call').map(({ callId }) => callId)).toEqual(['REDACTED', 'REDACTED#2'])
  expect(ofType(session, 'tool_result').map(({ callId, text }) => [callId, text])).toEqual([
    ['REDACTED', 'a'],
    ['REDACTED#2', 'b'],
  ])
})

describe('the folders of Copilot CLI', () => {
  let home = ''
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'copilot-'))
    const session = join(home, 'session-state', 'aaaaaaaa-0000-4000-8000-000000000001')
    await mkdir(session, { recursive: true })
    await writeFile(join(session, 'events.jsonl'), fixture)
    await mkdir(join(home, 'session-state', 'other'))
    await writeFile(join(home, 'session-state', 'other', 'events.jsonl'), '{"type":"page_view"}\n')
  })
  afterAll(async () => await rm(home, { recursive: true }))

  it('contain the logs, and no other file of that name is one', async () => {
    const log = join(home, 'session-state', 'aaaaaaaa-0000-4000-8000-000000000001', 'events.jsonl')
    for (const folder of [home, join(home, 'session-state'), join(log, '..')])
      expect(await logsOfFolder(folder, readers)).toEqual([log])
    expect(await logsOfFolder(join(home, 'session-state', 'other'), readers)).toEqual([])
    expect((await readSession(join(log, '..'), { readers })).events.length).toBeGreaterThan(20)
  })
})
