import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import initSqlJs from 'sql.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FindLogsOptions, findLogs } from '../../src/readers/find/find-logs.ts'
import type { Reader } from '../../src/readers/reader/reader.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenfold-find-'))
})
afterEach(() => rm(folder, { recursive: true }))

const at = (...parts: string[]): string => join(folder, ...parts)
async function write(path: string, content: string | Uint8Array, hour?: number): Promise<void> {
  await mkdir(dirname(at(path)), { recursive: true })
  await writeFile(at(path), content)
  const time = hour === undefined ? undefined : new Date(Date.UTC(2026, 0, 1, hour))
  if (time !== undefined) await utimes(at(path), time, time)
}

/** What was found, with paths relative to the folder. */
async function find(options: FindLogsOptions = {}) {
  const found = await findLogs(folder, options)
  const name = (path: string): string => relative(folder, path)
  return {
    logs: found.logs.map(({ log }) => name(log)),
    formats: Object.fromEntries(found.logs.map(({ log, format }) => [name(log), format])),
    companions: Object.fromEntries(
      found.companions.map(({ path, log, kind }) => [name(path), `${kind} ${name(log)}`]),
    ),
    skipped: Object.fromEntries(found.skipped.map(({ path, code }) => [name(path), code])),
    folders: Object.fromEntries(found.skippedFolders.map(({ path, code }) => [name(path), code])),
    files: found.files,
    found,
  }
}

const claude = (sessionId: string, sidechain = false): string =>
  `${JSON.stringify({
    type: 'user',
    sessionId,
    uuid: `${sessionId}-1`,
    isSidechain: sidechain,
    ...(sidechain && { agentId: 'a1' }),
    message: { role: 'user', content: 'Paint the shed.' },
  })}\n`
const trajectory = JSON.stringify({
  trajectory: [{ action: 'ls', observation: 'shed.py', thought: 'Look first.' }],
  history: [],
  info: {},
})
const clineUi = JSON.stringify([{ ts: 1767600000000, type: 'say', say: 'text', text: 'Hello.' }])
const clineHistory = JSON.stringify([{ role: 'user', content: '<task>\nHello.\n</task>' }])

describe('findLogs', () => {
  it('finds logs of several formats in one folder, whatever their names', async () => {
    await write('runs/shed/shed.traj', trajectory)
    await write('runs/talk.log', claude('s1'))
    await write('runs/none', claude('s2'))
    await write('runs/talk.jsonl.gz', gzipSync(claude('s3')))
    await write('tasks/1767600000000/ui_messages.json', clineUi)
    await write('other/.hidden/notes.dat', claude('s4'))
    const { formats, skipped, files } = await find()
    expect(formats).toEqual({
      'runs/shed/shed.traj': 'swe-agent',
      'runs/talk.log': 'claude-code',
      'runs/none': 'claude-code',
      'runs/talk.jsonl.gz': 'claude-code',
      'tasks/1767600000000/ui_messages.json': 'cline',
      'other/.hidden/notes.dat': 'claude-code',
    })
    expect(skipped).toEqual({})
    expect(files).toBe(6)
  })

  it('lists the oldest change first, counting changes of companion files', async () => {
    await write('c.jsonl', claude('c'), 2)
    await write('a.jsonl', claude('a'), 3)
    await write('b.jsonl', claude('b'), 1)
    await write('b/subagents/agent-1.jsonl', claude('b', true), 4)
    const { logs, found } = await find()
    expect(logs).toEqual(['c.jsonl', 'a.jsonl', 'b.jsonl'])
    expect(found.logs[2]).toMatchObject({
      changed: Date.UTC(2026, 0, 1, 4),
      bytes: claude('b').length + claude('b', true).length,
      sessionFiles: [at('b/subagents/agent-1.jsonl')],
    })
  })

  it('treats a subagent file next to its parent as a companion, and alone as a log', async () => {
    await write('p.jsonl', claude('p'))
    await write('p/subagents/agent-1.jsonl', claude('p', true))
    await write('p/subagents/agent-1.meta.json', '{"agentType":"painter"}')
    await write('agent-old.jsonl', claude('p', true))
    await write('agent-orphan.jsonl', claude('gone', true))
    await write('q/subagents/agent-2.jsonl', claude('q', true))
    const { logs, companions } = await find()
    expect(logs.toSorted()).toEqual(['agent-orphan.jsonl', 'p.jsonl', 'q/subagents/agent-2.jsonl'])
    expect(companions).toEqual({
      'agent-old.jsonl': 'read p.jsonl',
      'p/subagents/agent-1.jsonl': 'read p.jsonl',
      'p/subagents/agent-1.meta.json': 'around p.jsonl',
    })
  })

  it("does not treat a log as a subagent's because of its name", async () => {
    await write('p.jsonl', claude('p'))
    await write('agent-run-2026-05-08.jsonl', claude('p'))
    expect((await find()).logs.toSorted()).toEqual(['agent-run-2026-05-08.jsonl', 'p.jsonl'])
  })

  it('finds packed subagents next to a packed parent', async () => {
    await write('p.jsonl.gz', gzipSync(claude('p')))
    await write('p/subagents/agent-1.jsonl.gz', gzipSync(claude('p', true)))
    await write('p/subagents/agent-1.meta.json.gz', gzipSync('{}'))
    const { logs, companions } = await find()
    expect(logs).toEqual(['p.jsonl.gz'])
    expect(companions).toEqual({
      'p/subagents/agent-1.jsonl.gz': 'read p.jsonl.gz',
      'p/subagents/agent-1.meta.json.gz': 'around p.jsonl.gz',
    })
  })

  it('reads two files that belong together once, but looks at all others in the folder', async () => {
    const task = 'tasks/1767600000000'
    await write(`${task}/api_conversation_history.json`, clineHistory)
    await write(`${task}/ui_messages.json`, clineUi)
    await write(`${task}/task_metadata.json`, '{"files_in_context":[]}')
    await write(`${task}/settings.json`, '{"theme":"dark"}')
    await write(`${task}/artifacts/session.jsonl`, claude('inner'))
    const { logs, companions, skipped } = await find()
    expect(logs.toSorted()).toEqual([`${task}/artifacts/session.jsonl`, `${task}/ui_messages.json`])
    expect(companions).toEqual({
      [`${task}/api_conversation_history.json`]: `read ${task}/ui_messages.json`,
      [`${task}/task_metadata.json`]: `read ${task}/ui_messages.json`,
      [`${task}/settings.json`]: `around ${task}/ui_messages.json`,
    })
    expect(skipped).toEqual({})
  })

  it('returns a log once if it is there both plain and packed', async () => {
    await write('a.jsonl', claude('a'))
    await write('a.jsonl.gz', gzipSync(claude('a')))
    await write('b.jsonl', claude('b'))
    await write('b.jsonl.gz', gzipSync(claude('another')))
    const { logs, companions } = await find()
    expect(logs.toSorted()).toEqual(['a.jsonl', 'b.jsonl', 'b.jsonl.gz'])
    expect(companions).toEqual({ 'a.jsonl.gz': 'packed-copy a.jsonl' })
  })

  it('gives the reason why each other file is not a log', async () => {
    await write('empty.jsonl', '')
    await write('blank.jsonl', '\n \n')
    await write('picture.jsonl', Buffer.from(Array.from({ length: 999 }, (_, index) => (index * 7) % 256)))
    await write('logs.zip', Buffer.from('PK\u0003\u0004rest'))
    await write('data.json', '{"rows":[1,2]}')
    await write('readme.md', '# Shed\n')
    await write('broken.jsonl.gz', Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0]), Buffer.alloc(40, 255)]))
    await symlink(at('nowhere'), at('lost'))
    await symlink(at('readme.md'), at('again.md'))
    execFileSync('mkfifo', [at('pipe')])
    const { logs, skipped, files } = await find()
    expect(logs).toEqual([])
    expect(skipped).toEqual({
      'empty.jsonl': 'empty',
      'blank.jsonl': 'empty',
      'picture.jsonl': 'binary',
      'logs.zip': 'archive',
      'data.json': 'unknown-format',
      'readme.md': 'unknown-format',
      'broken.jsonl.gz': 'unreadable',
      lost: 'dangling-link',
      'again.md': 'same-file',
      pipe: 'not-a-file',
    })
    expect(files).toBe(10)
  })

  it('keeps text left by a crash or in another encoding', async () => {
    await write(
      'nul.jsonl',
      Buffer.concat([Buffer.from(claude('a')), Buffer.alloc(5000), Buffer.from(claude('a'))]),
    )
    await write('latin.jsonl', Buffer.from(claude('b').replace('shed', 'Wäschekorb'), 'latin1'))
    await write('utf16.jsonl', Buffer.from(`\ufeff${claude('c')}`, 'utf16le'))
    expect((await find()).logs.toSorted()).toEqual(['latin.jsonl', 'nul.jsonl', 'utf16.jsonl'])
  })

  it('follows linked folders once and does not run in circles', async () => {
    await write('real/a.jsonl', claude('a'))
    const outside = await mkdtemp(join(tmpdir(), 'tenfold-outside-'))
    await writeFile(join(outside, 'b.jsonl'), claude('b'))
    await symlink(outside, join(outside, 'loop'))
    await symlink(outside, at('a-link'))
    await symlink(at('real'), at('b-link'))
    await symlink(folder, at('real/up'))
    await symlink('/', at('root'))
    const { logs, folders } = await find()
    await rm(outside, { recursive: true })
    expect(logs.toSorted()).toEqual(['a-link/b.jsonl', 'real/a.jsonl'])
    expect(folders).toEqual({
      'a-link/loop': 'linked',
      'b-link': 'linked',
      'real/up': 'linked',
      root: 'linked',
    })
  })

  it('skips .git, node_modules and folders excluded on request, and reports it', async () => {
    for (const name of ['.git', 'node_modules/x', 'store', 'deep/er/est'])
      await write(`${name}/a.jsonl`, claude(name))
    await write('a.jsonl', claude('a'))
    const { logs, folders } = await find({ except: [at('store')], depth: 2 })
    expect(logs).toEqual(['a.jsonl'])
    expect(folders).toEqual({
      '.git': 'excluded',
      node_modules: 'excluded',
      store: 'excluded',
      'deep/er': 'too-deep',
    })
  })

  it('reports a damaged file if its place is that of a log', async () => {
    await write('tasks/1767600000000/ui_messages.json', clineUi.slice(0, 40))
    await write('elsewhere/half.json', clineUi.slice(0, 40))
    const { found, skipped } = await find()
    expect(found.logs).toMatchObject([{ format: 'cline', damaged: true }])
    expect(skipped).toEqual({ 'elsewhere/half.json': 'unknown-format' })
  })

  it('does not accept a file by its name if the content is of something else', async () => {
    await write('water.traj', 'ITEM: TIMESTEP\n0\n')
    await write('de.messages.json', '{"hello":"Hallo"}')
    await write('events/1.json', '{"lat":1}')
    const { logs, skipped } = await find()
    expect(logs).toEqual([])
    expect(Object.values(skipped)).toEqual(['unknown-format', 'unknown-format', 'unknown-format'])
  })

  it('names each session of a file that holds several, but returns a database as a whole', async () => {
    const line = (id: string, content: string): string =>
      JSON.stringify({ id, messages: [{ role: 'user', content }] })
    await write('talks.jsonl', `${line('one', 'Hello.')}\n${line('two', 'Goodbye.')}\n`)
    const { Database } = await initSqlJs()
    const database = new Database()
    database.run(
      'CREATE TABLE session (id, project_id, directory, title); CREATE TABLE message (id, session_id, data)',
    )
    database.run('CREATE TABLE part (id, message_id, data)')
    await write('opencode.db', database.export())
    database.close()
    await write('opencode.db-shm', 'x')
    const { logs, skipped } = await find()
    expect(logs.map((log) => log.split('#')[0])).toEqual(['talks.jsonl', 'talks.jsonl'])
    expect(new Set(logs).size).toBe(2)
    expect(skipped).toMatchObject({ 'opencode.db': 'no-sessions' })
  })

  it('keeps the write-ahead log of a database with it', async () => {
    const { Database } = await initSqlJs()
    const database = new Database()
    database.run('CREATE TABLE session (id, project_id, directory, title, time_created)')
    database.run(
      'CREATE TABLE message (id, session_id, data); CREATE TABLE part (id, message_id, session_id, data)',
    )
    database.run("INSERT INTO session VALUES ('ses_1', 'p', '/srv', 'Shed', 1767600000000)")
    await write('opencode.db', database.export())
    database.close()
    await write('opencode.db-shm', Buffer.alloc(64))
    const { formats, companions } = await find()
    expect(formats).toEqual({ 'opencode.db': 'opencode' })
    expect(companions).toEqual({ 'opencode.db-shm': 'around opencode.db' })
  })

  it('reads only the beginning of large files that are not JSON', async () => {
    await write('a.bin', Buffer.from([1, 2, 3, 0, 255]))
    await write('a.txt', 'words\n'.repeat(20))
    for (const name of ['a.bin', 'a.txt']) execFileSync('truncate', ['-s', '3G', at(name)])
    const before = process.memoryUsage().rss
    const { skipped } = await find()
    expect(Object.keys(skipped)).toEqual(['a.bin', 'a.txt'])
    expect(process.memoryUsage().rss - before).toBeLessThan(500_000_000)
  })

  it('accepts a single file, and reads only the given paths', async () => {
    await write('a.jsonl', claude('a'))
    await write('b.log', claude('b'))
    expect(await findLogs(at('b.log'))).toMatchObject({ files: 1, logs: [{ log: at('b.log') }] })
    const { logs, files } = await find({ only: (path) => path.endsWith('.jsonl') })
    expect({ logs, files }).toEqual({ logs: ['a.jsonl'], files: 1 })
    await expect(findLogs(at('missing'))).rejects.toMatchObject({ code: 'log-missing' })
  })

  it('reports its progress and ends on abort', async () => {
    await write('a.jsonl', claude('a'))
    await write('b.jsonl', claude('b'))
    const seen: string[] = []
    await find({ onProgress: (path, done, total) => seen.push(`${relative(folder, path)} ${done}/${total}`) })
    expect(seen).toEqual(['a.jsonl 0/2', 'b.jsonl 1/2'])
    const stop = new AbortController()
    const reason = new Error('enough')
    await expect(find({ signal: stop.signal, onProgress: () => stop.abort(reason) })).rejects.toBe(reason)
    await expect(find({ signal: stop.signal })).rejects.toBe(reason)
  })

  it("also uses the caller's readers", async () => {
    const diary: Reader = {
      name: 'diary',
      framing: 'text',
      detect: ({ text }) => (text.startsWith('Dear diary') ? 1 : 0),
      companions: (path) => [join(dirname(path), 'key.txt')],
      async read() {},
    }
    await write('today.txt', 'Dear diary,\n')
    await write('key.txt', 'secret')
    const { formats, companions } = await find({ readers: [diary] })
    expect(formats).toEqual({ 'today.txt': 'diary' })
    expect(companions).toEqual({ 'key.txt': 'around today.txt' })
  })
})
