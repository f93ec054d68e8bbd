import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/support/test-folder.ts'
import { projectOf, trackOf } from '../src/sources/peek-log.ts'
import { claudeLog } from './support/claude-log.ts'
import { run } from './support/run.ts'

const at = testFolder('each')
describe('the project of a session', () => {
  it('is the repository of its folder, also from a work tree', () => {
    mkdirSync(at('shop/.git/worktrees/fix'), { recursive: true })
    mkdirSync(at('shop/packages/a'), { recursive: true })
    mkdirSync(at('fix'))
    writeFileSync(at('fix/.git'), `gitdir: ${at('shop')}/.git/worktrees/fix\n`)
    const projects = [at('shop/packages/a'), at('fix'), at('other')].map(projectOf)
    expect(projects).toEqual([at('shop'), at('shop'), at('other')])
  })

  it('is never that of the working directory', () => {
    expect(projectOf('C:\\work\\shop')).toBe('C:\\work\\shop')
    expect(projectOf('work/shop')).toBe('work/shop')
  })

  it.each([
    ['/srv/w/shop', 'w-shop'],
    ['C:\\Users\\ann\\shop', 'ann-shop'],
    ['/main', 'project-main'],
    ['/', 'project'],
  ])('names its track: %s', (project, track) => {
    expect(trackOf(project)).toBe(track)
  })

  it('names its track by more than the letters that a track can have', () => {
    const [one, other] = ['/srv/商店', '/srv/书店'].map(trackOf)
    expect(one).toMatch(/^srv-[0-9a-f]{6}$/)
    expect(other).not.toBe(one)
    expect(trackOf('/商店/书店')).toMatch(/^project-/)
  })
})

describe('compress FOLDER', () => {
  const log = (session: string, cwd: string): void =>
    writeFileSync(
      at('logs', `${session}.jsonl`),
      claudeLog({ session, rounds: 2, words: 20 }).replaceAll('/home/dev/shop', cwd),
    )
  const tracks = async (): Promise<string[]> => {
    const { stdout } = await run(['list', '--json'], { cwd: at() })
    const entries = JSON.parse(stdout) as { track: string; sessionId: string }[]
    return entries.map(({ track, sessionId }) => `${sessionId} ${track}`).sort()
  }

  it('puts each session on the track of its project, whatever else is in the folder, and compresses none again', async () => {
    mkdirSync(at('logs'))
    log('a', '/srv/w/shop')
    const compress = async (...args: string[]) => await run(['compress', 'logs', ...args], { cwd: at() })
    expect((await compress()).code).toBe(0)
    expect(await tracks()).toEqual(['a w-shop'])
    log('b', '/srv/w/main')
    log('c', '/srv/w/shop/web')
    log('d', '/srv/v/blog')
    expect((await compress()).code).toBe(0)
    expect(await tracks()).toEqual(['a w-shop', 'b w-main', 'c shop-web', 'd v-blog'])
    expect((await compress()).stdout).toContain('4 ')
    expect(await tracks()).toHaveLength(4)
    log('e', '/srv/x/blog')
    expect((await compress()).stdout).toContain('4 ')
    expect(await tracks()).toEqual(['a w-shop', 'b w-main', 'c shop-web', 'd v-blog', 'e x-blog'])
    expect((await compress('--track', 'all')).code).toBe(0)
    expect(await tracks()).toContain('b all')
    const { stderr } = await run(['list', '--track', 'nope'], { cwd: at() })
    expect(stderr).toContain('Its tracks are all, shop-web, v-blog, w-main, w-shop, x-blog.')
    expect(readFileSync(at('.agents/bundles/tracks/v-blog/LATEST.md'), 'utf8')).toContain('session: d')
  })

  it('is shown and resumed without a track: the only one, or the newest session of this folder', async () => {
    for (const name of ['logs', 'office', 'journal']) mkdirSync(at(name), { recursive: true })
    const store = ['--store', at('.agents/bundles')]
    log('e', at('office'))
    expect((await run(['compress', 'logs', '--track', 'one'], { cwd: at() })).code).toBe(0)
    expect((await run(['show', ...store], { cwd: at('journal') })).stdout).toContain('session: e')
    log('f', at('journal'))
    expect((await run(['compress', 'logs'], { cwd: at() })).code).toBe(0)
    expect((await run(['show', ...store], { cwd: at('office') })).stdout).toContain('session: e')
    const resumed = await run(['resume', '--json', ...store], { cwd: at('journal') })
    expect(JSON.parse(resumed.stdout)).toMatchObject({ track: expect.stringMatching(/journal$/) })
    mkdirSync(at('else'))
    const other = await run(['resume', ...store], { cwd: at('else') })
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('choose one (--track)') })
    // In the folder of the store all of it is of the same project.
    expect((await run(['show', ...store], { cwd: at('else') })).stdout).toMatch(/session: [ef]/)
    expect((await run(['resume', '--json'], { cwd: at() })).code).toBe(0)
  })
})
