import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import { geminiCliReader } from '../../src/readers/gemini-cli/gemini-cli.ts'
import { readSession } from '../../src/readers/read-session.ts'
import { ofType, type Session } from './events.ts'

const fixture = (name: string): Buffer =>
  readFileSync(new URL(`../fixtures/gemini-cli/${name}`, import.meta.url))

const time = '2026-05-04T08:00:00.000Z'
const head = { sessionId: '3a8f0000', projectHash: '5c0ffee0', startTime: time, kind: 'main' }
const said = (id: string, type: string, content: unknown, more: object = {}): object => ({
  id,
  timestamp: time,
  type,
  content,
  ...more,
})
async function readLines(...records: object[]): Promise<Session> {
  const text = [head, ...records].map((record) => `${JSON.stringify(record)}\n`).join('')
  return await readSession(Buffer.from(text), { readers: [geminiCliReader] })
}

describe('a recording of lines', async () => {
  const session = await readSession(fixture('lines.jsonl'))

  it('learns the folder from a call, so that relative and absolute paths are one file', () => {
    expect(session.cwd).toBe('/srv/shop')
    expect(extractFacts(session).files.map(({ path, status }) => [path, status])).toEqual([
      ['src/cart.ts', 'modified'],
      ['test/round.test.ts', 'created'],
    ])
  })

  it('turns messages that replaced others into a compaction', () => {
    expect(ofType(session, 'compaction').map(({ text, turn }) => [text, turn])).toEqual([
      [expect.stringContaining('<overall_goal>Round carts'), 2],
    ])
    expect(JSON.stringify(session.events)).not.toContain('Got it. Thanks')
    expect(JSON.stringify(session.events)).not.toContain('masked')
  })
})

it('withdraws everything if a rewind names an unknown message, and says so', async () => {
  const session = await readLines(said('a', 'user', 'One'), said('b', 'user', 'Two'), { $rewindTo: 'gone' })
  expect(ofType(session, 'user').map(({ inContext }) => inContext)).toEqual([false, false])
  expect(session.notes.map(({ code }) => code)).toEqual(['rewind-unknown'])
})

it("separates the user's shell command from its output", async () => {
  const run =
    'I ran the following shell command:\n```sh\nls\n```\n\nThis produced the following result:\n```\ncart.ts\n```'
  const session = await readLines(said('a', 'user', [{ text: run }]))
  expect(session.events).toMatchObject([
    { type: 'user', origin: 'command', text: '! ls' },
    { type: 'context', origin: 'output', text: 'cart.ts' },
  ])
})

it('keeps one result if a sync of the history masks it', async () => {
  const call = { id: 'c1', name: 'read_file', args: { file_path: 'a' }, status: 'success', timestamp: time }
  const answer = said('b', 'gemini', 'Read.', {
    toolCalls: [{ ...call, result: [{ functionResponse: { id: 'c1', response: { output: 'whole' } } }] }],
  })
  const masked = said('b', 'gemini', [{ text: 'Read.' }], {
    toolCalls: [{ ...call, result: [{ functionResponse: { id: 'c1', response: { output: 'cut' } } }] }],
  })
  const asked = said('a', 'user', 'Read a')
  const session = await readLines(asked, answer, { $set: { messages: [asked, masked] } })
  expect(session.events.map(({ type }) => type)).toEqual(['user', 'assistant', 'tool_call', 'tool_result'])
  expect(ofType(session, 'tool_result')[0]?.text).toBe('whole')
})

it('reads what /chat save wrote', async () => {
  const contents = [
    {
      role: 'user',
      parts: [{ text: 'This is the Gemini CLI. We are setting up the context for our chat.' }],
    },
    { role: 'model', parts: [{ text: 'Got it.' }] },
    { role: 'user', parts: [{ text: 'Read a' }] },
    { role: 'model', parts: [{ functionCall: { name: 'read_file', args: { file_path: 'a' } } }] },
    { role: 'user', parts: [{ functionResponse: { name: 'read_file', response: { output: 'one' } } }] },
  ]
  const session = await readSession({ parsed: contents }, { readers: [geminiCliReader] })
  expect(session.events.map(({ type }) => type)).toEqual([
    'context',
    'assistant',
    'user',
    'tool_call',
    'tool_result',
  ])
})

it('joins the recordings of subagents, and reads the newest of a folder by its name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gemini-'))
  try {
    const chats = join(folder, 'chats')
    const id = '3a8f0000-aaaa-4000-8000-000000000001'
    await mkdir(join(chats, id), { recursive: true })
    await writeFile(join(chats, 'session-2026-05-04T08-00-3a8f0000.jsonl'), fixture('lines.jsonl'))
    const child = [
      { ...head, sessionId: 'investigator-1', kind: 'subagent', directories: ['/srv/shop'] },
      said('c1', 'user', 'Where are totals printed?'),
      said('c2', 'gemini', 'In src/mail.ts.', {
        model: 'gemini-3-flash-preview',
        tokens: { input: 7, output: 2 },
      }),
    ]
    await writeFile(
      join(chats, id, 'investigator-1.jsonl'),
      child.map((line) => JSON.stringify(line)).join('\n'),
    )
    const session = await readSession(folder)
    expect(session.source.files).toHaveLength(2)
    const inside = session.events.filter(({ agent }) => agent !== 'main')
    expect(inside.map(({ type, turn, agent }) => [type, turn, agent])).toEqual([
      ['context', 2, 'investigator-1'],
      ['assistant', 2, 'investigator-1'],
    ])
    expect(session.usage.map(({ agent, usage }) => [agent, usage.inputTokens])).toEqual([
      ['main', 5000],
      ['investigator-1', 7],
    ])
  } finally {
    await rm(folder, { recursive: true })
  }
})
