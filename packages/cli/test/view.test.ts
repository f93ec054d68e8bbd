import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/support/test-folder.ts'
import { claudeLog, writeClaudeLog } from './support/claude-log.ts'
import { type Ran, run, runAlone, start } from './support/run.ts'

const at = testFolder('all')
const tenfold = (...args: string[]): Promise<Ran> => run(args, { cwd: at() })
// Made of parts, so that no scanner takes it for a secret of this repository.
const secret = `ghp_${'Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4fGh7j'}`

interface Data {
  readonly session: { readonly id: string; readonly replayedFrom?: string }
  readonly events: readonly { readonly id: string; readonly replayed?: true; readonly tokens: number }[]
  readonly bundle?: { readonly id: string; readonly from: string; readonly events: number }
}

function dataOf(html: string): Data {
  const [, json = ''] = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html) ?? []
  return JSON.parse(json)
}

async function view(...args: string[]): Promise<Data> {
  const ran = await tenfold('view', ...args, '-o', '-')
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  return dataOf(ran.stdout)
}

beforeAll(async () => {
  writeClaudeLog(at('first.jsonl'), { session: 'first', rounds: 12, title: `First ${secret}` })
  writeClaudeLog(at('second.jsonl'), { session: 'second', rounds: 5 })
  expect(await tenfold('compress', '--quiet', 'first.jsonl')).toMatchObject({ code: 0, stderr: '' })
})

describe('view', () => {
  it('answers an unknown address, and continues', async () => {
    const running = start(['view', 'first.jsonl', '--serve'], { cwd: at() })
    try {
      await running.saw('(press Ctrl-C to stop)')
      const port = Number(/127\.0\.0\.1:(\d+)/.exec(running.output())?.[1])
      const get = (path: string): Promise<number | undefined> =>
        new Promise((done, fail) => {
          request({ host: '127.0.0.1', port, path }, (response) => {
            response.resume()
            done(response.statusCode)
          })
            .on('error', fail)
            .end()
        })
      for (const path of ['//[', '///', '//a:b', '/%zz', '*'])
        expect([path, await get(path)]).toEqual([path, expect.any(Number)])
      expect(await get('//[')).toBe(400)
      expect(await get('/')).toBe(200)
    } finally {
      running.child.kill('SIGINT')
    }
    expect((await running.ended).stderr).not.toMatch(/\n\s+at /)
  })

  it('writes one self-contained file', async () => {
    const ran = await tenfold('view', 'second.jsonl')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toMatch(/^second\.html {2}\d+ events, [\d.]+ kB\n$/)
    const html = readFileSync(at('second.html'), 'utf8')
    const [, policy = ''] = /Content-Security-Policy" content="([^"]+)"/.exec(html) ?? []
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'/)
    expect(policy).not.toMatch(/unsafe|connect-src|http/)
    expect(html).not.toMatch(/(?:src|href)="(?!data:)/)
    expect(html).not.toMatch(/@import|url\(|import\(/)
    expect(html.match(/<script/g)).toHaveLength(2)
  })

  it('overwrites only its own pages, unless a file is named', async () => {
    writeFileSync(at('own.html'), '<p>mine</p>')
    writeClaudeLog(at('own.jsonl'), { rounds: 1 })
    const ran = await tenfold('view', 'own.jsonl')
    expect(ran.code).toBe(1)
    expect(ran.stderr).toContain('own.html exists and is not a page of tenfold; choose another name with -o')
    expect(readFileSync(at('own.html'), 'utf8')).toBe('<p>mine</p>')
    expect((await tenfold('view', 'own.jsonl', '-o', 'own.html')).code).toBe(0)
    expect((await tenfold('view', 'own.jsonl')).code).toBe(0)
  })

  it('shows the bundle of the log from the store, a new one, or none', async () => {
    const stored = await view('first.jsonl')
    expect(stored.bundle).toMatchObject({ from: 'store', events: stored.events.length })
    expect((await view('second.jsonl')).bundle).toMatchObject({ from: 'made' })
    expect((await view('first.jsonl', '--no-bundle')).bundle).toBeUndefined()
    const before = readFileSync(at('.agents/bundles/tracks/main/LATEST.json'), 'utf8')
    expect(JSON.parse(before).id).toBe(stored.bundle?.id)
  })

  it('finds the log of a bundle in the archive, by LATEST, id and file', async () => {
    const log = await view('first.jsonl')
    const id = log.bundle?.id ?? ''
    for (const name of ['LATEST', id, id.slice(0, 18), id.slice(0, 4), `.agents/bundles/bundles/${id}.md`]) {
      const { events, bundle } = await view(name)
      expect(events.map((event) => event.id)).toEqual(log.events.map((event) => event.id))
      expect(bundle?.id).toBe(id)
    }
    expect((await tenfold('view', 'LATEST')).stdout).toContain(`${id}.html`)
    const other = await view('second.jsonl', '--bundle', `.agents/bundles/bundles/${id}.json`)
    expect(other.bundle).toMatchObject({ id, from: 'file' })
  })

  it('says what to do if the log of a bundle is missing', async () => {
    await tenfold('compress', '--quiet', '--no-archive', '--store', 'bare', 'second.jsonl')
    const ran = await tenfold('view', 'LATEST', '--store', 'bare')
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toContain('without an archive of its log')
    expect(ran.stderr).toContain('tenfold view LOG --bundle')
    rmSync(at('bare'), { recursive: true })
  })

  it('puts an earlier session before this one, as replayed events', async () => {
    const alone = await view('second.jsonl')
    const both = await view('second.jsonl', '--replay', 'first.jsonl')
    const replayed = both.events.filter((event) => event.replayed)
    expect(both.session.replayedFrom).toBe('first')
    expect(both.events.slice(0, replayed.length).every((event) => event.replayed)).toBe(true)
    expect(both.events.slice(replayed.length)).toEqual(alone.events)
    expect(new Set(both.events.map(({ id }) => id)).size).toBe(both.events.length)
  })

  it('writes a page for each session of the store or of a folder, and an index', async () => {
    const stored = await tenfold('view', '--all', '-o', 'site')
    expect(stored).toMatchObject({
      code: 0,
      stderr: '',
      stdout: `${join('site', 'index.html')}  1 session\n`,
    })
    expect(readdirSync(at('site'))).toEqual(['first.html', 'index.html'])
    expect(readFileSync(at('site/index.html'), 'utf8')).not.toContain(secret)
    // A second run overwrites its own pages, and reports what it could not read.
    const again = await tenfold('view', '--all', 'missing.jsonl', '-o', 'site')
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('missing.jsonl') })
    writeFileSync(at('site/index.html'), 'mine')
    const refused = await tenfold('view', '--all', '-o', 'site')
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('is not a page of tenfold') })
    const other = await tenfold('view', '--all', '-o', '.agents')
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('choose another folder') })
  })

  it('shows the last session if none is named', async () => {
    expect((await view()).bundle).toEqual((await view('LATEST')).bundle)
  })

  it('reads stdin, and reports what is missing', async () => {
    const piped = await runAlone(['view', '-', '-o', '-'], {
      cwd: at(),
      stdin: claudeLog({ session: 'piped', rounds: 2 }),
    })
    expect(dataOf(piped.stdout).session.id).toBe('piped')
    for (const [args, code, message] of [
      [['missing.jsonl'], 1, 'There is no log at missing.jsonl'],
      [['20200101T000000000Z-111111111'], 1, 'holds no bundle 20200101T000000000Z-111111111'],
      [['LATEST', '--track', 'other'], 1, 'no bundle on track other'],
      [['--serve', 'first.jsonl'], 2, 'expected a port from 0 to 65535'],
      [['first.jsonl', '--serve', '-o', 'x.html'], 2, 'either --serve or --output'],
      [['--all'], 2, 'expected a folder for the pages with --all'],
      [['--all', '-o', 'x.html', '--serve'], 2, 'expected --serve without --all'],
      [['--all', '-o', 'x.html', '--replay', 'first.jsonl'], 2, 'expected --replay without --all'],
      [['first.jsonl', '-o', 'nowhere/x.html'], 1, 'The page cannot be written'],
    ] as const) {
      const ran = await tenfold('view', ...args)
      expect(ran).toMatchObject({ code, stdout: '' })
      expect(ran.stderr).toContain(message)
      expect(ran.stderr).not.toMatch(/ {4}at |Unexpected/)
    }
    expect(existsSync(at('x.html'))).toBe(false)
  })
})
