import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/support/test-folder.ts'
import { s3StandIn, serveStandIn, standInKeys } from '../../storage-s3/test/stand-in-s3/index.ts'
import { writeClaudeLog } from './support/claude-log.ts'
import { type Ran, run } from './support/run.ts'

const made = testFolder('all')
const at = testFolder('each')
const tenfold = (...args: string[]): Promise<Ran> => run(args, { cwd: at() })

/** The visible files of a store by path, without the words of archived logs, which a search makes again. */
function filesOf(store: string): Map<string, string> {
  const paths = readdirSync(at(store), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^\.|\.words$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
  return new Map(paths.sort().map((path) => [path.slice(at(store).length), readFileSync(path, 'latin1')]))
}

beforeAll(async () => {
  for (const [hours, [session, ...args]] of [
    ['first'],
    ['second', '--track', 'review'],
    ['third', '--task', 'T-1'],
  ].entries()) {
    writeClaudeLog(made(`${session}.jsonl`), { session: session ?? '', rounds: 8, hours })
    const ran = await run(['compress', '--quiet', '--store', 'old', `${session}.jsonl`, ...args], {
      cwd: made(),
    })
    expect(ran).toMatchObject({ code: 0, stderr: '' })
  }
})
beforeEach(() => cpSync(made(), at(), { recursive: true }))

describe('copy', () => {
  it('copies a store byte for byte', async () => {
    const ran = await tenfold('copy', '--from', 'old', '--to', 'new')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toMatch(
      /^Copied 18 objects \([\d.]+ kB\); 2 tracks\.\nCheck it: tenfold verify --store new\n$/,
    )
    expect(filesOf('new')).toEqual(filesOf('old'))
    expect((await tenfold('verify', '--store', 'new')).stdout).toMatch(
      /^3 bundles on 2 tracks.*no faults\.\n$/,
    )
    const again = await tenfold('copy', '--from', 'old', '--to', 'new')
    expect(again.stdout).toMatch(/^Copied 0 objects \(0 B\), 18 already there/)
  })

  it('copies one track only, or leaves out archives', async () => {
    await tenfold('copy', '--from', 'old', '--to', 'review', '--track', 'review')
    expect((await tenfold('verify', '--store', 'review')).stdout).toBe(
      '1 bundle on 1 track, 1 archived log, decompressed: no faults.\n',
    )
    await tenfold('copy', '--from', 'old', '--to', 'light', '--no-archives')
    expect(existsSync(at('light/archive'))).toBe(false)
    expect(existsSync(at('light/tracks/main/LATEST.json'))).toBe(true)
  })

  it('reports conflicts and overwrites nothing', async () => {
    await tenfold('compress', '--quiet', '--store', 'new', 'first.jsonl')
    const { id } = JSON.parse((await tenfold('list', '--store', 'old', '--json', '--limit', '1')).stdout)[0]
    writeFileSync(at(`new/bundles/${id}.md`), '# mine\n')
    const before = filesOf('new')
    const ran = await tenfold('copy', '--from', 'old', '--to', 'new')
    expect(ran.code).toBe(1)
    expect(ran.stderr).toMatch(/^conflict: bundles\/\S+\.md differs in the target; it was not overwritten/)
    for (const [path, text] of before)
      if (!path.includes('LATEST')) expect(filesOf('new').get(path), path).toBe(text)
    expect((await tenfold('verify', '--store', 'new')).stdout).toMatch(/^4 bundles .* 1 fault\.$/m)
  })

  it('reports an empty source and wrong usage', async () => {
    const empty = await tenfold('copy', '--from', 'nowhere', '--to', 'new')
    expect(empty).toMatchObject({ code: 1, stderr: 'error: there is nothing to copy in nowhere\n' })
    expect((await tenfold('copy', '--from', 'old')).code).toBe(2)
    const same = await tenfold('copy', '--from', 'old', '--to', './old/')
    expect(same.code).toBe(2)
    expect(same.stderr).toMatch(/expected two different stores for --from and --to, got the same one/)
    const wrong = await tenfold('copy', '--from', 'old', '--to', 's3://bucket?colour=red')
    expect(wrong.code).toBe(1)
    expect(wrong.stderr).toMatch(/the URL sets "colour"/)
  })
})

describe('a store in S3', () => {
  it('accepts a copy, runs every command, and can be copied back', async () => {
    const server = await serveStandIn(s3StandIn())
    try {
      const store = `s3://bucket/a/b?endpoint=${encodeURIComponent(server.endpoint)}&path-style=1`
      const env = {
        AWS_ACCESS_KEY_ID: standInKeys.accessKeyId,
        AWS_SECRET_ACCESS_KEY: standInKeys.secretAccessKey,
      }
      const inS3 = (...args: string[]): Promise<Ran> =>
        run(args, { cwd: at(), env: { ...env, TENFOLD_STORE: store } })
      expect(await inS3('copy', '--from', 'old', '--to', store)).toMatchObject({ code: 0, stderr: '' })
      expect((await inS3('verify')).stdout).toMatch(
        /^3 bundles on 2 tracks, 3 archived logs, decompressed: no faults/,
      )
      writeClaudeLog(at('fourth.jsonl'), { session: 'fourth', rounds: 8, hours: 3 })
      const compressed = await inS3('compress', 'fourth.jsonl')
      expect(compressed).toMatchObject({ code: 0, stderr: '' })
      expect(compressed.stdout).toMatch(/ s3:\/\/bucket\/a\/b\/bundles\/\d{8}T\d{9}Z-\d{9}\.md\b/)
      expect((await inS3('resume')).stdout).toContain('session')
      expect((await inS3('show', 'LATEST', '--json')).stdout).toContain('"sessionId": "fourth"')
      expect((await inS3('prune', '--keep-last', '1')).stdout).toContain('Moved 2 bundles')
      expect(JSON.parse((await inS3('list', '--json')).stdout)).toHaveLength(2)
      expect(await inS3('copy', '--from', store, '--to', 'back')).toMatchObject({ code: 0, stderr: '' })
      expect((await tenfold('verify', '--store', 'back')).stdout).toBe(
        '2 bundles on 2 tracks, 2 pruned, 2 archived logs, decompressed: no faults.\n',
      )
    } finally {
      await server.close()
    }
  })
})

describe('a store without its archives, as Git clones it', () => {
  it('gets the archive of a log back when the log is compressed again, and no second bundle', async () => {
    rmSync(at('old/archive'), { recursive: true })
    const before = filesOf('old')
    const missing = await tenfold('recall', 'Part 3', '--store', 'old', '--bundle', 'first')
    expect(`${missing.stdout}${missing.stderr}`).toContain('Compress the log again, which only archives it')
    expect((await tenfold('compress', '--store', 'old', '--dry-run', 'first.jsonl')).code).toBe(0)
    expect(filesOf('old')).toEqual(before)
    expect((await tenfold('compress', '--store', 'old', 'first.jsonl')).stdout).toContain(
      'already compressed',
    )
    const added = [...filesOf('old').keys()].filter((path) => !before.has(path))
    expect(added.length).toBeGreaterThan(0)
    expect(added.every((path) => path.startsWith('/archive/'))).toBe(true)
    expect((await tenfold('verify', '--store', 'old')).stdout).toMatch(
      /1 archived log, decompressed, 2 archived logs not in this store: no faults\.\n$/,
    )
  })
})
