import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')

interface Import {
  readonly from: string
  readonly to: string
}

function sourcesOf(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(root, folder, name))
}

function importsOf(file: string, source = readFileSync(file, 'utf8')): Import[] {
  const statement = /^(?:import|export)\s(?:[^'";]*?\sfrom\s)?'([^']+)'|\bimport\('([^']+)'\)/gm
  return [...source.matchAll(statement)].map(([, plain, dynamic]) => ({
    from: file,
    to: plain ?? dynamic ?? '',
  }))
}

const packages = readdirSync(join(root, 'packages')).filter((name) =>
  existsSync(join(root, 'packages', name, 'package.json')),
)
const imports = packages.flatMap((name) =>
  sourcesOf(`packages/${name}/src`).flatMap((file) => importsOf(file)),
)

/** A room may import from those before it, and from itself. */
const rooms = [
  ['errors.ts', 'regular-file.ts', 'session', 'text'],
  ['tools', 'tokens', 'git', 'storage', 'sources'],
  ['bundle', 'shell'],
  ['redact', 'readers'],
  ['facts'],
  ['plan', 'replay', 'convert'],
  ['options'],
  ['summarize', 'brief'],
  ['store'],
  ['carry'],
  ['assemble'],
  ['checkpoint', 'recall', 'halt', 'ledger', 'given'],
  ['resume', 'import'],
  ['prepare-log.ts'],
  ['assemble-clean.ts'],
  ['continue-bundle.ts', 'finish-log.ts'],
  ['compress-log.ts'],
  ['compress-once.ts'],
  ['threads'],
  ['compress-logs.ts'],
  ['index.ts', 'testing', 'entries'],
]

const allowedPackages: Record<string, readonly string[]> = {
  tokens: [],
  redact: ['tokens'],
  core: ['redact', 'tokens'],
  summarizers: ['core'],
  'storage-fs': ['core'],
  'storage-s3': ['core'],
  queue: ['core'],
  view: ['core'],
  measure: ['core'],
  integrations: ['core', 'summarizers'],
  cli: ['core', 'summarizers', 'storage-fs', 'storage-s3', 'queue', 'measure', 'view'],
}

function roomOf(file: string): string {
  return relative(join(root, 'packages/core/src'), file).split('/')[0] ?? ''
}

function rankOf(room: string): number {
  return rooms.findIndex((names) => names.includes(room))
}

function cyclesOf(edges: readonly Import[]): string[][] {
  const graph = new Map<string, string[]>()
  for (const { from, to } of edges) graph.set(from, [...(graph.get(from) ?? []), to])
  const done = new Set<string>()
  const cycles: string[][] = []
  const visit = (place: string, path: readonly string[]): void => {
    if (path.includes(place)) cycles.push([...path.slice(path.indexOf(place)), place])
    if (done.has(place) || path.includes(place)) return
    for (const next of graph.get(place) ?? []) visit(next, [...path, place])
    done.add(place)
  }
  for (const place of graph.keys()) visit(place, [])
  return cycles
}

/** Imports between the folders of a package; files next to the folders start or join what the folders hold. */
function folderImportsOf(name: string): Import[] {
  const below = join(root, 'packages', name, 'src')
  const folderOf = (file: string) => relative(below, dirname(file)).split('/')[0] ?? ''
  return imports
    .filter(({ from, to }) => from.startsWith(`${below}/`) && to.startsWith('.'))
    .map(({ from, to }) => ({ from: folderOf(from), to: folderOf(resolve(dirname(from), to)) }))
    .filter(({ from, to }) => from !== '' && to !== '' && from !== to)
}

describe('the architecture', () => {
  it('is read from import statements of every form', () => {
    const source = `import a from './a.ts'\nimport type { B } from './b.ts'\nexport { c } from './c.ts'\nimport {\n  d,\n} from './d.ts'\nimport './e.ts'\nconst f = await import('./f.ts')\n`
    expect(importsOf('x.ts', source).map(({ to }) => to)).toEqual([
      './a.ts',
      './b.ts',
      './c.ts',
      './d.ts',
      './e.ts',
      './f.ts',
    ])
    expect(imports.length).toBeGreaterThan(200)
  })

  it('points one way between packages', () => {
    const wrong = imports.filter(({ from, to }) => {
      const own = relative(join(root, 'packages'), from).split('/')[0] ?? ''
      const other = /^@tenfold\/([a-z0-9-]+)/.exec(to)?.[1]
      return other !== undefined && !allowedPackages[own]?.includes(other)
    })
    expect(wrong).toEqual([])
  })

  it('points one way between the rooms of core', () => {
    const wrong = imports
      .filter(({ from, to }) => from.startsWith(join(root, 'packages/core/src')) && to.startsWith('.'))
      .map(({ from, to }) => ({
        from: relative(root, from),
        to,
        rank: rankOf(roomOf(from)),
        target: rankOf(roomOf(resolve(dirname(from), to))),
      }))
      .filter(({ rank, target, from, to }) => {
        const sameRoom = roomOf(join(root, from)) === roomOf(resolve(root, dirname(from), to))
        return rank === -1 || target === -1 || target > rank || (target === rank && !sameRoom && rank !== 0)
      })
    expect(wrong).toEqual([])
  })

  it('keeps the adapters of providers apart, and their common code free of them', () => {
    const vendors = ['anthropic', 'openai', 'ollama']
    const below = join(root, 'packages/summarizers/src')
    const folderOf = (file: string) => relative(below, file).split('/')[0] ?? ''
    const wrong = imports
      .filter(({ from, to }) => from.startsWith(below) && to.startsWith('.'))
      .map(({ from, to }) => ({ from: folderOf(from), to: folderOf(resolve(dirname(from), to)) }))
      .filter(({ from, to }) => from !== to && vendors.includes(to))
    expect(wrong).toEqual([])
  })

  it('has no cycle of files', () => {
    const local = imports.filter(({ to }) => to.startsWith('.'))
    const edges = local.map(({ from, to }) => ({ from, to: resolve(dirname(from), to) }))
    expect(cyclesOf(edges).map((cycle) => cycle.map((file) => relative(root, file)))).toEqual([])
  })

  it.each(packages)('has no cycle of folders in %s', (name) => {
    expect(cyclesOf(folderImportsOf(name))).toEqual([])
  })

  it('is checked by a test that sees a cycle', () => {
    expect(folderImportsOf('cli').length).toBeGreaterThan(20)
    expect(cyclesOf(['ab', 'bc', 'cb'].map(([from = '', to = '']) => ({ from, to })))).toEqual([
      ['b', 'c', 'b'],
    ])
  })

  it('imports no package that its package.json does not name', () => {
    const wrong = imports.filter(({ from, to }) => {
      if (to.startsWith('.') || to.startsWith('node:')) return false
      const own = relative(join(root, 'packages'), from).split('/')[0] ?? ''
      const manifest = JSON.parse(readFileSync(join(root, 'packages', own, 'package.json'), 'utf8'))
      const { dependencies = {}, peerDependencies = {}, devDependencies = {} } = manifest
      // What these bundles have in them is published inside them.
      const isBundled =
        ['cli', 'core', 'redact'].includes(own) ||
        to === 'eventsource-parser' ||
        /\/view\/src\/browser\/|\/measure\/src\/html\//.test(from)
      if (isBundled) Object.assign(dependencies, devDependencies)
      const name = to
        .split('/')
        .slice(0, to.startsWith('@') ? 2 : 1)
        .join('/')
      return !(name in dependencies) && !(name in peerDependencies)
    })
    expect(wrong).toEqual([])
  })

  it('keeps a source file to one idea: at most 300 lines', () => {
    const long = packages
      .flatMap((name) => sourcesOf(`packages/${name}/src`))
      // The list of public names is one idea, of any length.
      .filter((file) => file !== join(root, 'packages/core/src/index.ts'))
      .map((file) => ({ file: relative(root, file), lines: readFileSync(file, 'utf8').split('\n').length }))
      .filter(({ lines }) => lines > 300)
    expect(long).toEqual([])
  })
})
