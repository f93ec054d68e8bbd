import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

const packages = resolve(import.meta.dirname, '../packages')
const modules = resolve(packages, '../node_modules')

/** Builds the packages, the script of the page and the program again if their source is newer: no test runs old code. */
export function setup(): void {
  const names = readdirSync(packages)
  const built = names.map((name) => join(packages, name, 'dist'))
  const isOld = (name: string): boolean =>
    newest(join(packages, name, 'src')) > changed(join(packages, name, 'dist/.tsbuildinfo'))
  // An error in a type ends no test.
  if (names.some(isOld))
    spawnSync(process.execPath, [join(modules, 'typescript/bin/tsc'), '-b'], { cwd: join(packages, '..') })
  for (const name of ['tokens', 'redact', 'core']) bundle(name, 'lib/index.js', [join(packages, name, 'src')])
  for (const name of ['storage-fs', 'storage-s3']) bundle(name, 'lib/index.js', [join(packages, name, 'src')])
  bundle('summarizers', 'lib/model.js', [join(packages, 'summarizers/src')])
  bundle('view', 'dist/page/main.js', [join(packages, 'view/dist/browser')])
  bundle('measure', 'lib/index.js', [join(packages, 'measure/dist'), join(packages, 'view/dist/page')])
  bundle('cli', 'lib/start.js', built)
}

function bundle(name: string, output: string, inputs: readonly string[]): void {
  const made = changed(join(packages, name, output))
  if (inputs.every((input) => newest(input) <= made)) return
  execFileSync(process.execPath, [join(modules, 'rolldown/bin/cli.mjs'), '-c'], {
    cwd: join(packages, name),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

function changed(path: string): number {
  return existsSync(path) ? statSync(path).mtimeMs : 0
}

/** When the newest code in a folder was written, in milliseconds. */
function newest(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return Math.max(0, ...files.filter(isCode).map((file) => statSync(join(folder, file)).mtimeMs))
}

function isCode(file: string): boolean {
  return /(?<!\.d)\.(?:ts|js)$/.test(file)
}
