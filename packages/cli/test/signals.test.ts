import { spawnSync } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { testFolder } from '../../../test/support/test-folder.ts'
import { writeClaudeLog } from './support/claude-log.ts'
import { linesOf, type Ran, run, start } from './support/run.ts'

const at = testFolder('each')
const tenfold = (...args: string[]): Promise<Ran> => run(args, { cwd: at() })
const posix = process.platform !== 'win32'

describe.runIf(posix)('Ctrl-C', () => {
  it('keeps the finished bundles, and leaves no trace of the log it was working on', async () => {
    writeClaudeLog(at('small.jsonl'), { session: 'small' })
    writeClaudeLog(at('big.jsonl'), { session: 'big', rounds: 1500, words: 800 })
    writeClaudeLog(at('last.jsonl'), { session: 'last' })
    const logs = ['small.jsonl', 'big.jsonl', 'last.jsonl']
    const running = start(['compress', '--json', '--concurrency', '1', '--log-time', '1h', ...logs], {
      cwd: at(),
    })
    await running.saw('"log":"small.jsonl"')
    const latest = readFileSync(at('.agents/bundles/tracks/main/LATEST.json'), 'utf8')
    running.child.kill('SIGINT')
    const ran = await running.ended
    expect(ran.code).toBe(130)
    expect(ran.stderr).toContain(
      'Interrupted: 1 of 3 logs done. Finished logs are saved; no log was saved in part.',
    )
    const lines = linesOf<{ log: string; error?: { code: string } }>(ran)
    expect(lines.map(({ log, error }) => [log, error?.code])).toEqual([
      ['small.jsonl', undefined],
      ['big.jsonl', 'interrupted'],
      ['last.jsonl', 'interrupted'],
    ])
    expect(readFileSync(at('.agents/bundles/tracks/main/LATEST.json'), 'utf8')).toBe(latest)
    expect(JSON.parse((await tenfold('list', '--json')).stdout)).toHaveLength(1)
    expect(JSON.parse((await tenfold('show', 'LATEST', '--json')).stdout).source.sessionId).toBe('small')
  })

  it('ends the wait for stdin', async () => {
    writeClaudeLog(at('a.jsonl'), { rounds: 1 })
    const running = start(['compress', '--json', 'a.jsonl', '-'], { cwd: at(), stdin: 'open' })
    await running.saw('"log":"a.jsonl"')
    running.child.kill('SIGINT')
    const ran = await running.ended
    expect(ran.code).toBe(130)
    expect(ran.stderr).toContain('Interrupted: 1 of 2 logs done.')
  })

  it('kills the process at once the second time', async () => {
    writeClaudeLog(at('a.jsonl'), { rounds: 1 })
    // Never written to, so reading it never ends.
    expect(spawnSync('mkfifo', [at('never')]).status).toBe(0)
    const pipe = openSync(at('never'), 'r+')
    onTestFinished(() => closeSync(pipe))
    const never = `/proc/${process.pid}/fd/${pipe}`
    const running = start(['inspect', '--json', 'a.jsonl', never], { cwd: at() })
    await running.saw('"log":"a.jsonl"')
    running.child.kill('SIGINT')
    await running.saw('press Ctrl-C again')
    running.child.kill('SIGINT')
    expect((await running.ended).signal).toBe('SIGINT')
  })
})

describe.runIf(posix)('a reader that closes the pipe', () => {
  it('quietly ends a command that only prints', async () => {
    writeClaudeLog(at('a.jsonl'), { rounds: 40 })
    await tenfold('compress', '--quiet', 'a.jsonl')
    const running = start(['show', 'LATEST', '--json'], { cwd: at() })
    running.child.stdout?.destroy()
    expect(await running.ended).toMatchObject({ code: 0, stderr: '' })
  })

  it('does not stop logs from being compressed', async () => {
    for (const name of ['a', 'b', 'c']) writeClaudeLog(at(`${name}.jsonl`), { session: name })
    const running = start(['compress', 'a.jsonl', 'b.jsonl', 'missing.jsonl', 'c.jsonl'], {
      cwd: at(),
    })
    running.child.stdout?.destroy()
    const ran = await running.ended
    expect(ran.code).toBe(1)
    expect(JSON.parse((await tenfold('list', '--json')).stdout)).toHaveLength(3)
  })
})

describe.runIf(process.platform === 'linux')('a terminal', () => {
  // `script` runs a command in a terminal of its own.
  const onTerminal = (command: string) =>
    spawnSync('script', ['-qec', command, '/dev/null'], {
      cwd: at(),
      encoding: 'utf8',
      env: { ...process.env, TERM: 'xterm', NO_COLOR: '' },
    })
  const bin = join(import.meta.dirname, '../bin/tenfold.js')

  it.skipIf(spawnSync('script', ['--version']).status !== 0)('shows progress and then clears it', () => {
    writeClaudeLog(at('a.jsonl'), { rounds: 20 })
    const ran = onTerminal(`'${process.execPath}' '${bin}' compress a.jsonl`)
    expect(ran.status).toBe(0)
    expect(ran.stdout).toMatch(/\r\u001b\[2Kreading \d+ % of [\d.]+ kB {2}a\.jsonl/)
    expect(ran.stdout).toMatch(/\r\u001b\[2Ksaving {2}a\.jsonl\r\u001b\[2K/)
    const quiet = onTerminal(`'${process.execPath}' '${bin}' compress --json a.jsonl`)
    expect(quiet.stdout).not.toContain('\u001b')
  })
})

describe.runIf(process.platform === 'linux')('a full disk behind stdout', () => {
  it('is reported as an error', async () => {
    writeClaudeLog(at('a.jsonl'))
    const full = openSync('/dev/full', 'w')
    const bin = join(import.meta.dirname, '../bin/tenfold.js')
    const ran = spawnSync(process.execPath, [bin, 'inspect', 'a.jsonl'], {
      cwd: at(),
      encoding: 'utf8',
      stdio: ['ignore', full, 'pipe'],
    })
    expect(ran.status).toBe(1)
    expect(ran.stderr).toMatch(/^error: stdout cannot be written: .*ENOSPC/)
  })
})
