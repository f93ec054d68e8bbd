import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import { piReader } from '../../src/readers/pi/pi.ts'
import { readSession } from '../../src/readers/read-session.ts'
import { ofType, type Session } from './events.ts'

async function readFixture(name: string): Promise<Session> {
  return await readSession(readFileSync(new URL(`../fixtures/pi/${name}`, import.meta.url)))
}

const time = (seconds: number): string => new Date(Date.UTC(2026, 4, 4, 8, 0, seconds)).toISOString()
const user = (seconds: number, text: string, tree: object = {}): object => ({
  type: 'message',
  timestamp: time(seconds),
  ...tree,
  message: { role: 'user', content: text },
})
const header = (seconds: number, more: object = {}): object => ({
  type: 'session',
  version: 3,
  id: 's1',
  timestamp: time(seconds),
  cwd: '/srv/shop',
  ...more,
})
async function readLines(...records: object[]): Promise<Session> {
  const text = records.map((record) => `${JSON.stringify(record)}\n`).join('')
  return await readSession(Buffer.from(text), { readers: [piReader] })
}

describe('a tree of entries', async () => {
  const session = await readFixture('tree.jsonl')

  it('has exit codes and diffs', () => {
    const results = new Map(ofType(session, 'tool_result').map((event) => [event.callId, event]))
    expect(results.get('call_a|fc_1')).toMatchObject({ status: 'error', exitCode: 1 })
    expect(results.get('toolu_2')?.changes).toEqual([
      { path: 'src/cart.ts', action: 'modified', added: 2, removed: 1 },
    ])
    const { files, commands } = extractFacts(session)
    expect(files.map(({ path }) => path)).toEqual(['src/cart.ts', 'docs/rounding.md'])
    expect(commands.map(({ command, status }) => [command, status])).toEqual([
      ['npm test', 'error'],
      ['npm test', 'unknown'],
    ])
  })
})

it('reads entries whose parents form a circle', async () => {
  const session = await readLines(
    header(0),
    user(1, 'First', { id: 'a', parentId: 'b' }),
    user(2, 'Second', { id: 'b', parentId: 'a' }),
    user(3, 'Third', { id: 'c', parentId: 'a' }),
  )
  expect(session.events.map(({ type, inContext }) => [type, inContext])).toEqual([
    ['user', undefined],
    ['user', false],
    ['rewind', undefined],
    ['user', undefined],
  ])
  expect(session.notes).toMatchObject([{ code: 'parent-unknown', line: 2 }])
})

it('says where an abandoned branch continues, and where one begins within a turn', async () => {
  const answer = (id: string, parentId: string): object => ({
    type: 'message',
    id,
    parentId,
    timestamp: time(2),
    message: { role: 'assistant', content: 'So.', stopReason: 'stop' },
  })
  const session = await readLines(
    header(0),
    user(1, 'One', { id: 'a', parentId: null }),
    answer('b', 'a'),
    answer('c', 'a'),
    user(3, 'Two', { id: 'd', parentId: 'c' }),
    user(4, 'Three', { id: 'e', parentId: 'a' }),
    user(5, 'Four', { id: 'f', parentId: 'd' }),
  )
  expect(session.notes.map(({ code }) => code).sort()).toEqual([
    'branch-in-turn',
    'branch-in-turn',
    'branch-resumed',
  ])
  expect(ofType(session, 'user').map(({ text, inContext }) => [text, inContext])).toEqual([
    ['One', undefined],
    ['Two', false],
    ['Three', false],
    ['Four', undefined],
  ])
})

it('marks the history that a branched session copied', async () => {
  const branched = header(10, { parentSession: '/srv/sessions/first.jsonl' })
  const session = await readLines(branched, user(1, 'Old'), user(11, 'New'))
  expect(ofType(session, 'user').map(({ text, copied }) => [text, copied])).toEqual([
    ['Old', true],
    ['New', undefined],
  ])
  const only = await readLines(branched, user(1, 'Old'), user(2, 'Older'))
  expect(ofType(only, 'user').map(({ copied }) => copied)).toEqual([undefined, undefined])
  expect(only.notes.map(({ code }) => code)).toEqual(['copied-history'])
})

it('reads the lines of pi --mode json', async () => {
  const message = { role: 'user', content: 'Hi' }
  const session = await readLines(
    header(0),
    { type: 'agent_start' },
    { type: 'message_start', message },
    { type: 'message_end', message },
    { type: 'agent_end', messages: [message] },
  )
  expect(session.events).toMatchObject([{ type: 'user', text: 'Hi' }])
})

it('reads the one session of a folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pi-'))
  try {
    const name = '2026-05-04T08-00-00-000Z_019f0000-bbbb-7000-8000-000000000001.jsonl'
    await writeFile(join(folder, name), readFileSync(new URL('../fixtures/pi/tree.jsonl', import.meta.url)))
    expect(await readSession(folder)).toMatchObject({ format: 'pi', title: 'Round carts' })
  } finally {
    await rm(folder, { recursive: true })
  }
})

it('reads the messages of subagents from the details of their results', async () => {
  const entry = (seconds: number, message: object): object => ({
    type: 'message',
    timestamp: time(seconds),
    message,
  })
  const usage = { input: 5, output: 2, cacheRead: 0, cacheWrite: 0 }
  const messages = [
    { role: 'user', content: 'Task: Where are totals printed?' },
    { role: 'assistant', content: [{ type: 'text', text: 'In src/mail.ts.' }], model: 'haiku', usage },
  ]
  const details = {
    mode: 'single',
    results: [{ agent: 'scout', task: 'Where are totals printed?', messages }],
  }
  const session = await readLines(
    header(0),
    user(1, 'Look'),
    entry(2, {
      role: 'assistant',
      content: [{ type: 'toolCall', id: 'c1', name: 'subagent', arguments: { agent: 'scout' } }],
    }),
    entry(3, {
      role: 'toolResult',
      toolCallId: 'c1',
      toolName: 'subagent',
      content: 'In src/mail.ts.',
      details,
    }),
    user(4, 'Thanks'),
  )
  expect(session.events.map(({ type, agent, turn }) => [type, agent, turn])).toEqual([
    ['user', 'main', 1],
    ['tool_call', 'main', 1],
    ['subagent_start', 'main', 1],
    ['assistant', 'c1-1', 1],
    ['subagent_end', 'main', 1],
    ['tool_result', 'main', 1],
    ['user', 'main', 2],
  ])
  expect(session.agents[1]).toEqual({ id: 'c1-1', parent: 'main', callId: 'c1', type: 'scout' })
  expect(session.usage).toMatchObject([{ agent: 'c1-1', model: 'haiku', usage: { inputTokens: 5 } }])
})

it('reads the records of 0.87: system prompts in sections, usage without a message, edits of the context', async () => {
  const session = await readLines(
    header(0),
    { type: 'model_change', id: 'm', timestamp: time(1), modelId: 'm-1' },
    {
      type: 'message',
      id: 'a',
      timestamp: time(1),
      message: {
        role: 'system',
        content: '',
        sections: { preamble: 'You are pi.', rules: 'Be brief.', old: null },
      },
    },
    {
      type: 'message',
      id: 'b',
      timestamp: time(2),
      message: { role: 'system', content: '', toolsAdded: ['x'] },
    },
    user(3, 'Round the totals.'),
    {
      type: 'usage',
      id: 'u',
      timestamp: time(4),
      kind: 'cache_warm',
      usage: { input: 5, cacheRead: 20, output: 1 },
    },
    { type: 'context_edit', id: 'c', timestamp: time(5), targetId: 'b', replacement: null },
  )
  expect(session.events.map((event) => [event.type, 'text' in event && event.text])).toEqual([
    ['context', 'You are pi.\n\nBe brief.'],
    ['user', 'Round the totals.'],
  ])
  expect(session.usage).toMatchObject([{ agent: 'main', usage: { inputTokens: 25, outputTokens: 1 } }])
  expect(session.source.account.other).toBe(0)
})
