import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Runs every test with all of its repetitions, of which `npm test` makes only a few; returns whether all passed. */
export async function runTests(): Promise<boolean> {
  const vitest = fileURLToPath(new URL('vitest.mjs', import.meta.resolve('vitest/package.json')))
  const child = spawn(process.execPath, [vitest, 'run'], {
    cwd: root,
    env: { ...process.env, TENFOLD_EVERY_POINT: '1' },
    stdio: 'inherit',
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return code === 0
}
