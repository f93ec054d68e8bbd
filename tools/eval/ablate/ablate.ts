import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { markdownTable } from '@tenfold/measure/internal'
import type { FigureArguments, Figures } from './figures.ts'

/** What follows from switching one module off. */
export interface Ablation {
  /** Path below the sources of its package. */
  readonly module: string
  readonly lines: number
  /** Figures that changed, as `name -2`; a negative number is worse. */
  readonly changes: readonly string[]
  /** Bundles of labelled sessions that changed. */
  readonly bundles: number
  /** `used`: its results were replaced; `idle`: they were empty anyway; `unswitched`: there is no empty one. */
  readonly state: 'used' | 'idle' | 'unswitched' | 'broken'
}

/** Rooms whose modules decide by rules of thumb. */
const rooms = [
  'core/src/facts',
  'core/src/shell',
  'core/src/carry',
  'core/src/assemble',
  'core/src/brief',
  'core/src/plan',
  'summarizers/src/extractive',
]

/** Of one run, which takes seconds. */
const maxMs = 10 * 60_000

const packages = fileURLToPath(new URL('../../../../packages/', import.meta.url))
const run = promisify(execFile)

/** Switches each module of the rooms off in turn, each in a process of its own, and compares the figures. */
export async function ablate(
  given: FigureArguments & { readonly only: string },
  onProgress: (text: string) => void,
): Promise<Ablation[]> {
  const base = await figuresWithout(undefined, given)
  const modules = (await Promise.all(rooms.map(modulesBelow)))
    .flat()
    .filter((path) => path.includes(given.only))
  const results: Ablation[] = []
  for (const [at, module] of modules.entries()) {
    onProgress(`${at + 1} of ${modules.length} ${module}`)
    const source = await readFile(join(packages, module), 'utf8')
    if (!/^export (?:async )?(?:function|const \w+ = (?:async )?\()/m.test(source)) continue
    const lines = source.split('\n').length - 1
    const figures = await figuresWithout(module, given)
    results.push({ module: module.replace('/src/', '/'), lines, ...difference(base, figures) })
  }
  return results
}

async function modulesBelow(room: string): Promise<string[]> {
  const names = await readdir(join(packages, room), { recursive: true })
  return names
    .filter((name) => name.endsWith('.ts') && !name.endsWith('index.ts'))
    .map((name) => `${room}/${name}`)
}

/** Undefined if the process failed: then the module cannot be missed. */
async function figuresWithout(
  module: string | undefined,
  { gold, logs, folders, limit, agents }: FigureArguments,
): Promise<Figures | undefined> {
  const compiled = module?.replace('/src/', '/dist/').replace(/\.ts$/, '.js')
  const url = compiled === undefined ? '' : pathToFileURL(join(packages, compiled)).href
  const program = fileURLToPath(new URL('./figures.js', import.meta.url))
  // What is switched off may be what ends a loop.
  const args = ['--max-old-space-size=3000', program, JSON.stringify({ gold, logs, folders, limit, agents })]
  try {
    const env = { ...process.env, TENFOLD_SWITCH_OFF: url }
    const { stdout } = await run(process.execPath, args, { env, maxBuffer: 2 ** 26, timeout: maxMs })
    return JSON.parse(stdout)
  } catch (error) {
    if (module === undefined) throw error
    return undefined
  }
}

function difference(
  base: Figures | undefined,
  figures: Figures | undefined,
): Pick<Ablation, 'changes' | 'bundles' | 'state'> {
  if (base === undefined || figures === undefined) return { changes: [], bundles: 0, state: 'broken' }
  const changes = Object.entries(base.kept).flatMap(([name, kept]) => {
    const by = (figures.kept[name] ?? 0) - kept
    return by === 0 ? [] : [`${name} ${by > 0 ? '+' : ''}${by}`]
  })
  const bundles = base.bundles.filter((digest, at) => figures.bundles[at] !== digest).length
  const { changed, unswitched } = figures.counts
  return { changes, bundles, state: changed > 0 ? 'used' : unswitched > 0 ? 'unswitched' : 'idle' }
}

/** The table: modules that nothing would miss come first. */
export function renderAblation(results: readonly Ablation[]): string {
  const worse = ({ changes }: Ablation): number => changes.filter((change) => change.includes(' -')).length
  const rows = results
    .toSorted((a, b) => worse(a) - worse(b) || a.bundles - b.bundles || b.lines - a.lines)
    .map(({ module, lines, changes, bundles, state }) => [
      module,
      String(lines),
      state === 'used' ? '' : state,
      String(bundles),
      changes.join(', '),
    ])
  const idle = results.filter(
    (result) => worse(result) === 0 && (result.state === 'used' || result.state === 'idle'),
  )
  return [
    markdownTable(['module', 'lines', '', 'bundles', 'figures'], rows),
    '',
    `${idle.length} of ${results.length} modules change no figure for the worse: ${idle.reduce((sum, { lines }) => sum + lines, 0)} lines`,
  ].join('\n')
}
