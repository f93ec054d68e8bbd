import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Plugin } from 'rolldown'

/** The form of sql.js that has its WebAssembly in it. */
export const sqlWithWasm = { 'sql.js': 'sql.js/dist/sql-wasm-inline.js' }

/** Lets sql.js ask Node for its modules, so that no file of the package makes a `require` when it is loaded. */
export function sqlWithoutRequire(): Plugin {
  return {
    name: 'sql-without-require',
    transform: {
      filter: { id: /[\\/]sql-wasm-inline\.js$/ },
      handler: (code) => code.replaceAll('require("node:', 'process.getBuiltinModule("node:'),
    },
  }
}

export interface LicenseOptions {
  /** Packages of which the bundle has data. */
  readonly data?: readonly string[]
  /** Lists that were written for bundles which are in this one. */
  readonly lists?: readonly string[]
}

/** Writes the licenses of the packages whose code is in the bundle to `THIRD-PARTY-LICENSES.txt`. */
export function listLicenses({ data = [], lists = [] }: LicenseOptions = {}): Plugin {
  return {
    name: 'list-licenses',
    generateBundle() {
      const { resolve } = createRequire(import.meta.url)
      const files = [...this.getModuleIds(), ...data.map((name) => resolve(name))]
      const folders = new Set(files.flatMap((file) => packageFolder(file) ?? []))
      if (folders.size === 0 && lists.length === 0) return
      const listed = lists.map((path) => readFileSync(path, 'utf8'))
      // A package may be installed twice.
      const source = [...new Set([...[...folders].sort().map(licenseOf), ...listed])].join('\n')
      this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY-LICENSES.txt', source })
    },
  }
}

function packageFolder(file: string): string | undefined {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file.replaceAll('\\', '/'))?.[0]
}

function licenseOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
  if (typeof license !== 'string') throw new Error(`${name} names no license`)
  const file = readdirSync(folder).find((found) => /^licen[sc]e/i.test(found))
  const text = file === undefined ? '' : `\n${readFileSync(`${folder}/${file}`, 'utf8').trim()}\n`
  return `# ${name} ${version} (${license})\n${text}`
}
