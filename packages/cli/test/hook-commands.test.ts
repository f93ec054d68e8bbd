import { spawn } from 'node:child_process'
import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { testHome } from './support/agent-home.ts'

const home = testHome()
afterEach(() => {
  vi.unstubAllEnvs()
})

/** Programs that a hook may find under the name of tenfold. */
const programs = {
  missing: undefined,
  failing: 'echo "unknown event" >&2; exit 9',
  blocking: 'echo "no such command"; exit 2',
  killed: 'kill -9 $$',
  garbage: 'cat; echo oops; echo oops >&2',
  hanging: 'sleep 30 & exec sleep 30',
} as const

const answer = String.raw`{"a":"two\nlines, 'quotes' \\ and $HOME"}`
const answers = `cat >/dev/null; cat <<'END'\n${answer}\nEND`
const silent = { code: 0, stdout: '', stderr: '' }
const answered = { ...silent, stdout: `${answer}\n` }

/** The folder of a program with that text, to be found before all others. */
function programFolder(name: string, text: string | undefined): string {
  if (text === undefined) return home.at(name)
  chmodSync(home.write(join(name, 'tenfold'), `#!/bin/sh\n${text}\n`), 0o755)
  return home.at(name)
}

/** Runs the command as an agent does, with another PATH. */
async function runIn(shell: readonly string[], command: string, folder: string | undefined) {
  const [name = 'sh', ...args] = shell
  const PATH = folder === undefined ? '' : [folder, '/usr/bin', '/bin'].join(delimiter)
  const env = { PATH, HOME: home.at() }
  const child = spawn(join('/bin', name), [...args, command], { env, cwd: home.project })
  const got = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (got.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (got.stderr += text))
  child.stdin.on('error', () => undefined)
  child.stdin.end('{"hook_event_name":"SessionEnd"}')
  const code = await new Promise<number | null>((done) => child.once('close', done))
  return { code, ...got }
}

type Installed = { readonly command?: string; readonly bash?: string } & Readonly<Record<string, unknown>>

/** All commands that an installation wrote into a JSON file, with the fields beside them. */
function commandsIn(path: string): Installed[] {
  const found: Installed[] = []
  JSON.parse(readFileSync(home.at(path), 'utf8'), (_, value) => {
    if (value?.command !== undefined || value?.bash !== undefined) found.push(value)
    return value
  })
  return found
}

const places = {
  'claude-code': '.claude/settings.json',
  codex: '.codex/hooks.json',
  cursor: '.cursor/hooks.json',
  gemini: '.gemini/settings.json',
  'qwen-code': '.qwen/settings.json',
  'copilot-cli': '.copilot/hooks/tenfold.json',
}

/** The commands of each agent, as installed with a tenfold on PATH that is gone when the hooks run. */
async function installAll(): Promise<Map<string, Installed[]>> {
  const PATH = [programFolder('bin', 'cat >/dev/null'), process.env.PATH].join(delimiter)
  for (const agent of [...Object.keys(places), 'opencode', 'pi', 'cline'])
    expect(await home.tenfold(['install', agent], { env: { PATH } }), agent).toMatchObject({
      code: 0,
      stderr: '',
    })
  programFolder('bin', programs.failing)
  return new Map(Object.entries(places).map(([agent, path]) => [agent, commandsIn(path)]))
}

const shells = [
  ['sh', '-c'],
  ['bash', '-c'],
  ['zsh', '-c'],
  ['fish', '-c'],
].filter(([name = '']) => ['/bin', '/usr/bin'].some((folder) => existsSync(join(folder, name))))

describe('the installed hooks', () => {
  it('end well and silently whatever tenfold does, in each shell', { timeout: 60_000 }, async () => {
    const installed = await installAll()
    const one = installed.get('claude-code')?.[0]?.command ?? ''
    const cases = shells.flatMap((shell) => [
      ...Object.entries(programs).map(([name, text]) => ({ shell, name, text, expected: silent })),
      { shell, name: 'answering', text: answers, expected: answered },
      { shell, name: 'leaving a process', text: `sleep 30 & ${answers}`, expected: answered },
    ])
    await Promise.all(
      cases.map(async ({ shell, name, text, expected }) => {
        const ran = await runIn(shell, one, programFolder(name, text))
        expect(ran, `${shell[0]}: ${name}`).toEqual(expected)
      }),
    )
    for (const [agent, hooks] of installed)
      for (const { command, bash } of hooks)
        expect(await runIn(['sh', '-c'], command ?? bash ?? '', home.at('nowhere')), agent).toEqual(silent)
  })

  it('end within five seconds, before the agent gives up, at no call of a tool', async () => {
    for (const [agent, hooks] of await installAll()) {
      expect(hooks.length, agent).toBeGreaterThan(0)
      for (const { command, bash, timeout, timeoutSec } of hooks) {
        const limit = Number(/\(sleep (\d) &/.exec(command ?? bash ?? '')?.[1])
        const allowed =
          Number(timeout ?? timeoutSec) / (agent === 'gemini' || agent === 'qwen-code' ? 1000 : 1)
        expect(limit, agent).toBeLessThan(allowed)
        expect(allowed, agent).toBeLessThanOrEqual(5)
      }
      const { hooks: events } = JSON.parse(
        readFileSync(home.at(places[agent as keyof typeof places]), 'utf8'),
      )
      const atTools = Object.keys(events).filter((event) => /tool/i.test(event))
      for (const event of atTools) expect(events[event][0].matcher, agent).toMatch(/agent/i)
    }
  })

  it('find a tenfold that the PATH of the agent lacks, and no program of the project', async () => {
    const installed = await installAll()
    const { command = '' } = installed.get('codex')?.[0] ?? {}
    programFolder('shop', 'echo "{\\"program\\": \\"of the project\\"}"')
    for (const folder of ['/nowhere', undefined])
      expect(await runIn(['sh', '-c'], command, folder)).toEqual(silent)
    programFolder('bin', answers)
    expect(await runIn(['sh', '-c'], command, '/nowhere')).toEqual(answered)
  })

  it('give the plugins the answer, and nothing if there is none', async () => {
    await installAll()
    vi.stubEnv('PATH', ['/usr/bin', '/bin'].join(delimiter))
    const given: string[] = []
    for (const path of [
      '.cline/plugins/tenfold.ts',
      '.pi/agent/extensions/tenfold.ts',
      '.config/opencode/plugin/tenfold.ts',
    ]) {
      const text = readFileSync(home.at(path), 'utf8')
      const copy = home.write(`${path.replaceAll('/', '-')}.ts`, `${text}\nexport { tell }\n`)
      const { tell } = await import(copy)
      for (const program of [programs.failing, programs.garbage, 'echo "[]"', 'echo "{\\"context\\": 7}"']) {
        programFolder('bin', program)
        expect(await tell({}), program).toEqual({})
      }
      programFolder('bin', 'cat >/dev/null; echo "{\\"context\\": \\"brief\\"}"')
      given.push((await tell({})).context)
    }
    expect(given).toEqual(['brief', 'brief', 'brief'])
  })
})
