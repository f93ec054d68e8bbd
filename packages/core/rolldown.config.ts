import { defineConfig } from 'rolldown'
import { lazyBuiltins } from './build/lazy-builtins.ts'
import { lazyExports } from './build/lazy-exports.ts'
import { pureConstants } from './build/pure-constants.ts'
import { listLicenses, sqlWithoutRequire, sqlWithWasm } from './build/ship-packages.ts'

const entries = [
  'bundle',
  'facts',
  'readers',
  'store',
  'redact',
  'halt',
  'replay',
  'storage',
  'summarizer',
  'internal',
  'internal/locks',
  'internal/summarizer',
]

/** Which modules a file holds: these, and what they need that the files before it do not hold. */
const files: Readonly<Record<string, readonly string[]>> = {
  // Apart, since a bundle is also read where there are no files.
  'of-processes': ['storage/process-owner.ts', 'session/backoff.ts'],
  'of-storage': ['entries/storage.ts', 'entries/summarizer.ts'],
  // What renders briefs, without the schema.
  'of-brief': ['brief/brief.ts'],
  // What a bundle and a summarizer both need.
  'of-both': [
    'brief/block.ts',
    'bundle/markdown-trail.ts',
    'bundle/markdown-usage.ts',
    'bundle/section-contents.ts',
    'facts/errors/error-lines.ts',
    'facts/pasted.ts',
    'session/short-line.ts',
    'tokens/tiktoken-counter.ts',
    'session/event-text.ts',
    'session/harness-text.ts',
    'tools/given-text.ts',
  ],
  'of-summarizer': ['entries/internal/summarizer.ts'],
  'of-bundle': ['entries/bundle.ts'],
  'of-index': ['index.ts', 'entries/redact.ts'],
  'of-facts': ['entries/facts.ts'],
  'of-replay': ['entries/replay.ts'],
  'of-readers': ['entries/readers.ts'],
  'of-store': ['entries/store.ts'],
  'of-internal': ['entries/internal.ts'],
}

// What the package ships: the code in a few files instead of 500, so that it starts several times faster. Comments are in
// the types; names and lines stay, so that stacks can be read.
export default defineConfig({
  input: {
    index: 'src/index.ts',
    testing: 'src/testing/index.ts',
    ...Object.fromEntries(entries.map((name) => [name, `src/entries/${name}.ts`])),
    // A thread starts from this file, beside the code that starts it.
    'log-worker': 'src/threads/log-worker.ts',
  },
  platform: 'node',
  // All others are in the bundle, which is faster than 80 files of their own; tinypool starts threads from its files.
  external: [/^tinypool$/, /^@tenfold\/(?:redact|tokens)$/],
  resolve: { alias: sqlWithWasm },
  plugins: [
    lazyBuiltins(),
    lazyExports(
      /core[\\/]src[\\/](?:index|entries[\\/](?:readers|store|halt|replay|internal))\.ts$/,
      /put-if-absent|session\/pauses/,
    ),
    pureConstants(/core[\\/]src[\\/]/),
    sqlWithoutRequire(),
    listLicenses(),
  ],
  output: {
    dir: 'lib',
    format: 'esm',
    cleanDir: true,
    // What may be left out is marked by comments.
    comments: { legal: false, annotation: true, jsdoc: false },
    // To find and read a file takes Node half a millisecond, and an import of all would load forty.
    codeSplitting: {
      groups: Object.entries(files).map(([name, modules], at, all) => ({
        name,
        test: (id: string) => modules.some((path) => id.replaceAll('\\', '/').endsWith(`core/src/${path}`)),
        priority: all.length - at,
      })),
    },
  },
})
