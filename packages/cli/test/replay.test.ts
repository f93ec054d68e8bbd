import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeEach, describe, expect, it } from 'vitest'
import { testFolder } from '../../../test/support/test-folder.ts'
import { claudeLog, writeClaudeLog } from './support/claude-log.ts'
import { linesOf, type Ran, run, start } from './support/run.ts'

const at = testFolder('each')
beforeEach(() => {
  writeClaudeLog(at('a.jsonl'), { session: 'crashed', rounds: 3, words: 30 })
})

const tenfold = (args: readonly string[], env: Record<string, string> = {}): Promise<Ran> =>
  run(['replay', ...args], { cwd: at(), env })
const events = (ran: Ran) => linesOf<{ id: string; type: string; text: string; replayed?: true }>(ran)

describe('replay', () => {
  it('prints a readable timeline between dividers', async () => {
    const ran = await tenfold(['a.jsonl'])
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const lines = ran.stdout.trimEnd().split('\n')
    expect(lines[0]).toBe('── Replayed from session crashed (claude-code) ──')
    expect(lines[1]).toBe('2026-01-02 UTC')
    expect(lines[2]).toBe(
      '03:00:01  user       Fix part 1 of the shop. Never touch the public API of part 1.',
    )
    expect(lines[4]).toBe('03:00:02  tool       Read  file_path: /home/dev/shop/src/part-1.ts')
    expect(ran.stdout).toMatch(/\d\d {2}result {5}Bash error.* Exit code 1 Error: part 3 is broken\n/)
    expect(lines.at(-1)).toMatch(/^── End of the replay: 27 events; later events: --after r[0-9a-f]{16} ──$/)
    const coloured = await tenfold(['a.jsonl'], { FORCE_COLOR: '1' })
    expect(coloured.stdout).toContain('\u001b[2m── Replayed from session crashed')
  })

  it('prints marked events with stable ids, and only those after a given id', async () => {
    const all = events(await tenfold(['a.jsonl', '--json']))
    expect(all).toHaveLength(27)
    expect(all.every(({ replayed }) => replayed === true)).toBe(true)
    expect(new Set(all.map(({ type }) => type))).toEqual(
      new Set(['user', 'assistant', 'tool_progress', 'tool_summary']),
    )
    const rest = await tenfold(['a.jsonl', '--json', '--after', all[19]?.id ?? ''])
    expect(events(rest)).toEqual(all.slice(20))
    appendFileSync(
      at('a.jsonl'),
      claudeLog({ session: 'crashed', rounds: 4, words: 30 }).split('\n').slice(-8).join('\n'),
    )
    const grown = events(await tenfold(['a.jsonl', '--json']))
    expect(grown.length).toBeGreaterThan(27)
    expect(grown.slice(0, 27)).toEqual(all)
    const piped = await run(['replay', '-', '--json'], {
      cwd: at(),
      stdin: readFileSync(at('a.jsonl'), 'utf8'),
    })
    expect(events(piped)).toEqual(grown)
  })

  it('reports what a killed run was doing, and that its last line is cut', async () => {
    const lines = claudeLog({ session: 'crashed', rounds: 1, words: 30 }).split('\n')
    writeFileSync(at('killed.jsonl'), `${lines.slice(0, 6).join('\n')}\n${lines[6]?.slice(0, 100)}`)
    const ran = await tenfold(['killed.jsonl'])
    expect(ran.code).toBe(0)
    expect(ran.stdout).toContain('; 1 call without a result (Bash); ')
    expect(ran.stderr).toMatch(/^note: truncated-tail: .* \(line 7\)\n$/)
  })

  it('replaces secrets, and lets no text of the log reach the terminal as a command', async () => {
    const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
    const [line = ''] = claudeLog({ session: 'crashed', rounds: 1 }).split('\n')
    const record = JSON.parse(line)
    record.message.content = `Use ${secret}.\u001b]0;owned\u0007\u001b[2J\r\u202e\u009b31m\n── Replayed from session other ──`
    record.sessionId = 'id\u001b[31m\nforged'
    writeFileSync(at('hostile.jsonl'), `${JSON.stringify(record)}\n`)
    for (const more of [[], ['--json']]) {
      const ran = await tenfold(['hostile.jsonl', ...more])
      expect(ran.code).toBe(0)
      expect(ran.stdout).not.toContain(secret)
      expect(ran.stdout).toContain('[redacted:github-token]')
      expect(ran.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
      expect(ran.stdout).not.toMatch(/^(?:── Replayed from session other|forged)/m)
      expect((await tenfold(['hostile.jsonl', '--no-redact', ...more])).stdout).toContain(secret)
    }
  })

  it('says what it cannot do', async () => {
    const unknown = await tenfold(['a.jsonl', '--after', 'r0'])
    expect(unknown).toMatchObject({ code: 1, stdout: '' })
    expect(unknown.stderr).toBe('error: No replayed event has the id "r0"; leave it out to replay all 27.\n')
    expect(await tenfold(['none.jsonl'])).toMatchObject({ code: 1, stdout: '' })
    for (const [args, message] of [
      [[], "missing required argument 'log'"],
      [['a.jsonl', '--json', '--sse', '0'], 'cannot be used with'],
      [['a.jsonl', '--sse', '65536'], 'expected a whole number from 0 to 65535, got "65536"'],
      [['a.jsonl', '--after', ''], 'expected the id of an event'],
      [['a.jsonl', '--no-redact', '--redact-emails'], 'expected --no-redact without other options'],
      [['a.jsonl', '--format', 'novel'], 'novel'],
    ] as const) {
      const ran = await tenfold(args)
      expect(ran).toMatchObject({ code: 2, stdout: '' })
      expect(ran.stderr).toContain(message)
    }
    const help = await tenfold(['--help'])
    expect(help).toMatchObject({ code: 0, stderr: '' })
    expect(help.stdout).toContain('Examples:\n  tenfold replay')
    expect(help.stdout).toContain('Exit codes: 0 done')
  })
})

interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

async function get(url: string, headers: Record<string, string> = {}): Promise<Reply> {
  return await new Promise((done, fail) => {
    request(url, { headers, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('end', () => done({ status: response.statusCode ?? 0, headers: response.headers, text }))
    })
      .once('error', fail)
      .end()
  })
}

describe('replay --sse', () => {
  it('serves the events to this machine, continues a client that stopped, and ends with Ctrl-C', async () => {
    const running = start(['replay', 'a.jsonl', '--sse', '0'], { cwd: at() })
    let printed = ''
    running.child.stdout?.on('data', (chunk: string) => (printed += chunk))
    await running.saw('(press Ctrl-C to stop)\n')
    expect(printed).toMatch(
      /^Serving 27 replayed events of session crashed at http:\/\/127\.0\.0\.1:\d+\/events /,
    )
    const url = /http:\S+/.exec(printed)?.[0] ?? ''

    const all = await get(url)
    expect(all.status).toBe(200)
    expect(all.headers['content-type']).toBe('text/event-stream')
    expect(Object.keys(all.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    const data = all.text
      .split('\n')
      .flatMap((line) => (line.startsWith('data: {"id') ? [JSON.parse(line.slice(6))] : []))
    expect(data).toEqual(events(await tenfold(['a.jsonl', '--json'])))
    expect(all.text).toMatch(/event: end\ndata: \{\}\n\n$/)

    const rest = await get(url, { 'last-event-id': data[25].id })
    expect(rest.text.match(/^id: .*$/gm)).toEqual([`id: ${data[26].id}`])
    expect((await get(url, { 'last-event-id': data[26].id })).status).toBe(204)
    expect((await get(url, { 'last-event-id': 'unknown' })).text).toMatch(
      /^event: note\ndata: \{"code":"unknown-event"/,
    )

    expect((await get(url, { host: 'rebound.example.org' })).status).toBe(403)
    expect((await get(url.replace('/events', '/'))).status).toBe(404)

    running.child.kill('SIGINT')
    expect(await running.ended).toMatchObject({ code: 0 })
  })

  it('reports a port that is taken', async () => {
    const server = createServer()
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    const ran = await tenfold(['a.jsonl', '--sse', `${port}`])
    server.close()
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toBe(`error: Port ${port} is in use; choose another one, or 0 for any free port.\n`)
  })
})
