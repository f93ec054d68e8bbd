import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createGzip } from 'node:zlib'
import { pick, seededRandom } from '../eval/random.ts'

/** Options of {@link killCommands} and {@link tryTraps}. */
export interface CommandOptions {
  /** The program `tenfold`. */
  readonly program: string
  readonly folder: string
  /** A small log, which is copied under other session ids. */
  readonly log: string
}

/** The faults name the command. */
export interface CommandReport {
  readonly tried: number
  readonly faults: readonly string[]
}

interface Outcome {
  readonly ok: boolean
  readonly killed: boolean
  readonly stdout: string
  readonly stderr: string
}

/** Also what `copy` says of bundles whose deletion was cut off, until the next prune completes it. */
const expected = /no store|nothing|^(?:not copied: pruned\/\S+ because its bundle is missing\s*)+$/i

/** A command that takes longer hangs. */
const timeLimit = 60_000

async function run(
  { program, folder }: CommandOptions,
  args: readonly string[],
  killAfter = timeLimit,
  maxMegabytes = 4096,
): Promise<Outcome> {
  return await new Promise((resolve) => {
    execFile(
      process.execPath,
      [`--max-old-space-size=${maxMegabytes}`, program, ...args],
      {
        cwd: folder,
        env: { ...process.env, HOME: join(folder, 'home') },
        timeout: killAfter,
        killSignal: 'SIGKILL',
        maxBuffer: 2 ** 28,
      },
      (error, stdout, stderr) =>
        resolve({ ok: error === null, killed: error?.killed === true, stdout, stderr }),
    )
  })
}

/**
 * Kills commands that write to a store at random moments. At the end each log has one bundle, every checkpoint that
 * was acknowledged is listed, and the store is whole but for dumps that were cut off, which it must name.
 */
export async function killCommands(
  options: CommandOptions & { readonly seed: number; readonly kills: number },
): Promise<CommandReport> {
  const { folder, log, seed, kills } = options
  const random = seededRandom(seed)
  const faults: string[] = []
  const saved: string[] = []
  let killed = 0
  await mkdir(join(folder, 'logs'), { recursive: true })
  const text = await readFile(log, 'utf8')
  const session = /"sessionId":"([^"]+)"/.exec(text)?.[1] ?? ''
  const store = ['--store', 'store']
  const commands: readonly (readonly string[])[] = [
    ['compress', ...store, '--json', 'logs'],
    ['checkpoint', 'save', ...store, '--step', 'go on', '--next-cmd', 'npm test', '--json'],
    ['dump', 'create', ...store, '--reason', 'soak', '--log', 'logs/0.jsonl', '--json'],
    ['copy', '--from', 'store', '--to', 'copy'],
    ['prune', ...store, '--keep-last', '3', '--delete'],
    ['prune', '--store', 'copy', '--keep-last', '3'],
  ]
  for (let count = 0; count < kills; count++) {
    const id = `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`
    await writeFile(join(folder, `logs/${count}.jsonl`), text.replaceAll(session, id))
    const command = count === 0 ? (commands[0] as readonly string[]) : pick(commands, random)
    const outcome = await run(options, command, 150 + Math.floor(random() * 900))
    if (outcome.killed) killed++
    if (outcome.ok && command[0] === 'checkpoint') saved.push(JSON.parse(outcome.stdout).id)
    if (!outcome.ok && !outcome.killed && !expected.test(outcome.stderr))
      faults.push(`${command.join(' ')}: ${outcome.stderr.trim().slice(0, 300)}`)
  }
  const last = await run(options, commands[0] as readonly string[])
  if (!last.ok) faults.push(`compress after the kills: ${last.stderr.trim().slice(0, 300)}`)
  const again = await run(options, commands[0] as readonly string[])
  const known = again.stdout.split('\n').filter((line) => line.includes('"known":true')).length
  if (known !== kills) faults.push(`${known} of ${kills} logs have a bundle`)
  const listed = await run(options, ['checkpoint', 'list', ...store, '--json', '--limit', '100000'])
  for (const id of saved) if (!listed.stdout.includes(id)) faults.push(`checkpoint ${id} is lost`)
  const verified = await run(options, ['verify', ...store])
  const wrong = verified.stdout.split('\n').filter((line) => /missing|damaged|other bytes/.test(line))
  faults.push(...wrong.filter((line) => !line.includes('cut off')).map((line) => `verify: ${line.trim()}`))
  return { tried: killed, faults }
}

/** Memory that a command may take for what a place sends without end. */
const trapMegabytes = 600

/** Places that never answer, or send without end: each command must say so and end, in little memory. */
export async function tryTraps(options: CommandOptions): Promise<CommandReport> {
  const { folder, log } = options
  const sandbox = join(folder, 'sandbox')
  const pipe = (path: string): Buffer => execFileSync('mkfifo', [join(sandbox, path)])
  execFileSync('git', ['init', '-q', sandbox])
  await mkdir(join(sandbox, '.git/info'), { recursive: true })
  for (const path of ['log.jsonl', '.gitignore', '.git/info/attributes']) pipe(path)
  const server = createServer((request, response) => {
    if (request.url === '/silent') return
    const isPacked = request.url === '/packed'
    const headers = { 'content-type': 'text/event-stream', ...(isPacked && { 'content-encoding': 'gzip' }) }
    response.writeHead(200, headers)
    const body = isPacked ? createGzip({ level: 1 }) : response
    if (body !== response) body.pipe(response)
    // One message without an end, or small ones.
    const block = (request.url === '/messages' ? 'data: {}\n\n' : 'x').repeat(2 ** 17)
    const send = (): void => {
      while (body.write(block));
      body.once('drain', send)
    }
    body.write('data: ')
    send()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const commands: readonly (readonly string[])[] = [
    ['compress', '--store', 'traps', 'sandbox/log.jsonl'],
    ['view', 'sandbox/log.jsonl', '-o', 'page.html'],
    ['dump', 'create', '--store', 'traps', '--reason', 'soak', '--sandbox', 'sandbox', '--log', log],
    ['resume', '--store', 'traps'],
    ...['silent', 'message', 'messages', 'packed'].map((path) => [
      'view',
      `http://127.0.0.1:${port}/${path}`,
      ...['-o', 'page.html', '--max-log-size', '48MB'],
    ]),
  ]
  const faults: string[] = []
  for (const command of commands) {
    const { killed, stderr } = await run(options, command, timeLimit, trapMegabytes)
    if (killed) faults.push(`${command.join(' ')} took more than ${timeLimit} ms`)
    if (/bug in tenfold|heap out of memory|\n\s+at .*:\d+:\d+/.test(stderr))
      faults.push(`${command.join(' ')}: ${stderr.slice(0, 300)}`)
  }
  server.closeAllConnections()
  server.close()
  const long = await endsAtLength(options)
  if (!long) faults.push('mcp: a message above the limit does not end the server with an error')
  return { tried: commands.length + 1, faults }
}

/** Whether the MCP server ends at a message of 60 MB as it says: with an error, after the answers before it. */
async function endsAtLength({ program, folder }: CommandOptions): Promise<boolean> {
  const server = spawn(process.execPath, [program, 'mcp', '--store', 'traps'], {
    cwd: folder,
    env: { ...process.env, HOME: join(folder, 'home') },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: timeLimit,
  })
  const ask = (id: number, method: string, params: object): boolean =>
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
  const client = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'soak', version: '1' },
  }
  server.stdin.on('error', () => {})
  ask(1, 'initialize', client)
  ask(2, 'tools/call', { name: 'recall', arguments: { query: 'x'.repeat(60_000_000) } })
  const [said, complained, [code]] = await Promise.all([
    text(server.stdout),
    text(server.stderr),
    once(server, 'exit'),
  ])
  return said.includes('"id":1') && complained.includes('a message has more than') && code === 1
}
