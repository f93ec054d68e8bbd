import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { defineConfig, type Plugin } from 'rolldown'

const fromCore = createRequire(import.meta.resolve('@tenfold/core'))
const builtCore = join(dirname(fromCore.resolve('@tenfold/core/package.json')), 'dist')

// The program: what `tsc -b` built and the packages that it uses, in a few files, so that it starts several
// times faster and installs alone. Names stay, so that stacks can be read.
export default defineConfig({
  input: {
    start: 'dist/start.js',
    // A thread of core's pool starts from these files, beside the code that starts it.
    extractive: fileURLToPath(import.meta.resolve('@tenfold/summarizers/extractive')),
    'log-worker': join(builtCore, 'threads/log-worker.js'),
    'entry/worker': join(dirname(fromCore.resolve('tinypool')), 'entry/worker.js'),
  },
  platform: 'node',
  resolve: {
    mainFields: ['module', 'main'],
    alias: {
      // Module by module, so that a command loads only what it uses.
      '@tenfold/core$': join(builtCore, 'index.js'),
      // The form that has its WebAssembly in it.
      'sql.js': 'sql.js/dist/sql-wasm-inline.js',
    },
  },
  plugins: [inlinePageAssets(), shipEncodings(), listLicenses()],
  output: {
    dir: 'lib',
    format: 'esm',
    cleanDir: true,
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    comments: false,
  },
})

/** Puts the page's script and style, which @tenfold/view reads from its own folder, into the code. */
function inlinePageAssets(): Plugin {
  return {
    name: 'inline-page-assets',
    load: {
      filter: { id: /\/view\/dist\/page-(script|style)\.js$/ },
      async handler(id) {
        const assets: Record<string, () => string> = await import(pathToFileURL(id).href)
        return Object.entries(assets)
          .map(([name, read]) => `export const ${name} = () => ${JSON.stringify(read())}`)
          .join('\n')
      },
    },
  }
}

/** Ships the encodings, which core reads from the package tiktoken, beside the code. */
function shipEncodings(): Plugin {
  return {
    name: 'ship-encodings',
    load: {
      filter: { id: /\/core\/dist\/tokens\/encoding-file\.js$/ },
      handler(id) {
        for (const name of ['o200k_base', 'cl100k_base']) {
          const path = createRequire(id).resolve(`tiktoken/encoders/${name}.json`)
          this.emitFile({ type: 'asset', fileName: basename(path), source: readFileSync(path) })
        }
        return `import { readdirSync, readFileSync } from 'node:fs'
export const readEncodingFile = (name) => JSON.parse(readFileSync(new URL(name + '.json', import.meta.url), 'utf8'))`
      },
    },
  }
}

/** Writes the licenses of the packages whose code is in the program to `THIRD-PARTY-LICENSES.txt`. */
function listLicenses(): Plugin {
  return {
    name: 'list-licenses',
    generateBundle() {
      const files = [...this.getModuleIds(), createRequire(import.meta.url).resolve('tiktoken')]
      const folders = new Set(files.flatMap((file) => packageFolder(file) ?? []))
      const source = [...folders].sort().map(licenseOf).join('\n')
      this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY-LICENSES.txt', source })
    },
  }
}

function packageFolder(file: string): string | undefined {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file.replaceAll('\\', '/'))?.[0]
}

function licenseOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  if (typeof license !== 'string') throw new Error(`${name} names no license`)
  const file = readdirSync(folder).find((found) => /^licen[sc]e/i.test(found))
  const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
  return `# ${name} ${version} (${license})\n${text}`
}
