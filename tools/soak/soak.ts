import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { bombs } from './bombs.ts'
import { runCrowd } from './crowd.ts'
import { killSavers } from './kill-loop.ts'
import { runBomb } from './run-bombs.ts'
import { killCommands, tryTraps } from './run-commands.ts'
import { runMutants } from './run-mutants.ts'
import { runSecrets } from './run-secrets.ts'
import { runTests } from './run-tests.ts'
import { bundleSaver, type SaveKind } from './saver.ts'
import { runChains } from './tool-words.ts'

const usage = `Usage: npm run soak -- [options]
Runs these stages one after the other, and exits with 1 if one of them finds a fault:

  kills      writers to a store that are killed at random moments: nothing that was acknowledged may be lost
               --kills N        how many, over all seeds (default 5000)
               --seeds N        stores, each with more writers at once (default 4)
  crowds     processes that save at once, to one track and to many
               --processes N    (default 32)
               --saves N        of each process (default 50)
  commands   commands that are killed; pipes, servers without an answer, answers without an end
               --commands N     kills (default 60)
  mutants    broken logs
               --mutants N      (default 5000)
  chains     sessions with a model that obeys what tools print
               --chains N       (default 250)
  secrets    random secrets, and texts without one
               --secrets N      of each family (default 5)
  bombs      logs that are made to take memory or time
               --no-bombs       leaves them out
  tests      every test with all of its repetitions
               --no-tests       leaves them out

  --first-seed N   repeats the mutants, chains, secrets and property tests of a run that printed it
  --help           prints this`

const { values } = readOptions()

function readOptions() {
  try {
    return parseArgs({
      options: {
        kills: { type: 'string', default: '5000' },
        seeds: { type: 'string', default: '4' },
        processes: { type: 'string', default: '32' },
        saves: { type: 'string', default: '50' },
        mutants: { type: 'string', default: '5000' },
        secrets: { type: 'string', default: '5' },
        commands: { type: 'string', default: '60' },
        chains: { type: 'string', default: '250' },
        'first-seed': { type: 'string', default: String(1 + (Date.now() % 1_000_000_000)) },
        bombs: { type: 'boolean', default: true },
        tests: { type: 'boolean', default: true },
        help: { type: 'boolean', default: false, short: 'h' },
      },
      allowNegative: true,
    })
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`)
    process.exit(2)
  }
}
if (values.help) {
  console.log(usage)
  process.exit(0)
}

function countOf(name: Exclude<keyof typeof values, 'bombs' | 'tests' | 'help'>): number {
  const count = Number(values[name])
  if (!Number.isSafeInteger(count) || count < 1)
    throw new Error(`expected --${name} to be a count, got ${values[name]}`)
  return count
}

const kinds: readonly SaveKind[] = ['save', 'checkpoint']
const total = { kills: 0, acknowledged: 0, kept: 0, dropped: 0, repaired: 0, writers: 0, saves: 0, looks: 0 }
const violations: string[] = []
const start = performance.now()
const folder = await mkdtemp(join(tmpdir(), 'tenfold-soak-'))
try {
  const program = await bundleSaver(folder)
  const seeds = countOf('seeds')
  for (let seed = 1; seed <= seeds; seed++) {
    const kills = Math.ceil(countOf('kills') / seeds)
    const store = join(folder, `kills-${seed}`)
    const report = await killSavers({
      program,
      folder: store,
      kills,
      lanes: 2 + seed,
      kinds,
      maxSaves: seed,
      seed,
    })
    for (const name of ['kills', 'acknowledged', 'kept', 'dropped', 'repaired'] as const)
      total[name] += report[name]
    violations.push(...report.violations.map((text) => `seed ${seed}: ${text}`))
    await rm(store, { recursive: true })
    console.log(
      `seed ${seed}: ${report.kills} kills, ${report.acknowledged} saves, ${report.violations.length} losses`,
    )
  }
  for (const tracks of ['one', 'many'] as const) {
    const store = join(folder, tracks)
    const crowd = { processes: countOf('processes'), saves: countOf('saves'), tracks, kinds }
    const report = await runCrowd({ program, folder: store, ...crowd })
    total.writers += crowd.processes
    total.saves += report.saves
    total.looks += report.looks
    violations.push(...report.violations.map((text) => `${tracks}: ${text}`))
    await rm(store, { recursive: true })
    const where = tracks === 'one' ? 'one track' : 'a track each'
    console.log(
      `${crowd.processes} writers to ${where}: ${report.saves} saves, ${report.violations.length} losses`,
    )
  }
  const seed = countOf('first-seed')
  const command = {
    program: fileURLToPath(new URL('../../../packages/cli/bin/tenfold.js', import.meta.url)),
    log: fileURLToPath(new URL('../../../examples/logs/claude-code-small.jsonl', import.meta.url)),
    folder: join(folder, 'commands'),
  }
  const killed = await killCommands({ ...command, seed, kills: countOf('commands') })
  const trapped = await tryTraps(command)
  console.log(
    `${killed.tried} commands killed, ${trapped.tried} trapped, ${killed.faults.length + trapped.faults.length} faults`,
  )
  violations.push(...killed.faults, ...trapped.faults)
  console.log(`mutants from seed ${seed} on (--first-seed ${seed})`)
  const { tried, faults } = await runMutants({
    program: fileURLToPath(new URL('./mutant-child.js', import.meta.url)),
    logs: fileURLToPath(new URL('../../../packages/core/test/fixtures', import.meta.url)),
    seed,
    mutants: countOf('mutants'),
  })
  console.log(`${tried} mutants, ${faults.length} faults`)
  violations.push(...faults.map((text) => `mutant ${text}`))
  const obeyed = await runChains(seed, countOf('chains'))
  console.log(`${obeyed.chains} chains with an obedient model, ${obeyed.faults.length} faults`)
  violations.push(...obeyed.faults.map((text) => `chain ${text}`))
  const secrets = runSecrets(seed, countOf('secrets'))
  console.log(`${secrets.tried} random secrets and texts without one, ${secrets.faults.length} faults`)
  violations.push(...secrets.faults)
  for (const bomb of values.bombs ? bombs : []) {
    const program = fileURLToPath(new URL('./bomb-child.js', import.meta.url))
    const { line, fault } = await runBomb(bomb, { program, folder })
    console.log(line)
    if (fault !== undefined) violations.push(`bomb ${fault}`)
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
if (values.tests && !(await runTests(countOf('first-seed')))) violations.push('tests failed')

for (const text of violations) console.log(`FAULT ${text}`)
console.log(
  `kills ${total.kills}, saves that returned before them ${total.acknowledged}, in flight ${total.kept} kept and ` +
    `${total.dropped} dropped, LATEST moved on by readers ${total.repaired}; writers at once ${total.writers}, their ` +
    `saves ${total.saves}, looks of readers ${total.looks}; faults ${violations.length}; ` +
    `${Math.round((performance.now() - start) / 1000)} s`,
)
process.exitCode = violations.length === 0 ? 0 : 1
