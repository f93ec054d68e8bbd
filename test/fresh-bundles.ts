import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

const packages = resolve(import.meta.dirname, '../packages')

/** Bundles the libraries, the script of the page and the program again if their code is newer: no test runs an old program. */
export function setup(): void {
  const built = readdirSync(packages)
    .map((name) => join(packages, name, 'dist'))
    .filter((path) => existsSync(path))
  for (const name of ['tokens', 'redact', 'core']) bundle(name, 'lib/index.js', [join(packages, name, 'src')])
  for (const name of ['storage-fs', 'storage-s3']) bundle(name, 'lib/index.js', [join(packages, name, 'src')])
  bundle('summarizers', 'lib/model.js', [join(packages, 'summarizers/src')])
  bundle('view', 'dist/page/main.js', [join(packages, 'view/dist/browser')])
  bundle('measure', 'lib/index.js', [join(packages, 'measure/dist'), join(packages, 'view/dist/page')])
  bundle('cli', 'lib/start.js', built)
}

function bundle(name: string, output: string, inputs: readonly string[]): void {
  const path = join(packages, name, output)
  const made = existsSync(path) ? statSync(path).mtimeMs : 0
  if (inputs.every((input) => newest(input) <= made)) return
  execFileSync(process.execPath, [resolve(packages, '../node_modules/rolldown/bin/cli.mjs'), '-c'], {
    cwd: join(packages, name),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

/** When the newest code in a folder was written, in milliseconds. */
function newest(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return Math.max(0, ...files.filter(isCode).map((file) => statSync(join(folder, file)).mtimeMs))
}

function isCode(file: string): boolean {
  return /(?<!\.d)\.(?:ts|js)$/.test(file)
}
