import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/support/test-folder.ts'
import { claudeLog } from './support/claude-log.ts'
import { linesOf, type Ran, run } from './support/run.ts'

const at = testFolder('each')
const tenfold = (...args: string[]): Promise<Ran> => run(args, { cwd: at() })

function write(path: string, content: string | Uint8Array, hour: number): void {
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), content)
  const time = new Date(Date.UTC(2026, 0, 1, hour))
  utimesSync(at(path), time, time)
}

describe('compress FOLDER', () => {
  it('compresses every log in it, oldest change first, and accounts for every other file', async () => {
    write('logs/new.jsonl', claudeLog({ session: 'new' }), 6)
    write('logs/deep/old.log', claudeLog({ session: 'old' }), 1)
    write('logs/deep/middle.jsonl.gz', gzipSync(claudeLog({ session: 'middle' })), 2)
    write('logs/deep/alone/subagents/agent-1.jsonl', claudeLog({ session: 'orphan' }), 3)
    write('logs/new/subagents/agent-2.jsonl', claudeLog({ session: 'new' }), 4)
    write(
      'logs/agent-3.jsonl',
      claudeLog({ session: 'new' }).replaceAll('"isSidechain":false', '"isSidechain":true'),
      5,
    )
    write('logs/package.json', '{"name":"no-log"}', 1)
    write('logs/empty.jsonl', '', 1)
    write('logs/node_modules/x.jsonl', claudeLog(), 1)
    const ran = await tenfold('compress', '--json', '--store', 'logs/store', 'logs')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const lines = linesOf(ran)
    expect(lines.slice(0, -1).map((line) => line.sessionId)).toEqual(['old', 'middle', 'orphan', 'new'])
    expect(lines.at(-1)).toEqual({
      found: {
        files: 8,
        logs: 4,
        sessions: 4,
        companions: [
          { path: 'logs/agent-3.jsonl', log: 'logs/new.jsonl', kind: 'read' },
          { path: 'logs/new/subagents/agent-2.jsonl', log: 'logs/new.jsonl', kind: 'read' },
        ],
        skipped: [
          { path: 'logs/empty.jsonl', code: 'empty', message: 'is empty' },
          { path: 'logs/package.json', code: 'unknown-format', message: 'is of no known format' },
        ],
        skippedFolders: [
          {
            path: 'logs/node_modules',
            code: 'excluded',
            message: 'folders named node_modules are not looked into',
          },
        ],
      },
    })
    const again = linesOf(await tenfold('compress', '--json', '--store', 'logs/store', 'logs'))
    expect(again).toHaveLength(5)
    expect(again.at(-1)).toMatchObject({ found: { skippedFolders: [{}, { path: 'logs/store' }] } })
  })

  it('counts the files on the last line, and names each with --verbose', async () => {
    write('logs/a.jsonl', claudeLog(), 1)
    write('logs/a/subagents/agent-1.jsonl', claudeLog(), 1)
    write('logs/notes.txt', 'no log', 1)
    write('logs/.git/config', '', 1)
    const ran = await tenfold('compress', '--dry-run', 'logs')
    const count = '3 files: 1 log, 1 side file, 1 skipped; 1 folder not searched'
    expect(ran.stdout.trimEnd().split('\n').at(-1)).toBe(count)
    expect(ran.stdout).not.toContain('notes.txt')
    const verbose = await tenfold('compress', '--dry-run', '--verbose', 'logs')
    expect(verbose.stdout.trimEnd().split('\n').slice(-4)).toEqual([
      'logs/a/subagents/agent-1.jsonl is read with logs/a.jsonl',
      'logs/notes.txt is of no known format',
      'logs/.git was not searched: folders named .git are not looked into',
      count,
    ])
    expect(await tenfold('compress', '--dry-run', '--quiet', 'logs')).toMatchObject({ code: 0, stdout: '' })
    expect((await tenfold('compress', '--quiet', '--verbose', 'logs')).code).toBe(2)
  })

  it('counts the sessions of a file that holds several', async () => {
    const talk = (id: string): string =>
      JSON.stringify({ id, messages: [{ role: 'user', content: `Hello, ${id}.` }] })
    write('logs/talks.jsonl', `${talk('one')}\n${talk('two')}\n`, 1)
    const ran = await tenfold('compress', '--dry-run', 'logs')
    expect(ran.stdout).toMatch(/\n1 file: 1 log \(2 sessions\)\n$/)
  })

  it('fails for anything it cannot read and for a damaged log, and continues with the rest', async () => {
    write('logs/a.jsonl', claudeLog(), 1)
    write('logs/broken.jsonl.gz', Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0]), Buffer.alloc(40, 255)]), 1)
    write('logs/tasks/1767600000000/ui_messages.json', '[{"ts":1,"type":"say"', 1)
    const ran = await tenfold('compress', '--dry-run', 'logs')
    expect(ran.code).toBe(1)
    expect(ran.stderr).toMatch(
      /^error: logs\/broken\.jsonl\.gz cannot be read: .+ Make it readable or move it away\.$/m,
    )
    expect(ran.stderr).toMatch(
      /^error: logs\/tasks\/.+ is where cline keeps its logs, .+ Restore it or move it away\.$/m,
    )
    expect(ran.stdout).toMatch(/\n1 done, 2 failed/)
    expect(ran.stdout).toMatch(/\n3 files: 2 logs, 1 unreadable\n$/)
  })

  it('fails if it contains no log', async () => {
    write('none/readme.md', '# Nothing', 1)
    const ran = await tenfold('compress', '--json', 'none')
    expect(ran.code).toBe(1)
    expect(linesOf(ran)).toMatchObject([
      { log: 'none', error: { code: 'log-missing', message: expect.stringContaining('none') } },
      { found: { files: 1, skipped: [{ path: 'none/readme.md', code: 'unknown-format' }] } },
    ])
  })
})

describe('output to a pipe', () => {
  it('is not cut', async () => {
    const end = 'the end of a long note'
    const name = `${'long-name-'.repeat(12)}.jsonl`
    writeFileSync(at(name), `${claudeLog()}{broken ${'x'.repeat(40)} ${end}\n`)
    expect((await tenfold('compress', '--dry-run', name)).stdout).toContain(`${end}`)
    expect((await tenfold('inspect', name)).stdout).toMatch(new RegExp(`${end} \\(${name}:\\d+\\)\\n`))
  })
})

describe('list', () => {
  it('refuses a file as a store', async () => {
    write('notes.txt', 'no store', 1)
    expect(await tenfold('list', '--store', 'notes.txt')).toMatchObject({
      code: 1,
      stderr: 'error: notes.txt is a file, but a store is a folder.\n',
    })
    expect(await tenfold('list', '--store', 'nowhere')).toMatchObject({ code: 1 })
  })

  it('refuses a mistyped URL as a store', async () => {
    for (const store of ['s3:/bucket', 'gs://bucket', 'file:/tmp/x']) {
      const refused = { code: 2, stderr: expect.stringContaining('expected a folder or an s3:// URL') }
      expect(await tenfold('list', '--store', store)).toMatchObject(refused)
      expect(await run(['list'], { cwd: at(), env: { TENFOLD_STORE: store } })).toMatchObject(refused)
    }
  })
})
