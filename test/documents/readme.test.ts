import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StandIn, startStandIn } from '../stand-in/index.ts'
import { hasRedis, type RedisServer, startRedis } from '../support/redis-server.ts'
import { startProgramRunner } from '../support/run-programs.ts'

// Every block of the documents is run: `sh` in bash, `ts` compiled and started, `json` parsed; `text` right after `sh`
// is compared with what the command printed, and of `md` right after `sh` each line must be in the output, in this
// order.
// Providers are a stand-in, which answers what the documents ask of a model.
// After a change of output: UPDATE_DOCS=1 npx vitest run test/documents/readme.test.ts

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../..')
const documents = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}/README.md`),
].filter((name) => hasRedis() || !name.includes('queue'))
const folders: string[] = []

const warmCommand = join(import.meta.dirname, '../support/warm-command.js')
const socket = join(mkdtempSync(join(tmpdir(), 'tenfold-warm-')), 'socket')
folders.push(dirname(socket))

const programs = startProgramRunner()
let standIn: StandIn
let redis: RedisServer | undefined
let warm: ChildProcess
beforeAll(async () => {
  standIn = await startStandIn({ batchPolls: 0 })
  if (hasRedis()) redis = await startRedis()
  warm = fork(warmCommand, ['serve'], { env: { ...process.env, WARM_COMMAND_SOCKET: socket } })
  await once(warm, 'message')
})

afterAll(async () => {
  warm.disconnect()
  // A program that leaves something open would keep it from ending.
  await programs.close()
  await standIn.close()
  await redis?.stop()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

interface Block {
  readonly language: string
  readonly body: string
  /** Line of the fence, counted from 1. */
  readonly line: number
  /** Start of the body, in characters. */
  readonly start: number
  /** This block shows the output of the command before it. */
  readonly follows: boolean
}

function blocksOf(markdown: string): Block[] {
  const fence = /^```(\S*)\n([\s\S]*?)^```$/gm
  let end = 0
  return [...markdown.matchAll(fence)].map(({ 0: whole, 1: language = '', 2: body = '', index }) => {
    const between = markdown.slice(end, index)
    end = index + whole.length
    const line = markdown.slice(0, index).split('\n').length
    return { language, body, line, start: index + language.length + 4, follows: between.trim() === '' }
  })
}

/** A folder that looks like the repository to commands that run in it, so that the repository stays clean. */
function workFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tenfold-readme-'))
  folders.push(folder)
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  cpSync(join(root, 'examples/logs'), join(folder, 'examples/logs'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  return folder
}

const scripts: Record<string, string> = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts

/** The part of a line that is run here: no installing, and no script of the repository, which must exist however. */
function commandsOf(line: string): string[] {
  const steps = line.replace(/\s+#\s.*$/, '').split(' && ')
  return steps.filter((step) => {
    const script = /^npm (?:run )?(test(?::release)?|check|build|fix|bench|eval|soak)\b/.exec(step)?.[1]
    if (script !== undefined) expect(Object.keys(scripts), step).toContain(script)
    return script === undefined && !/^npm (ci|install)\b/.test(step)
  })
}

// Commands of tenfold go to one process that runs them all; the first block of the README is run as it is.
const directly = `npx() {
  if [ "$1" = tenfold ]; then shift; "${process.execPath}" "${warmCommand}" run "$@"; else command npx "$@"; fi
}; `

async function runShell(body: string, cwd: string, prelude = directly): Promise<string> {
  const lines = body.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'))
  let printed = ''
  for (const line of lines) {
    const command = commandsOf(line).join(' && ')
    if (command === '') continue
    const script = ['-euo', 'pipefail', '-c', `${prelude}${command}`]
    printed += (await run('bash', script, { cwd, env: environment() })).stdout
  }
  return printed
}

interface Compiled {
  readonly folder: string
  /** Output of the compiler, one complaint per line. */
  readonly complaints: string
}

/** Compiles programs together: most of the compiler's time goes into the types of the vendors. */
async function compile(programs: Record<string, string>): Promise<Compiled> {
  const folder = workFolder()
  const compilerOptions = {
    target: 'es2023',
    module: 'nodenext',
    types: ['node'],
    strict: true,
    noUnusedLocals: true,
    skipLibCheck: true,
  }
  cpSync(join(import.meta.dirname, '../support/claude-agent-sdk.ts'), join(folder, 'claude-agent-sdk.ts'))
  for (const [name, body] of Object.entries(programs))
    writeFileSync(
      join(folder, `${name}.ts`),
      body.replace("'@anthropic-ai/claude-agent-sdk'", "'./claude-agent-sdk.js'"),
    )
  const files = Object.keys(programs).map((name) => `${name}.ts`)
  const config = { compilerOptions: { ...compilerOptions, outDir: '.', rootDir: '.' }, files }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const { stdout } = await run(join(root, 'node_modules/.bin/tsc'), ['-p', '.'], { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  )
  return { folder, complaints: stdout }
}

async function runTypeScript({ folder, complaints }: Compiled, name: string, cwd: string): Promise<void> {
  // A complaint without a file concerns every program.
  const about = complaints.split('\n').filter((line) => line.startsWith(`${name}.ts`) || /^error/.test(line))
  expect(about, 'complaints of the compiler').toEqual([])
  await programs.run(join(folder, `${name}.js`), { cwd, env: environment() })
}

function environment(): NodeJS.ProcessEnv {
  const { TENFOLD_STORE, TENFOLD_SUMMARIZER, TENFOLD_MODEL, ...env } = process.env
  return {
    ...env,
    WARM_COMMAND_SOCKET: socket,
    NO_COLOR: '1',
    ANTHROPIC_API_KEY: 'test-key',
    ANTHROPIC_BASE_URL: standIn.url,
    OPENAI_API_KEY: 'test-key',
    OPENAI_BASE_URL: standIn.openaiUrl,
    OLLAMA_HOST: standIn.url,
    ...(redis !== undefined && { TENFOLD_REDIS_URL: redis.socket }),
  }
}

/** Ids, times and durations differ from run to run. */
function normalise(text: string): string {
  return text
    .trimEnd()
    .replaceAll(/\d{8}T\d{9}Z-\d{9}/g, 'ID')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/\b\d+(?:\.\d+)? ?m?s\b|(?<="durationMs":)\d+/g, 'DURATION')
    .replaceAll(/ +/g, ' ')
}

const numbers = /\d[\d,]*(?:\.\d+)?/g

/** Equal except for numbers that are 1 % off: the random part of an id takes a token more or less. */
function expectOutput(actual: string, shown: string): void {
  const [is, says] = [normalise(actual), normalise(shown)]
  const cut = says.endsWith('\n…')
  const lines = cut ? says.split('\n').length - 1 : Number.POSITIVE_INFINITY
  const given = is.split('\n').slice(0, lines).join('\n')
  const claimed = cut ? says.slice(0, -2) : says
  expect(given.replaceAll(numbers, 'N')).toBe(claimed.replaceAll(numbers, 'N'))
  const values = (text: string): number[] =>
    (text.match(numbers) ?? []).map((value) => Number(value.replaceAll(',', '')))
  const wanted = values(claimed)
  for (const [index, value] of values(given).entries()) {
    const want = wanted[index] ?? Number.NaN
    expect(Math.abs(value - want), `number ${index + 1}: ${value}, not ${want}`).toBeLessThanOrEqual(
      want / 100,
    )
  }
}

const namesModel = /(?:anthropic|openai|ollama|aiSdk)Summarizer\(|--summarizer (?:anthropic|openai|ollama)/

/** An excerpt leaves out lines (`…` alone) and ends of lines (`…` at their end). */
function expectExcerpt(actual: string, shown: string): void {
  const lines = normalise(actual).split('\n')
  let from = 0
  for (const line of normalise(shown).split('\n')) {
    if (line === '…' || line === '') continue
    const found = lines.findIndex(
      (candidate, index) =>
        index >= from &&
        (line.endsWith('…') ? candidate.startsWith(line.slice(0, -1).trimEnd()) : candidate === line),
    )
    expect(found, `not printed, or not in this order: ${line}`).toBeGreaterThanOrEqual(from)
    from = found + 1
  }
}

function updated(actual: string, shown: string): string {
  const text = actual.trimEnd()
  const lines = shown.trimEnd().split('\n')
  return lines.at(-1) === '…'
    ? `${text
        .split('\n')
        .slice(0, lines.length - 1)
        .join('\n')}\n…\n`
    : `${text}\n`
}

const programName = (document: string, { line }: Block): string =>
  `${document.replaceAll(/\W/g, '-')}-${line}`

let compiled: Compiled
beforeAll(async () => {
  const programs = documents.flatMap((document) =>
    blocksOf(readFileSync(join(root, document), 'utf8'))
      .filter(({ language }) => language === 'ts')
      .map((block) => [programName(document, block), block.body]),
  )
  compiled = await compile(Object.fromEntries(programs))
})

describe.each(documents)('%s', (document) => {
  const path = join(root, document)
  const markdown = readFileSync(path, 'utf8')
  const blocks = blocksOf(markdown)

  it('has blocks that run and print what it says', { timeout: 600_000 }, async () => {
    const folder = workFolder()
    let printed = ''
    let now = markdown
    const shift = (): number => now.length - markdown.length
    for (const [index, block] of blocks.entries()) {
      const { language, body, line, start, follows } = block
      try {
        const first = document === 'README.md' && index === 0
        const requests = standIn.requests.length
        if (language === 'sh') printed = await runShell(body, folder, first ? '' : directly)
        else if (language === 'ts') await runTypeScript(compiled, programName(document, block), folder)
        else if (language === 'json') JSON.parse(body)
        else if (language === 'md' && follows && blocks[index - 1]?.language === 'sh')
          expectExcerpt(printed, body)
        else if (language === 'text' && follows && blocks[index - 1]?.language === 'sh') {
          if (process.env.UPDATE_DOCS === undefined) expectOutput(printed, body)
          else {
            const at = start + shift()
            now = now.slice(0, at) + updated(printed, body) + now.slice(at + body.length)
          }
        } else expect(['text', 'md', 'yaml', 'jsonc']).toContain(language)
        // A limit that stops the example before its first call would let it pass without a model.
        if (['sh', 'ts'].includes(language) && namesModel.test(body))
          expect(standIn.requests.length, 'requests that the model got').toBeGreaterThan(requests)
      } catch (cause) {
        throw new Error(`${document}:${line}: ${cause instanceof Error ? cause.message : String(cause)}`, {
          cause,
        })
      }
    }
    if (now !== markdown) writeFileSync(path, now)
  })
})

describe('the checks of the documents', () => {
  it('find blocks, and which of them show output', () => {
    const markdown = 'a\n\n```sh\nls\n```\n\n```text\nb\n```\n\nc\n\n```text\nd\n```\n'
    expect(blocksOf(markdown)).toEqual([
      { language: 'sh', body: 'ls\n', line: 3, start: 9, follows: false },
      { language: 'text', body: 'b\n', line: 7, start: 25, follows: true },
      { language: 'text', body: 'd\n', line: 13, start: 43, follows: false },
    ])
    expect(blocksOf(readFileSync(join(root, 'README.md'), 'utf8')).length).toBeGreaterThan(4)
  })

  it('distinguish outputs', () => {
    expectOutput('took 12 ms\n1,004 tokens\nmore', 'took 9 s\n1,000 tokens\n…\n')
    expect(() => expectOutput('1,020 tokens', '1,000 tokens')).toThrow(/number 1/)
    expect(() => expectOutput('1,000 tokens', '1,000 tokens\nmore')).toThrow()
    expect(() => expectOutput('1,000 tokens\nmore', '1,000 tokens')).toThrow()
  })

  it('distinguish an excerpt from text that was not printed', () => {
    expectExcerpt('a\nlong line\nb', 'a\n…\nlong …\nb')
    expect(() => expectExcerpt('a\nb', 'b\na')).toThrow(/not printed/)
  })

  it('fail if a command or a program fails', async () => {
    const folder = workFolder()
    mkdirSync(join(folder, 'empty'))
    await expect(runShell('npx tenfold compress empty/none.jsonl', folder)).rejects.toThrow(/no log/)
    const programs = { wrong: 'const one: number = "1"\nexport { one }\n', throws: 'throw new Error("x")\n' }
    const both = await compile(programs)
    await expect(runTypeScript(both, 'wrong', folder)).rejects.toThrow(/complaints/)
    await expect(runTypeScript(both, 'throws', folder)).rejects.toThrow(/throws.js failed: x/)
    expect(commandsOf('npm ci && npx tenfold list # the bundles')).toEqual(['npx tenfold list'])
  })
})
