import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import initSqlJs from 'sql.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listSessions, readSession } from '../../src/readers/read-session.ts'

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
