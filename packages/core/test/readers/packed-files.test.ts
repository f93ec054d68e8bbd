import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findLogs } from '../../src/readers/find/find-logs.ts'
import { readSession } from '../../src/readers/read-session.ts'
import type { Reader } from '../../src/readers/reader/reader.ts'
import type { Session } from '../../src/session/session.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenfold-packed-'))
})
afterAll(() => rm(folder, { recursive: true }))

const fixture = (name: string): Promise<string> =>
  readFile(new URL(`../fixtures/${name}`, import.meta.url), 'utf8')
const jsonl = (...records: object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('')
const id = '0f9a3c52-1d2e-4f3a-8b4c-5d6e7f8a9b0c'

/** A log and the files of its session by path; the first is the log. */
interface Family {
  readonly name: string
  readonly files: () => Promise<Readonly<Record<string, string>>>
}

const codex = (own: string, parent?: string): string =>
  jsonl(
    {
      timestamp: '2026-11-20T08:00:00.000Z',
      type: 'session_meta',
      payload: { id: own, cwd: '/srv/shop', ...(parent !== undefined && { parent_thread_id: parent }) },
    },
    {
      timestamp: '2026-11-20T08:00:01.000Z',
      type: 'response_item',
      payload: {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: `I am ${own}.` }],
      },
    },
  )
const claude = (text: string, isSidechain: boolean): string =>
  jsonl({
    ...{ type: 'user', uuid: text, sessionId: 's', isSidechain, timestamp: '2026-11-20T08:00:00.000Z' },
    ...{ cwd: '/srv/shop', version: '2.1.0', message: { role: 'user', content: text } },
  })
const cline = (sessionId: string, origin: object, text: string): string =>
  JSON.stringify({
    ...{ version: 1, updated_at: '2026-11-20T08:00:00.000Z', agent: 'lead', sessionId, origin },
    ...{
      system_prompt: 'You are Cline.',
      messages: [{ id: text, role: 'user', content: [{ type: 'text', text }] }],
    },
  })
const said = (role: string, text: string): object => ({
  role,
  message: { content: [{ type: 'text', text }] },
})

const families: readonly Family[] = [
  {
    name: 'Claude Code',
    files: async () => ({
      'p.jsonl': claude('Count the carts.', false),
      'p/subagents/agent-a1.jsonl': claude('You count.', true),
      'agent-b2.jsonl': claude('You count as of old.', true),
    }),
  },
  {
    name: 'Codex, with a thread that began two days later',
    files: async () => ({
      '2026/11/30/rollout-2026-11-30T08-00-00-parent.jsonl': codex('parent'),
      '2026/12/02/rollout-2026-12-02T08-00-00-child.jsonl': codex('child', 'parent'),
    }),
  },
  {
    name: 'Cline',
    files: async () => ({
      '17953/17953.messages.json': cline('17953', { source: 'cli', mode: 'user' }, 'Round.'),
      '17953/17953.json': JSON.stringify({
        session_id: '17953',
        cwd: '/srv/shop',
        metadata: { title: 'Totals' },
      }),
      '17953/agent_1.messages.json': cline('17953__1', { mode: 'subagent', subagent: 'agent_1' }, 'Count.'),
    }),
  },
  {
    name: 'Cline as an extension',
    files: async () => ({
      'ui_messages.json': await fixture('cline/ui-messages.json'),
      'api_conversation_history.json': await fixture('cline/roo-native.json'),
    }),
  },
  {
    name: 'Factory Droid',
    files: async () => ({
      'abc.jsonl': (await fixture('factory-droid/session.jsonl')).replace(/,"usage":\{[^}]*\}/g, ''),
      'abc.settings.json': JSON.stringify({ model: 'm-1', tokenUsage: { inputTokens: 10, outputTokens: 4 } }),
    }),
  },
  {
    name: 'Cursor',
    files: async () => ({
      [`${id}/${id}.jsonl`]: await fixture('cursor/transcript.jsonl'),
      [`${id}/subagents/scout.jsonl`]: jsonl(said('user', 'Where?'), said('assistant', 'In mail.')),
    }),
  },
  {
    name: 'OpenHands',
    files: async () => {
      const events = (await fixture('openhands/v1-events.jsonl')).split('\n').filter(Boolean)
      const named = events.map((line, index) => [`events/event-0000${index}-x.json`, line] as const)
      const state = {
        ...{ id: 'abc', execution_status: 'finished', workspace: { working_dir: '/srv/shelf' } },
        agent: { llm: { model: 'm-1' } },
      }
      return { 'base_state.json': JSON.stringify(state), ...Object.fromEntries(named.slice(0, 9)) }
    },
  },
  {
    name: 'OpenCode',
    files: async () => ({
      'export.json': await fixture('opencode/export.json'),
      'ses_f0a2child.json': JSON.stringify({
        info: { id: 'ses_f0a2child', parentID: 'ses_f0a1shop', title: 'Child' },
        messages: [
          {
            info: { id: 'msg_c1', sessionID: 'ses_f0a2child', role: 'assistant', modelID: 'm-1' },
            parts: [{ type: 'text', text: 'Only in mail.' }],
          },
        ],
      }),
    }),
  },
  {
    name: 'Gemini CLI',
    files: async () => ({
      'chats/session-2026-05-04T08-00-3a8f0000.jsonl': await fixture('gemini-cli/lines.jsonl'),
      'chats/3a8f0000-aaaa-4000-8000-000000000001/scout.jsonl': jsonl(
        { sessionId: 'scout', projectHash: 'x', kind: 'subagent', startTime: '2026-05-04T08:00:00.000Z' },
        { id: 'c1', timestamp: '2026-05-04T08:00:00.000Z', type: 'user', content: 'Where?' },
      ),
    }),
  },
  {
    name: 'Qwen Code',
    files: async () => {
      const log = await fixture('qwen-code/session.jsonl')
      const sessionId = String(JSON.parse(log.slice(0, log.indexOf('\n'))).sessionId)
      const message = { role: 'model', parts: [{ text: 'There are 2.' }] }
      return {
        [`chats/${sessionId}.jsonl`]: log,
        [`subagents/${sessionId}/agent-scout-call_4.jsonl`]: jsonl({
          ...{ sessionId, parentUuid: null, agentId: 'scout-call_4', agentName: 'scout', isSidechain: true },
          ...{ uuid: 's1', type: 'assistant', message },
        }),
      }
    },
  },
]

/** All of a session but the names, sizes and digests of its files. */
function contentOf({ events, agents, usage, cwd, title, models, notes }: Session): unknown {
  const unpacked = notes.map((note) => ({ ...note, file: note.file?.replace('.gz', '') }))
  return { events, agents, usage, cwd, title, models, notes: unpacked }
}

describe('packed files of a session', () => {
  it.each(families)('are read with its log like unpacked ones: $name', async ({ name, files }) => {
    const contents = Object.entries(await files())
    const [main = ''] = contents.map(([path]) => path)
    const write = async (place: string, pack: boolean): Promise<string> => {
      for (const [path, text] of contents) {
        const target = join(folder, name, place, `${path}${pack ? '.gz' : ''}`)
        await mkdir(dirname(target), { recursive: true })
        await writeFile(target, pack ? gzipSync(text) : text)
      }
      return join(folder, name, place, main)
    }
    const plain = await readSession(await write('plain', false))
    expect(plain.source.files).toHaveLength(contents.length)
    const packed = await readSession(`${await write('packed', true)}.gz`)
    expect(packed.source.files.map((file) => file.name)).toEqual(
      plain.source.files.map((file) => `${file.name}.gz`),
    )
    expect(contentOf(packed)).toEqual(contentOf(plain))
    await write('both', true)
    const both = await readSession(await write('both', false))
    expect(both.source.files.map((file) => file.name)).toEqual(plain.source.files.map((file) => file.name))
  })
})

describe('a packed database', () => {
  const reader: Reader = {
    ...{ name: 'notes', framing: 'rows', tables: ['note'] },
    detect: ({ tables }) => (tables?.note === undefined ? 0 : 1),
    async read(records, out) {
      for await (const { value } of records)
        out.event({ type: 'user', text: JSON.stringify(value), origin: 'typed' })
    },
  }
  const readers = [reader]
  const source = (name: string): URL => new URL(`../support/database/${name}`, import.meta.url)
  let place: string
  beforeAll(async () => {
    place = join(folder, 'database')
    await mkdir(place)
    for (const name of ['notes.db', 'notes.db-wal'])
      await writeFile(join(place, `${name}.gz`), gzipSync(await readFile(source(name))))
  })

  it('is read with its packed write-ahead log, which is no log of its own', async () => {
    const session = await readSession(join(place, 'notes.db.gz'), { readers })
    expect(session.source.files.map(({ name }) => name)).toEqual(['notes.db.gz', 'notes.db-wal.gz'])
    expect(session.events).toHaveLength(2)
    const { companions, skipped } = await findLogs(place, { readers })
    expect(companions).toEqual([
      { path: join(place, 'notes.db-wal.gz'), log: join(place, 'notes.db.gz'), kind: 'around' },
    ])
    expect(skipped).toEqual([])
  })

  it('is read without the write-ahead log of the unpacked one, which may be newer', async () => {
    const copy = join(folder, 'copy')
    await mkdir(copy)
    await copyFile(join(place, 'notes.db.gz'), join(copy, 'notes.db.gz'))
    await copyFile(source('notes.db-wal'), join(copy, 'notes.db-wal'))
    const session = await readSession(join(copy, 'notes.db.gz'), { readers })
    expect(session.source.files.map(({ name }) => name)).toEqual(['notes.db.gz'])
    expect(session.events).toHaveLength(1)
  })
})
