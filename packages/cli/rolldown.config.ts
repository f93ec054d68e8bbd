import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'rolldown'
import { inlinePageAssets } from '../core/build/inline-page-assets.ts'
import { lazyBuiltins } from '../core/build/lazy-builtins.ts'
import { listLicenses, sqlWithWasm } from '../core/build/ship-packages.ts'
import { zodOfServers } from '../core/build/zod-of-servers.ts'
import { shipEncodings } from '../tokens/build/ship-encodings.ts'

const fromCore = createRequire(import.meta.resolve('@tenfold/core'))
const builtView = dirname(fileURLToPath(import.meta.resolve('@tenfold/view')))
const builtMeasure = dirname(fileURLToPath(import.meta.resolve('@tenfold/measure')))
const builtTokens = join(dirname(fromCore.resolve('@tenfold/tokens/package.json')), 'dist')
const builtRedact = join(dirname(fromCore.resolve('@tenfold/redact/package.json')), 'dist')
const builtCore = join(dirname(fromCore.resolve('@tenfold/core/package.json')), 'dist')

const coreEntries = readdirSync(join(builtCore, 'entries'), { recursive: true, encoding: 'utf8' }).flatMap(
  (name) => (name.endsWith('.js') ? name.slice(0, -3).replaceAll('\\', '/') : []),
)

/** Which modules a file holds: these, and what they need that the files before it do not hold. */
const files: Readonly<Record<string, readonly string[]>> = {
  always: ['cli/dist/own-package.js', 'cli/dist/terminal/standard-stream.js', 'cli/dist/terminal/thrown.js'],
  shared: [
    '\0lazy:',
    'cli/dist/store/project-store.js',
    'cli/dist/state/trust.js',
    'core/dist/storage/process-owner.js',
    'core/dist/errors.js',
    'storage-fs/lib/lock-file',
    'cli/dist/terminal/terminal.js',
    'core/dist/session/clean-text.js',
  ],
  hook: [
    'cli/dist/background/hooks/run-hook.js',
    'cli/dist/background/hooks/open-sessions.js',
    'core/dist/sources/find-agent-logs.js',
  ],
  main: ['cli/dist/main.js'],
  store: [
    'cli/dist/store/open-store.js',
    'core/dist/checkpoint/clean-command.js',
    'tokens/dist/copy-text.js',
    'tokens/dist/code-reader.js',
    'core/dist/storage/folders-to-ignore.js',
  ],
  redact: ['redact/dist/redaction.js', 'redact/dist/secret-redactor.js'],
  checkpoints: [
    'cli/dist/checkpoint/latest-checkpoint.js',
    'core/dist/checkpoint/checkpoint-store.js',
    'core/dist/checkpoint/check-checkpoint.js',
    'core/dist/git/finding-lines.js',
  ],
  resume: ['core/dist/resume/resume.js', 'cli/dist/store/store-origin.js'],
  brief: [
    'core/dist/store/latest.js',
    'core/dist/store/stored-bundle.js',
    'core/dist/resume/resume-blocks.js',
    'core/dist/resume/fit-brief.js',
  ],
  // Hooks do without what follows.
  options: [
    'cli/dist/commands/define-command.js',
    'cli/dist/options/option.js',
    'cli/dist/options/options.js',
    'cli/dist/options/parsers.js',
    'cli/dist/terminal/table.js',
    'cli/dist/terminal/text.js',
  ],
  checkpoint: ['cli/dist/commands/checkpoint.js'],
  // What commands use that read no log, or plan no bundle, is not with what reads and plans.
  log: [
    'core/dist/session/log-digest.js',
    'core/dist/session/escape-reg-exp.js',
    'core/dist/session/event-text.js',
    'core/dist/readers/log/decode-log.js',
  ],
  readers: ['core/dist/readers/read-session.js', 'core/dist/readers/default-readers.js'],
  session: [
    'core/dist/facts/session-title.js',
    'core/dist/redact/redact-session.js',
    'core/dist/tokens/measure-session.js',
  ],
  prepare: ['core/dist/prepare-log.js', 'core/dist/assemble-clean.js'],
}

// The program: what `tsc -b` built and the packages that it uses, in a few files, so that it starts several
// times faster and installs alone. The names of functions stay, so that stacks can be read.
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
      '@tenfold/redact$': join(builtRedact, 'index.js'),
      '@tenfold/redact/internal$': join(builtRedact, 'internal.js'),
      '@tenfold/tokens$': join(builtTokens, 'index.js'),
      '@tenfold/tokens/internal$': join(builtTokens, 'internal.js'),
      ...Object.fromEntries(
        coreEntries.map((name) => [`@tenfold/core/${name}$`, join(builtCore, `entries/${name}.js`)]),
      ),
      ...sqlWithWasm,
    },
  },
  plugins: [
    lazyBuiltins(),
    zodOfServers(),
    commonJs(),
    inlinePageAssets(),
    shipEncodings(),
    listLicenses({
      data: ['tiktoken'],
      lists: [join(builtView, 'page'), builtMeasure].map((path) => join(path, 'THIRD-PARTY-LICENSES.txt')),
    }),
  ],
  output: {
    dir: 'lib',
    // Node loads CommonJS in two thirds of the time that it takes for ES modules.
    format: 'cjs',
    cleanDir: true,
    // To find and read a file takes Node a fifth of a millisecond, and a command would load forty.
    codeSplitting: {
      groups: Object.entries(files).map(([name, modules], at, all) => ({
        name,
        test: (id: string) => modules.some((module) => id.replaceAll('\\', '/').includes(module)),
        priority: all.length - at,
      })),
    },
    minify: {
      compress: false,
      mangle: { toplevel: false, keepNames: { function: true, class: true } },
      codegen: { removeWhitespace: true },
    },
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
