import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * Runs every test with all of its repetitions, of which `npm test` makes only a few; returns whether all passed. `seed`
 * moves the seeds of property tests, which `npm test` leaves fixed.
 */
export async function runTests(seed: number): Promise<boolean> {
  console.log(`tests with TENFOLD_SEED=${seed} (--first-seed ${seed})`)
  const vitest = fileURLToPath(new URL('vitest.mjs', import.meta.resolve('vitest/package.json')))
  const child = spawn(process.execPath, [vitest, 'run'], {
    cwd: root,
    env: { ...process.env, TENFOLD_EVERY_POINT: '1', TENFOLD_SEED: String(seed) },
    stdio: 'inherit',
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return code === 0
}
