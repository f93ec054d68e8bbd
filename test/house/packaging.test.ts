import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve, sep } from 'node:path'
import { promisify } from 'node:util'
import { checkPackage, createPackageFromTarballData, type Problem } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import initSqlJs from 'sql.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startStandIn } from '../stand-in/index.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../..')
const packages = readdirSync(join(root, 'packages'))
const libraries = packages.filter((name) => name !== 'cli')
// These ship what Rolldown makes of them.
const bundled = ['tokens', 'redact', 'core', 'storage-fs', 'storage-s3', 'summarizers', 'measure', 'cli']
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tenfold-packed-')))
const modules = join(folder, 'node_modules')

interface Manifest {
  readonly name: string
  readonly version: string
  readonly description?: string
  readonly license?: string
  readonly type?: string
  readonly bin?: Record<string, string>
  readonly exports: Record<string, unknown>
  readonly dependencies?: Record<string, string>
  readonly peerDependencies?: Record<string, string>
}

function manifestOf(path: string): Manifest {
  return JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
}

const nameOf = (name: string): string => manifestOf(join(root, 'packages', name)).name
const installed = (name: string): string => join(modules, nameOf(name))
const tarball = (name: string): string => {
  const { name: full, version } = manifestOf(join(root, 'packages', name))
  return join(folder, `${full.replace('@', '').replace('/', '-')}-${version}.tgz`)
}

/** Subpaths with code, as the names to import. */
function modulesOf(name: string): string[] {
  const paths = Object.keys(manifestOf(installed(name)).exports).filter((path) => !path.endsWith('.json'))
  return paths.map((path) => join(nameOf(name), path))
}

function filesOf(path: string): string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
}

/** Copies the packages as they are in a fresh clone after a build: without what an earlier build left behind. */
function cloneBuilt(): string {
  const clone = join(folder, 'clone')
  for (const name of packages)
    cpSync(join(root, 'packages', name), join(clone, name), {
      recursive: true,
      filter: (path) =>
        !/[\\/](test|node_modules|\.turbo)$/.test(path) && (statSync(path).isDirectory() || isOfBuild(path)),
    })
  return clone
}

/**
 * Whether a build writes a file, if it is in a folder of builds: its source exists. The bundler writes `lib` and the
 * page's scripts.
 */
function isOfBuild(path: string): boolean {
  if (/[\\/]dist[\\/]page[\\/][^\\/]+\.js$/.test(path)) return true
  const source = path.replace(/[\\/]dist[\\/](.+?)(?:\.d)?\.[jt]s(?:\.map)?$/, `${sep}src${sep}$1.ts`)
  return source === path || existsSync(source)
}

/**
 * Installs the tarballs as npm would into an empty folder, without a network: unpacked under node_modules, and of other
 * packages only those that a manifest names, as links to what `npm ci` installed here.
 */
async function install(): Promise<void> {
  const clone = cloneBuilt()
  const folders = packages.map((name) => join(clone, name))
  await run('npm', ['pack', '--pack-destination', folder, ...folders], { cwd: folder })
  for (const name of packages) {
    mkdirSync(installed(name), { recursive: true })
    await run('tar', ['-xzf', tarball(name), '-C', installed(name), '--strip-components', '1'])
  }
  const others = packages.flatMap((name) => {
    const { dependencies, peerDependencies } = manifestOf(installed(name))
    return Object.keys({ ...dependencies, ...peerDependencies })
  })
  for (const name of new Set([...others, '@types/node', 'undici-types'])) {
    if (existsSync(join(modules, name))) continue
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }')
}

beforeAll(install)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.each(packages)('the tarball of %s', (name) => {
  it('holds its code, a README and the licence, and nothing else', () => {
    const files = filesOf(installed(name))
    const isBundled = bundled.includes(name)
    const code = name === 'cli' ? '(bin|lib)/' : isBundled ? '(lib/|dist/.*\\.d\\.ts$)' : '(dist|src)/'
    const expected = new RegExp(
      `^${code}|^(package\\.json|README\\.md|LICENSE|CHANGELOG\\.md|(bundle|report)\\.schema\\.json)$`,
    )
    expect(files.filter((file) => !expected.test(file))).toEqual([])
    expect(files.filter((file) => /\.test\.|tsbuildinfo|\.jsonl$|(^|\/)fixtures\//.test(file))).toEqual([])
    expect(files).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'package.json']))
    expect(readFileSync(join(installed(name), 'LICENSE'), 'utf8')).toBe(
      readFileSync(join(root, 'LICENSE'), 'utf8'),
    )
  })

  it('has a description, supported versions and a licence', () => {
    const manifest = manifestOf(installed(name))
    expect(manifest).toMatchObject({
      license: 'MIT',
      type: 'module',
      description: expect.stringMatching(/\.$/),
    })
    expect(manifest.version).toBe(manifestOf(root).version)
    for (const [other, range] of Object.entries(manifest.dependencies ?? {}))
      if (other.startsWith('@tenfold/')) expect(`${other} ${range}`).toBe(`${other} ${manifest.version}`)
    const readme = readFileSync(join(installed(name), 'README.md'), 'utf8')
    expect(readme).toContain(`# ${manifest.name}`)
    expect(readme).toContain('npm install')
  })

  it('imports, with every subpath', async () => {
    const manifest = manifestOf(installed(name))
    expect(Object.keys(manifest.exports)).toContain('./package.json')
    const paths = modulesOf(name)
    if (paths.length === 0) return
    const code = paths.map((path) => `console.log(Object.keys(await import('${path}')).length)`).join('\n')
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code], { cwd: folder })
    const counts = stdout.trim().split('\n').map(Number)
    for (const [index, path] of paths.entries()) expect(counts[index], path).toBeGreaterThan(0)
  })

  it('has no complaint of publint', async () => {
    const bytes = readFileSync(tarball(name))
    const { messages, pkg } = await publint({
      pack: {
        tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer,
      },
      strict: true,
    })
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([])
  })
})

/** How those resolve who can import a package that has only ES modules. */
const esmOnly = ['node16-esm', 'bundler'] as const

describe.each(libraries)('the tarball of %s', (name) => {
  it('has a build of exactly its sources', () => {
    const built = filesOf(installed(name)).filter((file) => /^dist\/.*\.d\.ts$/.test(file))
    const sources = filesOf(join(root, 'packages', name, 'src')).filter((file) => file.endsWith('.ts'))
    expect(built.sort()).toEqual(sources.map((file) => `dist/${file.slice(0, -3)}.d.ts`).sort())
  })

  it('has types that resolve, by attw', async () => {
    const analysis = await checkPackage(createPackageFromTarballData(readFileSync(tarball(name))))
    if (analysis.types === false) expect.unreachable('the tarball has no types')
    expect(analysis.types).toEqual({ kind: 'included' })
    expect(Object.keys(analysis.entrypoints)).toEqual(Object.keys(manifestOf(installed(name)).exports))
    for (const { resolutions } of Object.values(analysis.entrypoints))
      for (const kind of esmOnly) expect(resolutions[kind].resolution, kind).toBeDefined()
    const isOfEsm = (problem: Problem): boolean =>
      !('resolutionKind' in problem) || esmOnly.some((kind) => kind === problem.resolutionKind)
    expect(analysis.problems.filter(isOfEsm)).toEqual([])
  })
})

describe('an installation', () => {
  const sizeOf = (path: string): number =>
    filesOf(path).reduce((sum, file) => sum + statSync(join(path, file)).size, 0)

  it('of core, the file storage and the offline summarizer takes at most 30 MB', () => {
    const own = ['core', 'storage-fs', 'summarizers']
    const found = new Set<string>()
    const add = (path: string): void => {
      if (found.has(path)) return
      found.add(path)
      for (const name of Object.keys(manifestOf(path).dependencies ?? {}))
        add(realpathSync(join(modules, name)))
    }
    for (const name of own) add(installed(name))
    expect(found.size).toBeGreaterThan(own.length)
    const bytes = [...found].reduce((sum, path) => sum + sizeOf(path), 0)
    expect(bytes).toBeLessThan(30e6)
  })
})

describe('the checks of the tarballs', () => {
  it('report a missing file by publint', async () => {
    const broken = join(folder, 'broken')
    mkdirSync(broken)
    writeFileSync(
      join(broken, 'package.json'),
      '{ "name": "broken", "version": "1.0.0", "type": "module", "exports": "./gone.js" }',
    )
    const { messages } = await publint({ pkgDir: broken, pack: false, strict: true })
    expect(messages.map(({ code }) => code)).toContain('FILE_DOES_NOT_EXIST')
  })

  it('cannot load a package that no manifest names', async () => {
    const code = "await import('vitest')"
    await expect(run(process.execPath, ['--input-type=module', '-e', code], { cwd: folder })).rejects.toThrow(
      /ERR_MODULE_NOT_FOUND/,
    )
  })
})

const consumer = `import { readFile } from 'node:fs/promises'
import { bundleStore, compressLog, type ContextBundle, memoryStorage, renderBrief, type TokenCounter } from '@tenfold/core'
import schema from '@tenfold/core/bundle.schema.json' with { type: 'json' }
import { counterCases, readerCases, storageCases, summarizerCases } from '@tenfold/core/testing'
import { fileStorage } from '@tenfold/storage-fs'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'

const counter: TokenCounter = { name: 'characters/4', count: (text) => Math.ceil(text.length / 4) }
const path: string = process.argv[2] ?? ''
for (const storage of [memoryStorage(), fileStorage('store')]) {
  const { bundle, stored } = await compressLog(await readFile(path), {
    summarizer: extractiveSummarizer(),
    store: bundleStore(storage),
    counter,
    kind: 'progress',
  })
  const kept: ContextBundle = bundle
  // @ts-expect-error a bundle of version 2 is not one of version 1
  const wrong: ContextBundle = { ...bundle, schemaVersion: 2 }
  console.log(wrong.schemaVersion, kept.kind, stored?.track, (await renderBrief(kept, { counter })).length > 100)
}
console.log(schema.title, [counterCases, readerCases, storageCases, summarizerCases].every((cases) => cases.length > 5))
`

const smallLog = join(root, 'examples/logs/claude-code-small.jsonl')

describe('the installed packages', () => {
  it.each(['nodenext', 'bundler'])('type-check, and run, with moduleResolution %s', async (resolution) => {
    const project = join(folder, resolution)
    mkdirSync(project)
    writeFileSync(join(project, 'consumer.ts'), consumer)
    const compilerOptions = {
      target: 'es2023',
      module: resolution === 'bundler' ? 'preserve' : 'nodenext',
      moduleResolution: resolution,
      types: ['node'],
      strict: true,
      skipLibCheck: false,
      resolveJsonModule: true,
      outDir: 'out',
      rootDir: '.',
    }
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }))
    const { stdout: complaints } = await run(join(root, 'node_modules/.bin/tsc'), ['-p', project]).catch(
      (error: { stdout: string }) => error,
    )
    expect(complaints).toBe('')
    const { stdout } = await run(process.execPath, ['out/consumer.js', smallLog], { cwd: project })
    expect(stdout).toBe('2 progress main true\n2 progress main true\nTenfold context bundle true\n')
  })
})

describe('the tarball of cli, with no other package', () => {
  const { bin, version, dependencies } = manifestOf(join(root, 'packages/cli'))
  const alone = realpathSync(mkdtempSync(join(tmpdir(), 'tenfold-alone-')))
  const program = join(alone, 'package', bin?.tenfold ?? '')
  const log = join(root, 'examples/logs/claude-code-rate-limiter.jsonl')
  const tenfold = async (...args: string[]): Promise<string> => {
    const { PATH, SystemRoot } = process.env
    const env = { PATH, SystemRoot, HOME: alone, ANTHROPIC_API_KEY: 'test', OPENAI_API_KEY: 'test' }
    const { stdout } = await run(process.execPath, [program, ...args], { cwd: alone, env })
    return stdout
  }
  beforeAll(() => run('tar', ['-xzf', tarball('cli'), '-C', alone]))
  afterAll(() => rmSync(alone, { recursive: true, force: true }))

  it('needs no other package, and has the licenses of those that are in it', () => {
    expect(dependencies).toBeUndefined()
    const licenses = readFileSync(join(alone, 'package/lib/THIRD-PARTY-LICENSES.txt'), 'utf8')
    const names = [...licenses.matchAll(/^# (\S+) \d/gm)].map(([, name]) => name)
    const some = '@anthropic-ai/sdk @aws-sdk/client-s3 commander openai sql.js tiktoken zod'.split(' ')
    expect(names).toEqual(expect.arrayContaining(some))
    expect(names.filter((name) => name?.startsWith('@tenfold/'))).toEqual([])
  })

  it('takes at most 15 MB', () => {
    const files = filesOf(join(alone, 'package'))
    const bytes = files.reduce((sum, file) => sum + statSync(join(alone, 'package', file)).size, 0)
    expect(bytes).toBeLessThan(15e6)
  })

  it('compresses logs in threads', async () => {
    const again = ['--again', '--log-time', '10m', '--redact-pattern', 'limiter-\\d+', '--store', 'threads']
    const logs = join(alone, 'logs')
    mkdirSync(logs)
    const text = readFileSync(smallLog, 'utf8')
    const { sessionId } = JSON.parse(text.slice(0, text.indexOf('\n')))
    for (const name of ['first', 'second'])
      writeFileSync(join(logs, `${name}.jsonl`), text.replaceAll(sessionId, name))
    const printed = await tenfold('compress', logs, '--json', ...again)
    const lines = printed
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter((line) => 'log' in line)
    expect(lines).toHaveLength(2)
    for (const each of lines) expect(each).toMatchObject({ bundle: { key: expect.any(String) } })
  })

  it('compresses a log, resumes from it and shows it', async () => {
    expect(await tenfold('--version')).toBe(`${version}\n`)
    const { bundle, band, tokens } = JSON.parse(await tenfold('compress', log, '--json'))
    expect(band).toBe('within')
    expect(tokens.ratio).toBeLessThanOrEqual(0.1)
    expect(existsSync(join(alone, '.agents/bundles', bundle.key))).toBe(true)
    expect(await tenfold('resume')).toContain('# Resume: ')
    expect(await tenfold('verify')).toContain('1 bundle')
    await tenfold('view', log, '--output', 'page.html')
    expect(readFileSync(join(alone, 'page.html'), 'utf8')).toMatch(/<style>.+<script.+rate limiter/is)
  })

  it('reads a database', async () => {
    const { Database } = await initSqlJs()
    const database = new Database()
    database.run(`CREATE TABLE session (id text, directory text, title text, time_created integer);
      CREATE TABLE message (id text, session_id text, time_created integer, data text);
      CREATE TABLE part (id text, message_id text, session_id text, data text);
      INSERT INTO session VALUES ('ses_1', '/srv/shop', 'Totals', 1770000000000);
      INSERT INTO message VALUES ('msg_1', 'ses_1', 1770000000000, '{"role":"user"}');
      INSERT INTO part VALUES ('prt_1', 'msg_1', 'ses_1', '{"type":"text","text":"Round the totals."}');`)
    writeFileSync(join(alone, 'opencode.db'), database.export())
    database.close()
    expect(await tenfold('convert', 'opencode.db', '--to', 'markdown')).toContain('Round the totals.')
  })

  it.each([
    ['anthropic', 'claude-opus-5-5'],
    ['openai', 'local-model'],
    ['ollama', 'qwen3:8b'],
  ])('asks a model of %s', async (summarizer, model) => {
    const standIn = await startStandIn()
    const url = summarizer === 'openai' ? standIn.openaiUrl : standIn.url
    const asked = ['--summarizer', summarizer, '--model', model, '--base-url', url]
    const { summary } = JSON.parse(
      await tenfold('compress', smallLog, '--json', '--store', summarizer, ...asked),
    )
    expect(summary).toMatchObject({ summarizer, model })
    expect(summary.calls).toHaveLength(standIn.bill.length)
    await standIn.close()
  })

  it('serves the store over MCP, and says what is wrong with an S3 store', async () => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const child = run(process.execPath, [program, 'mcp'], { cwd: alone })
    child.child.stdin?.end(`${JSON.stringify(call)}\n`)
    expect((await child).stdout).toContain('recall')
    await expect(tenfold('list', '--store', 's3://bucket?endpoint=http://127.0.0.1:1')).rejects.toThrow(
      /127\.0\.0\.1/,
    )
  })
})
