import { defineConfig } from 'rolldown'
import { lazyBuiltins } from './build/lazy-builtins.ts'
import { listLicenses, shipEncodings, sqlWithWasm } from './build/ship-packages.ts'

// What the package ships: the code in a few files instead of 500, so that it starts several times faster. Comments are in
// the types; names and lines stay, so that stacks can be read.
export default defineConfig({
  input: {
    index: 'src/index.ts',
    testing: 'src/testing/index.ts',
    bundle: 'src/entries/bundle.ts',
    storage: 'src/entries/storage.ts',
    summarizer: 'src/entries/summarizer.ts',
    // A thread starts from this file, beside the code that starts it.
    'log-worker': 'src/threads/log-worker.ts',
  },
  platform: 'node',
  // All others are in the bundle, which is faster than 80 files of their own; tinypool starts threads from its files.
  external: [/^tinypool$/],
  resolve: { alias: sqlWithWasm },
  plugins: [lazyBuiltins(), shipEncodings(), listLicenses({ data: ['tiktoken'] })],
  output: {
    dir: 'lib',
    format: 'esm',
    cleanDir: true,
    sourcemap: true,
    sourcemapExcludeSources: true,
    comments: false,
  },
})
