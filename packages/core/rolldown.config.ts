import { defineConfig } from 'rolldown'
import { listLicenses, shipEncodings, sqlWithWasm } from './build/ship-packages.ts'
import manifest from './package.json' with { type: 'json' }

// What the package ships: the code in a few files instead of 500, so that it starts several times faster. Comments are in
// the types; names and lines stay, so that stacks can be read.
export default defineConfig({
  input: {
    index: 'src/index.ts',
    testing: 'src/testing/index.ts',
    // A thread starts from this file, beside the code that starts it.
    'log-worker': 'src/threads/log-worker.ts',
  },
  platform: 'node',
  external: Object.keys(manifest.dependencies).map((name) => new RegExp(`^${name}(/|$)`)),
  resolve: { alias: sqlWithWasm },
  plugins: [shipEncodings(), listLicenses({ data: ['tiktoken'] })],
  output: {
    dir: 'lib',
    format: 'esm',
    cleanDir: true,
    sourcemap: true,
    sourcemapExcludeSources: true,
    comments: false,
  },
})
