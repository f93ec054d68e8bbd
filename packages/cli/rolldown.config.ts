import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { defineConfig, type Plugin } from 'rolldown'
import { lazyBuiltins } from '../core/build/lazy-builtins.ts'
import { listLicenses, shipEncodings, sqlWithWasm } from '../core/build/ship-packages.ts'

const fromCore = createRequire(import.meta.resolve('@tenfold/core'))
const builtView = dirname(fileURLToPath(import.meta.resolve('@tenfold/view')))
const builtCore = join(dirname(fromCore.resolve('@tenfold/core/package.json')), 'dist')

const shared = [
  'own-package',
  'terminal/exit-codes',
  'store/project-store',
  'state/trusted-stores',
  'background/hooks/hook',
  'main',
  'store/open-store',
]

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
      ...Object.fromEntries(
        ['bundle', 'storage', 'summarizer'].map((name) => [
          `@tenfold/core/${name}$`,
          join(builtCore, `entries/${name}.js`),
        ]),
      ),
      ...sqlWithWasm,
    },
  },
  plugins: [
    lazyBuiltins(),
    commonJs(),
    inlinePageAssets(),
    shipEncodings(),
    listLicenses({ data: ['tiktoken'], lists: [join(builtView, 'page/THIRD-PARTY-LICENSES.txt')] }),
  ],
  output: {
    dir: 'lib',
    // Node loads CommonJS in two thirds of the time that it takes for ES modules.
    format: 'cjs',
    cleanDir: true,
    // To find and read a file takes Node half a millisecond: what hooks load is in one file, and so is what every command
    // loads, and every command with a store. What these share comes first.
    codeSplitting: {
      groups: [
        { name: 'builtins', test: /^\0lazy:/, priority: shared.length + 1 },
        ...shared.map((entry, at) => ({
          name: basename(entry),
          test: (id: string) => id.replaceAll('\\', '/').endsWith(`/cli/dist/${entry}.js`),
          priority: shared.length - at,
        })),
      ],
    },
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    comments: false,
  },
})

/** Tells Node what the files of the bundle are, in a package whose other files are ES modules. */
function commonJs(): Plugin {
  return {
    name: 'common-js',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: 'package.json', source: '{ "type": "commonjs" }\n' })
    },
  }
}

/** Puts the scripts and styles of pages, which @tenfold/view and measure read from their own folders, into the code. */
function inlinePageAssets(): Plugin {
  return {
    name: 'inline-page-assets',
    load: {
      filter: { id: /\/(view|measure)\/dist\/(html\/)?page-(script|style)\.js$/ },
      async handler(id) {
        const assets: Record<string, () => string> = await import(pathToFileURL(id).href)
        return Object.entries(assets)
          .map(([name, read]) => `export const ${name} = () => ${JSON.stringify(read())}`)
          .join('\n')
      },
    },
  }
}
