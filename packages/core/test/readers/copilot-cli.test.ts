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
