import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import initSqlJs from 'sql.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { extractFacts } from '../../src/facts/extract-facts.ts'
import { gooseReader } from '../../src/readers/goose/goose.ts'
import { listSessions, readSession } from '../../src/readers/read-session.ts'
import { ofType } from './events.ts'

const fixture = (name: string): Buffer => readFileSync(new URL(`../fixtures/goose/${name}`, import.meta.url))

describe('a legacy log', async () => {
  const session = await readSession(fixture('legacy.jsonl'))

  it('has facts, reasoning and pictures', () => {
    expect(extractFacts(session).files).toMatchObject([{ path: 'src/cart.ts', status: 'modified' }])
    expect(ofType(session, 'reasoning').map(({ text }) => text)).toEqual(['Floor loses cents.'])
    expect(session.source.images).toBe(1)
    expect(JSON.stringify(session.events)).not.toContain('iVBORw0KGgo')
  })
})

it('reads contents of 2024, which have no type, and streamed lines', async () => {
  const lines = [
    { role: 'user', created: 1_730_000_000, content: [{ text: 'List the files.' }] },
    {
      role: 'assistant',
      created: 1_730_000_001,
      content: [{ id: 'a', tool_name: 'shell', arguments: { command: 'ls' } }],
    },
    { role: 'user', created: 1_730_000_002, content: [{ id: 'a', tool_result: [{ text: 'cart.ts' }] }] },
    {
      type: 'message',
      message: { role: 'assistant', created: 1_730_000_003, content: [{ type: 'text', text: 'One.' }] },
    },
    { type: 'complete', total_tokens: 7 },
  ]
  const text = lines.map((line) => JSON.stringify(line)).join('\n')
  const session = await readSession(Buffer.from(text), { readers: [gooseReader], format: 'goose' })
  expect(session.events.map(({ type }) => type)).toEqual(['user', 'tool_call', 'tool_result', 'assistant'])
  expect(session.notes).toEqual([])
})

describe('the database', () => {
  let folder: string
  let path: string
  const start = Date.UTC(2026, 4, 4, 8) / 1000

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'goose-'))
    path = join(folder, 'sessions.db')
    const { Database } = await initSqlJs()
    const database = new Database()
    database.run(`CREATE TABLE sessions (id text, name text, session_type text, working_dir text, created_at text, model_config_json text);
      CREATE TABLE messages (id integer, session_id text, role text, content_json text, created_timestamp integer, metadata_json text);
      INSERT INTO sessions VALUES
        ('20260504_2', 'Newer', 'user', '/srv/shop', '2026-05-04 08:00:00', '{"model_name":"gpt-5.5"}'),
        ('20260504_1', 'Older', 'user', '/srv/shop', '2026-05-04 07:00:00', null),
        ('20260504_3', 'Scout', 'sub_agent', '/srv/shop', '2026-05-04 08:30:00', null)`)
    const said = (id: number, session: string, role: string, text: string): void => {
      const content = JSON.stringify([{ type: 'text', text }])
      database.run('INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?)', [
        id,
        session,
        role,
        content,
        start + id,
        '{}',
      ])
    }
    said(4, '20260504_2', 'assistant', 'Done.')
    said(3, '20260504_2', 'user', 'Fix the cart.')
    said(1, '20260504_1', 'user', 'Hello.')
    said(5, '20260504_3', 'user', 'Where are totals printed?')
    database.run("INSERT INTO messages VALUES (6, '20260504_2', 'user', '[not json', 0, null)")
    await writeFile(path, database.export())
    database.close()
  })
  afterAll(() => rm(folder, { recursive: true }))

  it("lists the users' sessions, and reads the newest of them", async () => {
    expect(await listSessions(path)).toEqual([
      { id: '20260504_1', title: 'Older', startedAt: '2026-05-04T07:00:00Z' },
      { id: '20260504_2', title: 'Newer', startedAt: '2026-05-04T08:00:00Z' },
    ])
    const session = await readSession(folder)
    expect(session).toMatchObject({ id: '20260504_2', title: 'Newer', cwd: '/srv/shop', models: ['gpt-5.5'] })
    expect(session.events.map(({ type }) => type)).toEqual(['user', 'assistant', 'other'])
    expect(session.notes).toMatchObject([
      { code: 'other-sessions', message: expect.stringMatching(/ 20260504_2 was read\. .*: 20260504_1$/) },
    ])
  })

  it("reads any session by its name, and a subagent's task not as a user message", async () => {
    expect((await readSession(`${path}#20260504_1`)).events).toMatchObject([{ type: 'user', text: 'Hello.' }])
    expect((await readSession(`${path}#20260504_3`)).events).toMatchObject([
      { type: 'context', origin: 'agent' },
    ])
    await expect(readSession(`${path}#none`)).rejects.toMatchObject({ code: 'session-missing' })
  })
})
