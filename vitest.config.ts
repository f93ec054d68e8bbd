import { devNull } from 'node:os'
import { dirname, resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

// Neither Git's settings on this machine nor the repository of a Git hook that starts the tests are part of them.
for (const name of Object.keys(process.env)) if (name.startsWith('GIT_')) delete process.env[name]
const env = { GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_SYSTEM: devNull }

// Tests start processes and read whole logs, and the machine may have other work: these only end what hangs.
const limits = { testTimeout: 600_000, hookTimeout: 600_000, expect: { poll: { timeout: 300_000 } } }

// These change something of the process that they run in, such as how it reaches the network or (the SDK of OpenAI's
// agents) what it does when it gets a signal or a promise is rejected, watch what it prints, or limit the memory of its
// threads. The cost of redaction counts the processor time of its process: there, a garbage collection of what hundreds
// of files left would count too. Two fill or collect the heap of their process, which a start of a program then copies.
// All others share a process with the files before them, which saves a third of the time.
const apart = [
  'packages/core/test/ledger/let-go.test.ts',
  'packages/core/test/threads/watch-memory.test.ts',
  'packages/redact/test/secret-redactor-cost.test.ts',
  'packages/core/test/regular-file.test.ts',
  'packages/integrations/test/openai-agents.test.ts',
  'packages/summarizers/test/anthropic/anthropic-{client,wire}.test.ts',
  'packages/summarizers/test/openai/{clients,compatible-servers}.test.ts',
  'packages/storage-s3/test/failures.test.ts',
  'test/pipeline/compress-logs.test.ts',
]

// These start many processes. A start takes ten times as long from a process that has grown to a gigabyte, as one that
// has run hundreds of other files has, so these files share processes of their own.
const processes = [
  'packages/cli/test/**/*.test.ts',
  'packages/core/test/{git,halt,resume}/**/*.test.ts',
  'packages/queue/test/killed-workers.test.ts',
  'packages/storage-fs/test/{kill,many-processes,names,real-failures}.test.ts',
  'packages/storage-s3/test/rados-gateway.test.ts',
  'packages/summarizers/test/{batch/kill,imports}.test.ts',
  'test/{documents,house}/*.test.ts',
  'test/pipeline/{git-merge,same-bytes}.test.ts',
]

// What a release rests on: the packages as npm packs and installs them and as others bundle them, the action for their
// CI, the documents and examples, whose every command and program runs, and the bench and the eval, which give their
// figures. `npm run test:release`, apart from `npm test`.
const release = [
  'test/house/{packaging,bundled-programs,ci}.test.ts',
  'test/documents/{readme,examples}.test.ts',
  'test/evals/{bench,eval-agents,eval-gold,mutants}.test.ts',
]

// Tests name the source of their package. What the build made of it runs, and is imported as it is: otherwise each run
// would compile the source a second time, to code that is slower by a fifth.
const built = {
  name: 'built',
  enforce: 'pre' as const,
  resolveId(id: string, importer = '') {
    if (!id.startsWith('.')) return
    const path = resolve(dirname(importer), id)
    const made = path.replace(/(\/packages\/[^/]+)\/src\/(.+)\.ts$/, '$1/dist/$2.js')
    return made === path ? undefined : made
  },
}
const server = { deps: { external: [/\/packages\/[^/]+\/(?:lib|dist)\//] } }

// V8 compiles each regular expression to machine code at once, not to bytecode first: a tenth of the time to compress a log.
const execArgv = ['--no-regexp-tier-up']

const shared = { ...limits, env, server, execArgv }

// Less often a garbage collection of young objects. A thread whose memory is limited would end its process with this.
const fewCollections = [...execArgv, '--max-semi-space-size=64']

export default defineConfig({
  test: {
    globalSetup: './test/fresh-bundles.ts',
    // Many tests wait for processes and servers: more workers than the default, which leaves a core free.
    maxWorkers: 3,
    // Projects run one after the other, in the order of their names, and the largest files of each first. So the many
    // small files of `together` come last, and no worker is idle for long at the end.
    projects: [
      {
        plugins: [built],
        test: {
          ...shared,
          execArgv: fewCollections,
          name: 'together',
          isolate: false,
          include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...apart, ...release, ...processes],
        },
      },
      {
        plugins: [built],
        test: { ...shared, name: 'processes', isolate: false, include: processes, exclude: release },
      },
      { plugins: [built], test: { ...shared, name: 'release', include: release } },
      // One of them stands in for a module of Node, which only source can be given.
      { test: { ...shared, name: 'apart', include: apart } },
    ],
  },
})
