import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { writeOpenCodeDatabase } from '../../../test/support/opencode-database.ts'
import { age } from '../../../test/support/test-folder.ts'
import { testHome } from './support/agent-home.ts'
import { claudeLog } from './support/claude-log.ts'

const home = testHome()

/** A session that Claude Code ran in the folder, last written to some hours ago. */
function session(name: string, folder: string, hours: number): string {
  const text = claudeLog({ session: name, title: `Title of ${name}` }).replaceAll('/home/dev/shop', folder)
  return age(home.write(`.claude/projects/-shop/${name}.jsonl`, text), hours)
}

describe('tenfold alone', () => {
  it('says in an empty folder how to start', async () => {
    const ran = await home.tenfold([])
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toContain('none yet in .agents/bundles')
    expect(ran.stdout).toContain('no agent sessions for this folder')
    expect(ran.stdout).toContain('tenfold compress LOG')
    expect(ran.stdout).toContain('tenfold install claude-code')
  })

  it('takes the options of status', async () => {
    expect((await home.tenfold(['--store', 'notes/store'])).stdout).toContain('none yet in notes/store')
    expect(JSON.parse((await home.tenfold(['--no-color', '--json'])).stdout)).toMatchObject({ bundles: 0 })
    expect((await home.tenfold(['--no-color', 'nope'])).stderr).toContain("unknown command 'nope'")
  })

  it('shows the sessions of this folder that are not compressed, and no others', async () => {
    session('here', home.project, 2)
    session('below', `${home.project}/packages/api`, 3)
    session('beside', `${home.project}-old`, 1)
    const { stdout } = await home.tenfold([])
    expect(stdout).toMatch(/not compressed +claude-code, 2 h 0 min ago, .*here\.jsonl\n +claude-code, 3 h/)
    expect(stdout).not.toContain('beside')
    expect(stdout).toContain('tenfold compress ')
  })

  it('finds, shows and compresses a session in a database', async () => {
    const at = Date.now() - 3_600_000
    const rest = { directory: home.project, at, prompt: 'Never edit config/prod.env. Add the cart.' }
    await writeOpenCodeDatabase(home.at('.local/share/opencode/opencode.db'), [
      { ...rest, id: 'ses_1', answer: 'The cart is there.' },
      { ...rest, id: 'ses_2', parent: 'ses_1', answer: 'I looked.' },
      { ...rest, id: 'ses_3', directory: '/elsewhere' },
    ])
    expect((await home.tenfold([])).stdout).toMatch(
      /not compressed +opencode, 1 h 0 min ago: \S*opencode\.db#ses_1\n/,
    )
    const compressed = await home.tenfold(['compress'])
    expect(compressed).toMatchObject({ code: 0, stdout: expect.stringContaining('opencode.db#ses_1') })
    const { stdout } = await home.tenfold([])
    expect(stdout).toMatch(/last session +“?ses_1/)
    expect(stdout).not.toContain('not compressed')
  })

  it('shows the last session, what is open, and the newest checkpoint', async () => {
    session('first', home.project, 5)
    await home.tenfold(['compress', '--quiet'])
    await home.tenfold([
      'checkpoint',
      'save',
      '--track',
      'api',
      '--step',
      'wire the parser',
      '--next-cmd',
      'npm test',
    ])
    const { stdout } = await home.tenfold([])
    expect(stdout).toMatch(/last session +“Title of first”, /)
    expect(stdout).toContain('1 bundle in .agents/bundles')
    expect(stdout).toMatch(/checkpoint +wire the parser, just now, track api\n +run: npm test/)
    expect(stdout).toContain('tenfold resume')
    expect(stdout).toContain('claude "$(tenfold resume)"')
    expect(stdout).not.toContain('not compressed')
  })

  it('names the work that is open on other tracks', async () => {
    await home.tenfold(['compress', '--quiet', '--track', 'done', session('done', home.project, 7)])
    const cut = session('cut', home.project, 6)
    writeFileSync(cut, readFileSync(cut, 'utf8').split('\n').slice(0, -2).join('\n'))
    await home.tenfold(['compress', '--quiet', '--track', 'side', cut])
    await home.tenfold(['compress', '--quiet', session('first', home.project, 5)])
    const { stdout } = await home.tenfold([])
    expect(stdout).toMatch(/track side +“Title of cut”, .*\(tenfold resume --track side\)/)
    expect(stdout).not.toMatch(/track done +“/)
  })

  it('runs nothing of a checkpoint that is older than the last session', async () => {
    const step = ['--step', 'rename it', '--next-cmd', 'git mv calc.mjs math.mjs']
    await home.tenfold(['checkpoint', 'save', ...step])
    const saved = { summary: 'Renamed.', nextSteps: ['write the manual'] }
    await home.tenfold(['save', '-'], { stdin: JSON.stringify(saved) })
    const { stdout } = await home.tenfold([])
    expect(stdout).toMatch(/checkpoint +rename it, just now, track main, older than the last session/)
    expect(stdout).not.toMatch(/git mv|checkpoint resume/)
    const { stderr } = await home.tenfold(['checkpoint', 'resume'])
    expect(stderr).toMatch(
      /^It is older than the bundle \S+ of a session that may have done its step; .*tenfold resume\n$/,
    )
  })

  it('proposes commands that take the track of the last session', async () => {
    session('first', home.project, 5)
    await home.tenfold(['compress', '--quiet', '--track', 'shop'])
    const alone = (await home.tenfold([])).stdout
    expect(alone).toContain('tenfold resume --track shop  ')
    expect(alone).toContain('claude "$(tenfold resume --track shop)"')
    expect(alone).toContain('tenfold view LATEST --track shop --open')
    expect(await home.tenfold(['resume', '--track', 'shop'])).toMatchObject({ code: 0 })
    // A current track without a bundle lends none, one with a bundle is what is resumed.
    await home.tenfold(['checkpoint', 'save', '--track', 'api', '--step', 'a', '--next-cmd', 'b'])
    expect((await home.tenfold([])).stdout).toContain('tenfold resume --track shop  ')
    await home.tenfold(['checkpoint', 'save', '--track', 'shop', '--step', 'a', '--next-cmd', 'b'])
    expect((await home.tenfold([])).stdout).toContain('tenfold resume  ')
  })

  it('counts a session with subagents as compressed, and warns of damage instead of failing', async () => {
    const path = session('lead', home.project, 5)
    const helper = claudeLog({ session: 'lead', rounds: 2 }).replaceAll(
      '"isSidechain":false',
      '"isSidechain":true,"agentId":"a1"',
    )
    home.write('.claude/projects/-shop/lead/subagents/agent-a1.jsonl', helper)
    await home.tenfold(['compress', '--quiet', path])
    expect((await home.tenfold([])).stdout).not.toContain('not compressed')
    const [id = ''] = home.bundles()
    writeFileSync(`${home.project}/.agents/bundles/bundles/${id}.json`, '{')
    const damaged = await home.tenfold([])
    expect(damaged).toMatchObject({ code: 0, stdout: expect.stringContaining('“Title of lead”') })
    expect(damaged.stderr).toMatch(/^warning: .*damaged/)
  })

  it('proposes no hooks, and no brief by hand, once hooks are installed', async () => {
    session('first', home.project, 5)
    await home.tenfold(['compress', '--quiet'])
    await home.tenfold(['install', 'claude-code', '--command', 'true'])
    const { stdout } = await home.tenfold([])
    expect(stdout).not.toContain('tenfold install')
    expect(stdout).not.toContain('claude "')
  })

  it('shows for each agent whose hooks are installed what they did last', async () => {
    await home.tenfold(['install', 'claude-code'])
    await home.tenfold(['install', 'codex'])
    const [, before = ''] = (await home.tenfold([])).stdout.split('\nhooks ')
    expect(before).toMatch(
      /^ +claude-code: not run yet\n +codex: not trusted, .*tenfold install codex --trust/,
    )
    const log = home.write('session-1.jsonl', claudeLog())
    const turn = { session_id: 'session-1', transcript_path: log }
    await home.hook('claude-code', { hook_event_name: 'SessionEnd', ...turn })
    await home.tenfold(['sweep', '--queued'])
    const start = { hook_event_name: 'SessionStart', source: 'startup', session_id: 's-2' }
    await home.hook('claude-code', start)
    await home.tenfold(['install', 'codex', '--trust'])
    const { stdout } = await home.tenfold([])
    expect(stdout).toMatch(
      /hooks +claude-code: last run just now, last brief just now, last bundle just now\n +codex: not run yet\n/,
    )
    const { hooks } = JSON.parse((await home.tenfold(['--json'])).stdout)
    const [bundle] = home.bundles()
    expect(hooks).toMatchObject([
      {
        ...{ agent: 'claude-code', scope: 'user', state: 'ready', path: home.at('.claude/settings.json') },
        ...{ lastRun: { event: 'SessionStart' }, lastBrief: { bundle }, lastKept: { bundle } },
      },
      { agent: 'codex', state: 'ready' },
    ])
  })

  it('renews the hooks of an earlier version, or says how to', async () => {
    const old = (command: string) =>
      JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } })
    const settings = () => readFileSync(home.at('.gemini/settings.json'), 'utf8')
    home.write('.gemini/settings.json', old('tenfold hook gemini'))
    // This tenfold is a checkout, which must not get into the settings.
    expect((await home.tenfold([])).stdout).toContain(
      'gemini: written by an earlier version; to renew: tenfold install gemini',
    )
    expect(settings()).toBe(old('tenfold hook gemini'))
    chmodSync(home.write('bin/tenfold', '#!/bin/sh\nexit 0\n'), 0o755)
    const env = { PATH: `${home.at('bin')}:${process.env.PATH}` }
    const renewed = await home.tenfold(['--json'], { env })
    expect(renewed.stderr).toMatch(/^Renewed the hooks of gemini, .*\n$/)
    expect(JSON.parse(renewed.stdout).hooks).toMatchObject([{ agent: 'gemini', state: 'ready' }])
    expect(settings()).not.toContain('"tenfold hook gemini"')
    // A command that was given stays.
    home.write('.gemini/settings.json', old('npx tenfold hook gemini'))
    await home.tenfold(['--quiet'], { env: { ...env, npm_config_offline: 'true' } })
    expect(settings()).toContain('\' /usr/local/bin npx tenfold hook gemini"')
  })

  it('prints the same as JSON', async () => {
    const path = session('open', home.project, 1)
    const { stdout } = await home.tenfold(['--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      folder: home.project,
      bundles: 0,
      tracks: [],
      uncompressed: [{ agent: 'claude-code', path }],
    })
  })
})

describe('compress without a path', () => {
  it('takes the newest session of this folder', async () => {
    session('old', home.project, 5)
    session('new', home.project, 2)
    session('elsewhere', '/srv/other', 1)
    const ran = await home.tenfold(['compress'])
    expect(ran.code).toBe(0)
    expect(ran.stderr).toContain('The newest session of this folder: claude-code, 2 h 0 min ago')
    expect(ran.stdout).toContain('“Title of new”')
    expect(home.bundles()).toHaveLength(1)
  })

  it('says what to do if there is none', async () => {
    const ran = await home.tenfold(['compress'])
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toContain('tenfold sources shows where agents keep theirs.')
  })
})
