import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import initSqlJs from 'sql.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listSessions, readSession } from '../../src/readers/read-session.ts'

const fixture = (name: string): Buffer =>
  readFileSync(new URL(`../fixtures/opencode/${name}`, import.meta.url))

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'opencode-'))
})
afterAll(() => rm(folder, { recursive: true }))

const start = Date.UTC(2026, 4, 4, 8)
const message = (session: string, id: string, seconds: number, more: object): object => ({
  id,
  sessionID: session,
  role: 'user',
  time: { created: start + seconds * 1000 },
  ...more,
})
const part = (session: string, messageId: string, id: string, more: object): object => ({
  id,
  sessionID: session,
  messageID: messageId,
  ...more,
})

const task = {
  status: 'completed',
  input: { description: 'Look', prompt: 'Find it.', subagent_type: 'explore' },
  output: '<task_result>Found it.</task_result>',
  metadata: { sessionId: 'ses_3' },
}

describe('an export', async () => {
  const session = await readSession(fixture('export.json'))

  it('includes the export of a child session next to it', async () => {
    const path = join(folder, 'exported.json')
    await writeFile(path, fixture('export.json'))
    const child = {
      info: {
        id: 'ses_f0a2child',
        parentID: 'ses_f0a1shop',
        title: 'Child session - 2026-05-04T08:00:15.000Z',
      },
      messages: [
        {
          info: message('ses_f0a2child', 'msg_c1', 15, {}),
          parts: [{ type: 'text', text: 'Look where emails print totals.' }],
        },
        {
          info: message('ses_f0a2child', 'msg_c2', 16, { role: 'assistant', modelID: 'claude-haiku-4.5' }),
          parts: [{ type: 'text', text: 'Only in src/mail.ts.' }],
        },
      ],
    }
    await writeFile(join(folder, 'ses_f0a2child.json'), JSON.stringify(child))
    const family = await readSession(path)
    expect(family.events.length).toBe(session.events.length + 1)
    expect(family.events.at(-1)).toMatchObject({
      agent: 'ses_f0a2child',
      type: 'assistant',
      turn: 1,
      text: 'Only in src/mail.ts.',
    })
  })
})

describe('the database', () => {
  const rows = {
    session: [
      ['ses_1', null, '/srv/shop', 'Older', '1.16.0', start, null],
      ['ses_2', null, '/srv/shop', 'Newer', '1.16.0', start + 5000, null],
      [
        'ses_3',
        'ses_2',
        '/srv/shop',
        'Child session - 2026-05-04T08:00:06.000Z',
        '1.16.0',
        start + 6000,
        null,
      ],
    ],
    message: [
      ['msg_1', 'ses_1', start, { role: 'user', time: { created: start } }],
      ['msg_4', 'ses_2', start + 7000, { role: 'assistant', modelID: 'gpt-5.5', finish: 'stop' }],
      ['msg_3', 'ses_2', start + 5000, { role: 'user', time: { created: start + 5000 } }],
      ['msg_5', 'ses_3', start + 6000, { role: 'user' }],
      ['msg_6', 'ses_3', start + 6500, { role: 'assistant', modelID: 'gpt-5.5-mini' }],
    ],
    part: [
      ['prt_9', 'msg_4', 'ses_2', { type: 'text', text: 'Done.' }],
      ['prt_2', 'msg_4', 'ses_2', { type: 'tool', tool: 'task', callID: 'call_1', state: task }],
      ['prt_1', 'msg_3', 'ses_2', { type: 'text', text: 'Fix the cart.' }],
      ['prt_0', 'msg_1', 'ses_1', { type: 'text', text: 'Hello.' }],
      ['prt_5', 'msg_5', 'ses_3', { type: 'text', text: 'Find it.' }],
      ['prt_6', 'msg_6', 'ses_3', { type: 'text', text: 'Found it.' }],
    ],
  } as const
  let path: string

  beforeAll(async () => {
    const { Database } = await initSqlJs()
    const database = new Database()
    database.run(`CREATE TABLE account (id text, access_token text);
      CREATE TABLE session (id text, parent_id text, directory text, title text, version text, time_created integer, revert text);
      CREATE TABLE message (id text, session_id text, time_created integer, data text);
      CREATE TABLE part (id text, message_id text, session_id text, data text);
      CREATE TABLE todo (session_id text, content text, status text, priority text, position integer);
      INSERT INTO account VALUES ('1', 'never-to-be-read');
      INSERT INTO todo VALUES ('ses_2', 'Fix', 'pending', 'high', 0)`)
    for (const [table, list] of Object.entries(rows)) {
      for (const row of list) {
        const values = row.map((value) =>
          typeof value === 'object' && value !== null ? JSON.stringify(value) : value,
        )
        database.run(`INSERT INTO ${table} VALUES (${values.map(() => '?').join(', ')})`, values)
      }
    }
    path = join(folder, 'opencode.db')
    await writeFile(path, database.export())
    database.close()
  })

  it('lists its sessions, and reads the newest if none was requested', async () => {
    expect((await listSessions(path))?.map(({ id, title }) => [id, title])).toEqual([
      ['ses_1', 'Older'],
      ['ses_2', 'Newer'],
    ])
    const session = await readSession(path)
    expect(session).toMatchObject({ id: 'ses_2', format: 'opencode', title: 'Newer', cwd: '/srv/shop' })
    expect(session.notes.map(({ code }) => code)).toEqual(['other-sessions'])
  })

  it('has messages and parts in order, and the child session at its call', async () => {
    const { events, agents } = await readSession(`${path}#ses_2`)
    expect(events.map(({ type, agent }) => [type, agent])).toEqual([
      ['user', 'main'],
      ['tool_call', 'main'],
      ['subagent_start', 'main'],
      ['assistant', 'ses_3'],
      ['subagent_end', 'main'],
      ['tool_result', 'main'],
      ['assistant', 'main'],
    ])
    expect(agents).toEqual([
      { id: 'main' },
      { id: 'ses_3', parent: 'main', callId: 'call_1', type: 'explore', title: 'Look' },
    ])
  })

  it('has child sessions by name, and lists them if a name is wrong', async () => {
    expect((await readSession(`${path}#ses_3`)).events.map(({ type }) => type)).toEqual([
      'context',
      'assistant',
    ])
    await expect(readSession(`${path}#ses_9`)).rejects.toMatchObject({ code: 'session-missing' })
  })

  it('never has its table of accounts read, and has every row accounted for', async () => {
    const session = await readSession(path)
    expect(JSON.stringify(session)).not.toContain('never-to-be-read')
    const { lines, absorbed, events } = session.source.account
    expect(absorbed).toContainEqual(['table account', 1])
    expect(events + absorbed.reduce((sum, [, count]) => sum + count, 0)).toBe(lines)
  })
})

it('reads a session from the older storage folder, with its child sessions', async () => {
  const storage = join(folder, 'old', 'storage')
  const put = async (path: string, value: object): Promise<void> => {
    await mkdir(dirname(join(storage, path)), { recursive: true })
    await writeFile(join(storage, path), JSON.stringify(value))
  }
  const info = (id: string, more: object): object => ({
    id,
    projectID: 'global',
    directory: '/srv/shop',
    time: { created: start },
    ...more,
  })
  await put('session/global/ses_2.json', info('ses_2', { title: 'Cart' }))
  await put('session/global/ses_3.json', info('ses_3', { parentID: 'ses_2' }))
  await put('message/ses_2/msg_3.json', message('ses_2', 'msg_3', 5, {}))
  await put(
    'message/ses_2/msg_4.json',
    message('ses_2', 'msg_4', 7, { role: 'assistant', modelID: 'gpt-5.5' }),
  )
  await put('message/ses_3/msg_6.json', message('ses_3', 'msg_6', 6, { role: 'assistant' }))
  await put('part/msg_3/prt_1.json', part('ses_2', 'msg_3', 'prt_1', { type: 'text', text: 'Fix the cart.' }))
  await put(
    'part/msg_4/prt_2.json',
    part('ses_2', 'msg_4', 'prt_2', { type: 'tool', tool: 'task', callID: 'c', state: task }),
  )
  await put('part/msg_6/prt_6.json', part('ses_3', 'msg_6', 'prt_6', { type: 'text', text: 'Found it.' }))

  const session = await readSession(join(folder, 'old'))
  expect(session).toMatchObject({ id: 'ses_2', title: 'Cart', format: 'opencode' })
  expect(session.source.files).toHaveLength(8)
  expect(session.events.map(({ type, agent }) => [type, agent])).toEqual([
    ['user', 'main'],
    ['tool_call', 'main'],
    ['subagent_start', 'main'],
    ['assistant', 'ses_3'],
    ['subagent_end', 'main'],
    ['tool_result', 'main'],
  ])
  expect((await readSession(`${storage}#ses_2`)).id).toBe('ses_2')

  await put('session/global/ses_4.json', info('ses_4', { parentID: 'ses_3' }))
  await put('message/ses_4/msg_7.json', message('ses_4', 'msg_7', 8, { role: 'assistant' }))
  await put('part/msg_7/prt_7.json', part('ses_4', 'msg_7', 'prt_7', { type: 'text', text: 'Deeper.' }))
  const deeper = await readSession(storage)
  expect(deeper.agents.map(({ id, parent }) => [id, parent])).toEqual([
    ['main', undefined],
    ['ses_3', 'main'],
    ['ses_4', 'ses_3'],
  ])
  expect(deeper.events.filter(({ agent }) => agent === 'ses_4')).toMatchObject([{ text: 'Deeper.' }])
})
