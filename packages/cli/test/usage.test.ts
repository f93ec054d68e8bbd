import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cp, mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/support/test-folder.ts'
import { writeClaudeLog } from './support/claude-log.ts'
import { type Ran, run, runAlone } from './support/run.ts'

const at = testFolder('all')
beforeAll(() => {
  writeClaudeLog(at('a.jsonl'), { rounds: 1 })
})

const tenfold = (args: readonly string[], env: Record<string, string> = {}): Promise<Ran> =>
  run(args, { cwd: at(), env })

describe('usage', () => {
  it('prints help and version', async () => {
    const help = await runAlone(['--help'], { cwd: at() })
    expect(help).toMatchObject({ code: 0, stderr: '' })
    for (const command of ['compress', 'show', 'list', 'resume', 'inspect']) {
      expect(help.stdout).toContain(`  ${command} `)
      const own = await tenfold([command, '--help'])
      expect(own).toMatchObject({ code: 0, stderr: '' })
      expect(own.stdout).toContain(`Examples:\n  tenfold ${command}`)
      expect(own.stdout).toMatch(/^[^\u001b]*$/)
    }
    const { version } = JSON.parse(readFileSync(resolve(import.meta.dirname, '../package.json'), 'utf8'))
    expect(await tenfold(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n` })
  })

  it('prints what each option is for in a few words with -h', async () => {
    const { stdout } = await tenfold(['compress', '-h'])
    expect(stdout).toMatch(/^ {2}--kind <kind> +kind of the bundles$/m)
    expect(stdout).not.toContain('Examples:')
    const whole = (await tenfold(['compress', '--help'])).stdout
    expect(stdout.split('\n').length).toBeLessThan(0.7 * whole.split('\n').length)
    expect((await tenfold(['checkpoint', '-h'])).stdout).toContain('  save')
  })

  it.each([
    [['compres', 'a.jsonl'], 'Did you mean compress?'],
    [['help', 'nope'], "unknown command 'nope'"],
    [['report', '-o', 'x.pdf'], 'got .pdf'],
    [['compress', '--max-ration', '0.1', 'a.jsonl'], 'Did you mean --max-ratio?'],
    [
      ['compress', '--max-ratio', '10', 'a.jsonl'],
      'expected a share above 0 and up to 1 (0.1 is 10 %), got "10"',
    ],
    [['report', '--min-retention', 'x'], 'expected a share from 0 to 1'],
    [['compress', '--max-tokens', '1.5', 'a.jsonl'], 'expected a whole number of at least 1, got "1.5"'],
    [['compress', '--concurrency', '0', 'a.jsonl'], 'expected a whole number from 1 to 64, got "0"'],
    [['compress', '--kind', 'novel', 'a.jsonl'], 'research, plan, progress, context'],
    [['compress', '--format', 'novel', 'a.jsonl'], 'claude-code'],
    [['compress', '--format', 'claude', 'a.jsonl'], 'did you mean claude-code or claude-code-web?'],
    [['compress', '--track', '../up', 'a.jsonl'], 'got "../up"'],
    [['compress', '--track', 'con', 'a.jsonl'], 'got "con"'],
    [['compress', '--store', '', 'a.jsonl'], 'expected a folder, got an empty text'],
    [['compress', '-', '-'], 'expected - (stdin) only once'],
    [['compress', '--output', 'x.md', 'a.jsonl', 'a.jsonl'], 'expected a single log with --output, got 2'],
    [['compress', '--output', '-', '--json', 'a.jsonl'], 'with --json: both would write'],
    [['compress', '--output', 'x.md', '--dry-run', 'a.jsonl'], 'with --dry-run, which writes no file'],
    [['inspect', '-', '-'], 'expected - (stdin) only once'],
    [['resume', '--max-tokens', '99'], 'expected a whole number of at least 100, got "99"'],
    [['list', '--limit', 'all'], 'expected a whole number of at least 1, got "all"'],
    [['dump', 'show', 'LATEST', '--json', '--file', 'x'], 'cannot be used with'],
    [['list', 'what'], 'too many arguments'],
    [
      ['list', '--limit', '0'],
      'error: --limit <n>: expected a whole number of at least 1, got "0"\nUsage: tenfold list',
    ],
    [['install', 'vim'], 'error: <agent>: expected one of claude-code'],
    [['compress', '--summarizer', 'gpt', 'a.jsonl'], 'got "gpt"; did you mean openai?'],
    [['compress', '--summarizer', 'antropic', 'a.jsonl'], 'got "antropic"; did you mean anthropic?'],
    [['list', '--store', 's3://'], 'expected a URL such as s3://bucket/prefix'],
    [
      ['convert', 'a.jsonl', '--to', 'atif', '--reader', './nope.mjs'],
      'error: --reader ./nope.mjs: no such file or package\n',
    ],
    [['compress', ''], 'expected a value for <log>, got an empty text'],
    [['report', '--prices', 'prices.json'], 'expected --since with --prices'],
  ])('rejects %j as wrong usage', async (args, message) => {
    const ran = await tenfold(args)
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain(message)
    expect(ran.stderr).not.toContain('    at ')
  })

  it.each([[['hook']], [['hook', 'novel']], [['hook', 'codex', '--new']]])(
    'does not end with 2 for %j, which would stop the agent',
    async (args) => {
      const ran = await runAlone(args, { cwd: at() })
      expect(ran).toMatchObject({ code: 1, stdout: '' })
      expect(ran.stderr).toMatch(/^error: /)
    },
  )

  it('prints colours only where they are wanted', async () => {
    const args = ['compress', '--dry-run', 'a.jsonl']
    expect((await tenfold(args)).stdout).not.toContain('\u001b')
    expect((await tenfold(args, { FORCE_COLOR: '1' })).stdout).toContain('\u001b[1ma.jsonl')
    expect((await tenfold(args, { FORCE_COLOR: '1', NO_COLOR: '1' })).stdout).not.toContain('\u001b')
    expect((await tenfold([...args, '--no-color'], { FORCE_COLOR: '1' })).stdout).not.toContain('\u001b')
  })

  it('prints results only with --quiet, everywhere the same', async () => {
    await tenfold(['compress', '-q', 'a.jsonl'])
    const silent = [
      ['compress', '-q', 'a.jsonl'],
      ['checkpoint', 'save', '-q', '--track', 'main', '--step', 'wire it', '--next-cmd', 'make'],
      ['view', '-q', 'a.jsonl', '-o', 'a.html'],
      ['verify', '--quiet'],
      ['prune', '--quiet', '--keep-last', '9'],
      ['list', '-q', '--track', 'none'],
    ]
    for (const args of silent)
      expect({ args, ...(await tenfold(args)) }).toMatchObject({ stdout: '', stderr: '' })
    expect((await tenfold(['list', '-q'])).stdout).toMatch(/^ID .+\n2.+\n$/)
    expect((await tenfold(['resume', '-q'])).stdout).toContain('# Resume: ')
    expect((await tenfold(['show', '-q', 'nothing'])).stderr).toContain('error: ')
    const both = await tenfold(['list', '-q', '-v'])
    expect(both).toMatchObject({ code: 2, stdout: '' })
    expect(both.stderr).toContain("option '-q, --quiet' cannot be used with option '-v, --verbose'")
  })

  it('prints stacks only with TENFOLD_DEBUG=1', async () => {
    const args = ['compress', 'missing.jsonl']
    expect((await tenfold(args)).stderr).not.toContain('    at ')
    expect((await tenfold(args, { TENFOLD_DEBUG: '1' })).stderr).toContain('    at ')
  })

  it('reports that it is not built', async () => {
    await mkdir(at('unbuilt/bin'), { recursive: true })
    const shim = at('unbuilt/bin/tenfold.js')
    await cp(resolve(import.meta.dirname, '../bin/tenfold.js'), shim)
    const ran = spawnSync(process.execPath, [shim, '--help'], { encoding: 'utf8' })
    expect(ran).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('npm run build') })
  })
})
