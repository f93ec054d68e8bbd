import { execSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { HookAgent } from '../src/background/hooks/hook-agents.ts'
import { hookTrusts } from '../src/background/hooks/settings/codex-trust.ts'
import { addHooks, removeHooks } from '../src/background/hooks/settings/edit-hooks.ts'
import { hookSettings } from '../src/background/hooks/settings/hook-files.ts'
import { testHome } from './support/agent-home.ts'
import { run } from './support/run.ts'

const home = testHome()

/** Runs with other variables, which the processes that it starts get too. */
async function withEnvironment(changed: Record<string, string>, act: () => Promise<void>): Promise<void> {
  const before = { ...process.env }
  Object.assign(process.env, changed)
  try {
    await act()
  } finally {
    for (const name of Object.keys(changed)) delete process.env[name]
    Object.assign(process.env, before)
  }
}

const read = (path: string): string => readFileSync(home.at(path), 'utf8')
const settingsOf = (agent: HookAgent, words = 'tenfold') =>
  hookSettings(agent, '/settings.json', 'user', { words, folders: [] })
/** Those whose hooks are elements of a settings file. */
const agents = ['claude-code', 'codex', 'cursor', 'gemini', 'qwen-code'] as const
const foreign = '{ "hooks": [{ "type": "command", "command": "notify-send done" }] }'

/** Settings as people have them. */
const files: Record<string, string> = {
  empty: '{}',
  'empty with a line': '{\n}\n',
  'other fields': '{\n  "model": "opus",\n  "env": { "A": "1" }\n}\n',
  'no newline at the end': '{\n  "model": "opus"\n}',
  tabs: '{\n\t"model": "opus"\n}\n',
  'four spaces': '{\n    "model": "opus"\n}\n',
  'one line': '{"model":"opus","hooks":{"Other":[{"command":"x"}]}}',
  'CRLF and comments':
    '// mine\r\n{\r\n  "model": "opus", // the large one\r\n  /* hooks */ "hooks": {\r\n    // none yet\r\n  }\r\n}\r\n',
  'trailing commas': '{\n  "permissions": { "allow": ["Bash(ls:*)",], },\n}\n',
  "other people's hooks": `{\n  "hooks": {\n    "SessionStart": [\n      ${foreign} // mine\n    ],\n    "SessionEnd": [${foreign}, ${foreign}],\n    "stop": [{ "command": "say done" }] /* last */\n  }, // all\n  "version": 1\n}\n`,
  'the same tool under another name':
    '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"tenfoldish hook codex x"}]}]}}',
  'a byte order mark': '\ufeff{ "model": "opus" }\n',
}

describe('the hooks in settings', () => {
  it.each(Object.entries(files))('are added and removed without a trace: %s', (_, before) => {
    for (const agent of agents) {
      const settings = settingsOf(agent)
      const added = addHooks(before, settings)
      expect(added.events, agent).toHaveLength(settings.hooks.length)
      // Installing twice has the effect of installing once.
      expect(addHooks(added.text, settings)).toEqual({ text: added.text, events: [] })
      // Every existing entry is still there, in its order.
      let at = 0
      for (const word of before.split(/[\s{}[\],]+/).filter(Boolean)) {
        at = added.text.indexOf(word, at)
        expect(at, `${agent}: ${word}`).toBeGreaterThanOrEqual(0)
      }
      // Cursor's file needs a version, which stays.
      if (agent !== 'cursor') expect(removeHooks(added.text, settings).text, agent).toBe(before)
    }
  })

  it('are removed one by one if others were added next to them', () => {
    const settings = settingsOf('claude-code')
    const { text } = addHooks('{}\n', settings)
    const shared = text.replace(
      '"hooks": [\n          {',
      `"hooks": [\n          { "type": "command", "command": "mine" },\n          {`,
    )
    const value = JSON.parse(removeHooks(shared, settings).text)
    expect(value).toEqual({ hooks: { SessionStart: [{ hooks: [{ type: 'command', command: 'mine' }] }] } })
    // Also after an installation by other means.
    const moved = addHooks(text, settingsOf('claude-code', 'npx tenfold'))
    expect(moved.text.match(/hook claude-code/g)).toHaveLength(settings.hooks.length)
    expect(removeHooks(moved.text, settings).text).toBe('{}\n')
  })

  it.each([
    ['{ "hooks": ', /line 1: \w+/],
    ['{\n  "a": 1\n  "hooks": {}\n}', /line 3: \w+/],
    ['[]', /not a JSON object/],
    ['{ "hooks": [] }', /hooks is not an object/],
    ['{ "hooks": { "SessionEnd": {} } }', /hooks\.SessionEnd is not a list/],
    ['{ "hooks": {}, "hooks": {} }', /"hooks" occurs twice/],
  ])('are not added to a file that cannot hold them: %s', (text, reason) => {
    const settings = settingsOf('claude-code')
    expect(() => addHooks(text, settings)).toThrow(reason)
  })
})

describe('install', () => {
  it('adds hooks to new settings, and removes them together with the file', async () => {
    const dry = await home.tenfold(['install', 'cursor', '--dry-run'])
    expect(dry).toMatchObject({ code: 0, stderr: '' })
    expect(dry.stdout).toContain('+  "version": 1,')
    expect(dry.stdout).toContain('Nothing was written.')
    expect(existsSync(home.at('.cursor'))).toBe(false)

    const added = await home.tenfold(['install', 'cursor'])
    expect(added.stdout).toMatch(/\.cursor\/hooks\.json: added sessionStart, sessionEnd, stop, preCompact/)
    const settings = JSON.parse(read('.cursor/hooks.json'))
    expect(settings).toMatchObject({
      version: 1,
      hooks: { stop: [{ command: expect.any(String), timeout: 5 }] },
    })
    expect(statSync(home.at('.cursor/hooks.json')).mode & 0o777).toBe(0o600)
    const { PATH = '' } = process.env
    const env = { PATH, HOME: home.at(), TENFOLD_HOME: home.state, TENFOLD_HOOK_WORKER: 'off' }
    execSync(settings.hooks.stop[0].command, { input: '{"hook_event_name":"stop"}', env, cwd: home.project })
    // The first line is that of the test of the command.
    expect(home.told().slice(1)).toMatchObject([{ agent: 'cursor', event: 'stop' }])
    const again = await home.tenfold(['install', 'cursor'])
    expect(again.stdout).toContain('nothing to change')
    const gone = await home.tenfold(['install', 'cursor', '--uninstall'])
    expect(gone.stdout).toContain('and the file, which has nothing else')
    expect(existsSync(home.at('.cursor/hooks.json'))).toBe(false)
  })

  it('creates and removes the file of a link that points nowhere, and keeps the link', async () => {
    home.write('dotfiles/x', '')
    home.write('.claude/x', '')
    const link = home.at('.claude/settings.json')
    symlinkSync('../dotfiles/settings.json', link)
    await home.tenfold(['install', 'claude-code'])
    expect(read('dotfiles/settings.json')).toContain('hook claude-code')
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    await home.tenfold(['install', 'claude-code', '--uninstall'])
    expect(existsSync(home.at('dotfiles/settings.json'))).toBe(false)
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
  })

  it('writes to the project with --project', async () => {
    await home.tenfold(['install', 'codex', '--project'])
    const settings = JSON.parse(read('shop/.codex/hooks.json'))
    expect(settings.hooks.Stop[0].hooks).toEqual([
      {
        type: 'command',
        command: expect.stringMatching(/^\/bin\/sh -c '.*' \/usr\/local\/bin tenfold hook codex$/),
        commandWindows: 'cmd /d /c "tenfold hook codex 2>nul & exit 0"',
        timeout: 5,
      },
    ])
    expect(existsSync(home.at('.codex'))).toBe(false)
    const none = await home.tenfold(['install', 'codex', '--uninstall'])
    expect(none).toMatchObject({ code: 0, stdout: expect.stringContaining('no hooks of tenfold') })
  })

  it('writes files of their own for the other agents, and leaves no folder behind', async () => {
    for (const agent of ['opencode', 'pi', 'copilot-cli', 'cline']) {
      const added = await home.tenfold(['install', agent])
      expect(added, agent).toMatchObject({ code: 0, stderr: '' })
      expect(added.stdout).toMatch(/: written\.\n(?:.*\n)*Tested: /)
      const gone = await home.tenfold(['install', agent, '--uninstall'])
      expect(gone.stdout, agent).toMatch(/: removed\./)
    }
    expect(readdirSync(home.at()).sort()).toEqual(['shop', 'state'])
    home.write('.pi/agent/extensions/tenfold.ts', 'export default () => {}')
    const refused = await home.tenfold(['install', 'pi'])
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('it was not written by tenfold'),
    })
  })

  it('tells of start and end from within pi, and gives it no tools', async () => {
    await home.tenfold(['install', 'pi'])
    const { default: extension } = await import(home.at('.pi/agent/extensions/tenfold.ts'))
    type Handler = (event: object, context: object) => unknown
    const handlers = new Map<string, Handler>()
    extension({ on: (event: string, handler: Handler) => handlers.set(event, handler) })
    const sessionManager = { getSessionId: () => 's-1', getSessionFile: () => '', getEntries: () => [] }
    const fire = (event: string) => handlers.get(event)?.({}, { cwd: home.project, sessionManager })
    await withEnvironment({ HOME: home.at(), TENFOLD_HOME: home.state }, async () => {
      fire('session_start')
      // The second turn of a session is no start.
      for (const event of ['before_agent_start', 'before_agent_start', 'session_shutdown']) await fire(event)
    })
    expect(home.told().map(({ event }) => event)).toEqual([undefined, 'SessionStart', 'SessionEnd'])
  })

  it('writes a command that runs', async () => {
    const bin = home.write('.npm/_npx/1/node_modules/.bin/tenfold', '#!/bin/sh\nexit 1\n')
    chmodSync(bin, 0o755)
    const broken = home.write('broken/tenfold', '#!/bin/sh\necho broken >&2\nexit 7\n')
    chmodSync(broken, 0o755)
    const PATH = `${dirname(bin)}:${dirname(broken)}:${process.env.PATH}`
    const added = await home.tenfold(['install', 'claude-code'], { env: { PATH } })
    expect(added).toMatchObject({ code: 0, stderr: '' })
    const settings = JSON.parse(read('.claude/settings.json'))
    expect(settings.hooks.SessionEnd[0].hooks[0].command).toMatch(/tenfold\.js hook claude-code$/)
    const given = await home.tenfold(['install', 'claude-code', '--command', broken])
    expect(given.stderr).toMatch(/does not run here: .*it ended with 7: broken/)
  })

  it('renews what an earlier version wrote', async () => {
    const old = (command: string) => ({ hooks: [{ type: 'command', command, timeout: 60 }] })
    const hooks = {
      SessionStart: [old('tenfold hook claude-code'), old('notify-send')],
      UserPromptSubmit: [old('tenfold hook claude-code')],
      SessionEnd: [old('/opt/node /opt/_npx/1/node_modules/tenfold/bin/tenfold.js hook claude-code')],
    }
    home.write('.claude/settings.json', JSON.stringify({ hooks }))
    await home.tenfold(['install', 'claude-code'])
    const text = read('.claude/settings.json')
    expect(text.match(/hook claude-code"/g)).toHaveLength(5)
    expect(text).toContain('notify-send')
    expect(text).not.toContain('UserPromptSubmit')
    expect(text).not.toMatch(/"tenfold hook|_npx/)
  })

  it('writes no command of a copy that does not stay', () => {
    const copy = (place: string): string => {
      for (const part of ['bin', 'lib', 'package.json'])
        cpSync(join(import.meta.dirname, '..', part), home.at(place, part), { recursive: true })
      return home.at(place, 'bin/tenfold.js')
    }
    const env = { PATH: '/usr/bin:/bin', HOME: home.at(), TENFOLD_HOME: home.state }
    const install = (program: string, ...args: string[]) =>
      spawnSync(process.execPath, [program, 'install', 'claude-code', ...args], {
        ...{ cwd: home.project, env, encoding: 'utf8' },
      })
    for (const place of ['.npm/_npx/ab12/node_modules/tenfold', 'shop/node_modules/tenfold']) {
      const program = copy(place)
      const refused = install(program)
      expect(refused, place).toMatchObject({ status: 1, stdout: '' })
      expect(refused.stderr).toContain('npm install -g tenfold')
      expect(existsSync(home.at('.claude'))).toBe(false)
      expect(install(program, '--dry-run').status).toBe(1)
      expect(install(program, '--command', 'npx tenfold', '--dry-run').status).toBe(0)
    }
    // npm's global folder, which need not be on PATH.
    const program = copy('prefix/lib/node_modules/tenfold')
    mkdirSync(home.at('prefix/bin'))
    symlinkSync(program, home.at('prefix/bin/tenfold'))
    expect(install(program)).toMatchObject({ status: 0, stderr: '' })
    const { command } = JSON.parse(read('.claude/settings.json')).hooks.SessionEnd[0].hooks[0]
    const folders = [home.at('prefix/bin'), dirname(process.execPath)].join(':')
    expect(command.endsWith(`' ${folders} tenfold hook claude-code`), command).toBe(true)
  })

  it('tells a person at a terminal what happens from now on', async () => {
    const env = { HOME: home.at(), TENFOLD_HOME: home.state }
    const added = await run(['install', 'claude-code'], { cwd: home.project, env, columns: 80 })
    expect(`${added.stdout}${added.stderr}`).toContain('From now on each session is compressed when it ends')
  })

  it('takes the name that sources has for Gemini CLI', async () => {
    const ran = await home.tenfold(['install', 'gemini-cli'])
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(read('.gemini/settings.json')).toContain('hook gemini')
    expect((await home.tenfold(['install', 'geminy'])).code).toBe(2)
  })

  it('trusts the hooks of Codex as its /hooks does, and takes that back', async () => {
    const config = 'model = "x" # mine\n\n[hooks.state."/other.json:stop:0:0"]\ntrusted_hash = "sha256:00"'
    home.write('.codex/config.toml', config)
    expect((await home.tenfold(['install', 'codex'])).stdout).toContain('tenfold install codex --trust')
    expect(read('.codex/config.toml')).toBe(config)
    const ran = await home.tenfold(['install', 'codex', '--trust'])
    expect(ran).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('trusts 6 hooks') })
    const table = (event: string) => `[hooks.state."${home.at('.codex/hooks.json')}:${event}:0:0"]\n`
    for (const event of 'session_start session_end pre_compact pre_tool_use subagent_stop stop'.split(' '))
      expect(read('.codex/config.toml').split(`\n${table(event)}trusted_hash = "sha256:`)).toHaveLength(2)
    expect(read('.codex/config.toml')).toMatch(
      /^model = "x" # mine\n\n\[hooks\.state\."\/other\.json:stop:0:0"\]\n/,
    )
    expect((await home.tenfold(['install', 'codex', '--trust'])).stdout).toContain('nothing to change')
    // A changed hook is trusted again in its place.
    const old = read('.codex/config.toml').replace(
      /(stop:0:0"\]\ntrusted_hash = "sha256:)[0-9a-f]{64}/,
      '$1ab',
    )
    const trusted = read('.codex/config.toml')
    home.write('.codex/config.toml', old)
    await home.tenfold(['install', 'codex', '--trust'])
    expect(read('.codex/config.toml')).toBe(trusted)
    await home.tenfold(['install', 'codex', '--uninstall'])
    expect(read('.codex/config.toml')).toBe(`${config}\n`)
    expect((await home.tenfold(['install', 'gemini', '--trust'])).code).toBe(2)
  })

  it('knows the digests of Codex 0.169', () => {
    const matched = String.raw`sh -c 'é "$0" \n' x tenfold hook codex`
    const handler = { type: 'command', command: matched, commandWindows: 'cmd x', timeout: 3 }
    const hooks = {
      SessionStart: [{ hooks: [{ type: 'command', command: 'tenfold hook codex', timeout: 5 }] }],
      PreToolUse: [{ matcher: '.*spawn_agent', hooks: [{ type: 'command', command: 'other' }, handler] }],
    }
    expect(hookTrusts('/h/hooks.json', JSON.stringify({ hooks }))).toEqual([
      {
        key: '/h/hooks.json:session_start:0:0',
        hash: 'sha256:4989c9669f49a71fab37293f46c419594589f10ac0b26ad5a2072365ef978a57',
      },
      {
        key: '/h/hooks.json:pre_tool_use:0:1',
        hash: 'sha256:ed3530aba57140a2488c924fa4a91fc6cac8124a571912252b1c35d607ee54e8',
      },
    ])
  })

  it('refuses settings that it cannot add to, and leaves them as they are', async () => {
    const text = '{ "hooks": [] }'
    home.write('.claude/settings.json', text)
    const ran = await home.tenfold(['install', 'claude-code'])
    expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('was not changed') })
    expect(read('.claude/settings.json')).toBe(text)
  })
})
