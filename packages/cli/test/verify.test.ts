import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/support/test-folder.ts'
import { writeClaudeLog } from './support/claude-log.ts'
import { type Ran, run } from './support/run.ts'

const made = testFolder('all')
const folder = testFolder('each')
const at = (...parts: string[]): string => folder('.agents/bundles', ...parts)
const tenfold = (...args: string[]): Promise<Ran> => run(args, { cwd: folder() })
const filesIn = (path: string): string[] => readdirSync(at(path)).sort()

beforeAll(async () => {
  for (const session of ['first', 'second']) {
    writeClaudeLog(made(`${session}.jsonl`), { session })
    expect(await run(['compress', '--quiet', `${session}.jsonl`], { cwd: made() })).toMatchObject({
      code: 0,
      stderr: '',
    })
  }
})
beforeEach(() => cpSync(made(), folder(), { recursive: true }))

describe('verify', () => {
  it('finds no fault in a healthy store', async () => {
    expect(await tenfold('verify')).toEqual({
      code: 0,
      signal: null,
      stdout: '2 bundles on 1 track, 2 archived logs, decompressed: no faults.\n',
      stderr: '',
    })
    expect((await tenfold('verify', '--no-archives')).stdout).toBe(
      '2 bundles on 1 track, 2 archived logs: no faults.\n',
    )
  })

  it('fails if there is no store, and gives programs the code', async () => {
    const ran = await tenfold('verify', '--store', 'mistyped', '--json')
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no store in mistyped') })
    expect(JSON.parse(ran.stdout)).toMatchObject({ error: { code: 'no-store' } })
  })

  it('reports entries by which a log counts as done, if they are damaged or were altered', async () => {
    const entries = filesIn('done').map((digest) =>
      at('done', digest, filesIn(join('done', digest))[0] ?? ''),
    )
    const [first = '', second = ''] = entries
    writeFileSync(first, 'cut')
    writeFileSync(second, readFileSync(second, 'utf8').replace(/"bundleTokens": \d+/, '"bundleTokens": 1'))
    const ran = await tenfold('verify')
    expect(ran.code).toBe(1)
    expect(ran.stdout).toMatch(/^fault: done\/\S+ is damaged: it is not JSON.* delete it\.$/ms)
    expect(ran.stdout).toMatch(/^warning: done\/\S+ differs from bundles\/\S+$/m)
    expect(ran.stdout).toMatch(/: 1 fault, 1 warning\.$/m)
  })

  it('reports faults and warnings, and exits with 1 for faults only', async () => {
    const [first = '', , second = ''] = filesIn('bundles')
    rmSync(at('bundles', first.replace('.json', '.md')))
    const warned = await tenfold('verify')
    expect(warned).toMatchObject({ code: 0, stderr: '' })
    expect(warned.stdout).toMatch(
      /^warning: bundles\/\S+\.md is missing\n.*no faults, 1 warning\.\nTo repair .*\n$/,
    )
    writeFileSync(at('bundles', second), '{"schemaVersion": 1')
    const ran = await tenfold('verify')
    expect(ran.code).toBe(1)
    expect(ran.stdout).toMatch(/^fault: bundles\/\S+ is damaged: it is not JSON/m)
    // LATEST is a copy of the damaged bundle.
    expect(ran.stdout).toMatch(/: 1 fault, 3 warnings\.$/m)
    const json = await tenfold('verify', '--json')
    expect(json.code).toBe(1)
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, checked: { bundles: 2, archives: 2 } })
  })

  it('repairs LATEST and Markdown', async () => {
    const [first = ''] = filesIn('bundles')
    rmSync(at('bundles', first.replace('.json', '.md')))
    writeFileSync(at('tracks/main/LATEST.json'), '{')
    const broken = await tenfold('verify')
    expect(broken.code).toBe(0)
    expect(broken.stdout).toContain('To repair LATEST and what is missing: tenfold verify --repair')
    const repaired = await tenfold('verify', '--repair')
    expect(repaired.code).toBe(0)
    expect(repaired.stdout).toMatch(/^repaired: /m)
    expect(repaired.stdout).toMatch(/: no faults, 2 repaired\.$/m)
    expect((await tenfold('verify')).stdout).toMatch(/: no faults\.\n$/)
  })
})
