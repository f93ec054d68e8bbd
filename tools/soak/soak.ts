// Kills thousands of writers at random moments and lets crowds of processes save at once, and reports what was lost;
// then kills commands, and gives them pipes and servers that never answer or never end; then reads broken logs and logs that are
// made to take memory or time; then lets a model obey what tools print; then
// runs all tests with every repetition:
// `npm run soak -- [--kills 5000] [--seeds 4] [--processes 32] [--saves 50] [--mutants 5000] [--chains 250]`
// `[--commands 60] [--first-seed <n>] [--no-bombs] [--no-tests]`. Mutants, chains and the inputs of property tests differ from run to
// run; the first seed is printed, and repeats a run. The exit code is 1 for any loss.
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

const { values } = parseArgs({
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
  },
  allowNegative: true,
})

function countOf(name: Exclude<keyof typeof values, 'bombs' | 'tests'>): number {
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
