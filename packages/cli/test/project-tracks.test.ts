import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/support/test-folder.ts'
import { projectsOf } from '../src/compress/project-tracks.ts'
import { claudeLog } from './support/claude-log.ts'
import { run } from './support/run.ts'

const at = testFolder('each')
describe('the project of a session', () => {
  it('is the repository of its folder, also from a work tree', () => {
    mkdirSync(at('shop/.git/worktrees/fix'), { recursive: true })
    mkdirSync(at('shop/packages/a'), { recursive: true })
    mkdirSync(at('fix'))
    writeFileSync(at('fix/.git'), `gitdir: ${at('shop')}/.git/worktrees/fix\n`)
    const projects = projectsOf([at('shop/packages/a'), at('fix'), at('other')])
    expect([...projects.values()]).toEqual([at('shop'), at('shop'), at('other')])
  })

  it('is the outermost folder of another session where nothing is left of it, but not a home folder', () => {
    const folders = [
      '/srv/w/shop/web',
      '/srv/w/shop',
      '/home/ann',
      '/home/ann/blog',
      '/testbed',
      '/testbed/sub',
    ]
    expect([...projectsOf(folders).values()]).toEqual([
      ...['/srv/w/shop', '/srv/w/shop', '/home/ann', '/home/ann/blog', '/testbed', '/testbed/sub'],
    ])
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

  it('puts sessions of several projects on a track each, and compresses none again', async () => {
    mkdirSync(at('logs'))
    log('a', '/srv/w/shop')
    const compress = async (...args: string[]) => await run(['compress', 'logs', ...args], { cwd: at() })
    expect((await compress()).code).toBe(0)
    expect(await tracks()).toEqual(['a main'])
    log('b', '/srv/w/main')
    log('c', '/srv/w/shop/web')
    log('d', '/srv/v/blog')
    expect((await compress()).code).toBe(0)
    expect(await tracks()).toEqual(['a main', 'b w-main', 'c shop', 'd blog'])
    expect((await compress()).stdout).toContain('4 ')
    expect(await tracks()).toHaveLength(4)
    expect((await compress('--track', 'all')).code).toBe(0)
    expect(await tracks()).toContain('b all')
    const { stderr } = await run(['list', '--track', 'nope'], { cwd: at() })
    expect(stderr).toContain('It has the tracks all, blog, main, shop, w-main.')
    expect(readFileSync(at('.agents/bundles/tracks/blog/LATEST.md'), 'utf8')).toContain('session: d')
  })
})
