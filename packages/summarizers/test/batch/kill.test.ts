import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileStorage } from '@tenfold/storage-fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { everyPoint } from '../../../../test/support/repeats.ts'
import { testFolder } from '../../../../test/support/test-folder.ts'
import { testStandIn } from '../../../../test/support/test-stand-in.ts'
import { bundleProgram } from '../../../../tools/soak/bundle-program.ts'
import { keysOf } from '../../../core/test/support/stored.ts'
import { listBatches } from '../../src/batch/index.ts'
import { bench, billedTimes } from './support/jobs.ts'
import { type Vendor, vendors } from './support/providers.ts'
import { batchSession } from './support/sessions.ts'

const programs = testFolder('all')
let program: string
beforeAll(async () => {
  program = await bundleProgram(join(import.meta.dirname, 'support/batch-child.js'), programs())
})

const standIn = testStandIn('each', { batchPolls: 1 })
const folder = testFolder('each')

/** Runs the child until it ends. Returns whether it was killed. */
async function run(vendor: Vendor, store: string, killAt: number): Promise<boolean> {
  const sessions = folder('sessions.json')
  writeFileSync(sessions, JSON.stringify([batchSession('one', 2), batchSession('two', 10)]))
  const { url, openaiUrl } = standIn
  const options = { vendor, url, openaiUrl, folder: store, sessions, killAt, leaseMs: 500 }
  const child = spawn(process.execPath, [program, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let errors = ''
  child.stdout.on('data', (data: Buffer) => {
    if (`${data}`.includes('collecting')) standIn.endBatches()
  })
  child.stderr.on('data', (data: Buffer) => {
    errors += data
  })
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  if (signal === null && code !== 0) throw new Error(errors)
  return signal === 'SIGKILL'
}

/** Of about fifty, the points at which the process is killed. Both vendors run the same code, so they share them. */
const every = [6, 15, 25, 40]
const points = everyPoint ? { anthropic: every, openai: every } : { anthropic: [25], openai: [15] }

describe.each(vendors)('a killed process (%s)', (vendor) => {
  it('is followed by one that bills nothing twice and saves each session once', async () => {
    for (const point of points[vendor]) {
      const path = folder(`killed-${point}`)
      expect(await run(vendor, path, point)).toBe(true)
      expect(await run(vendor, path, 0)).toBe(false)
      const storage = fileStorage(path)
      const jobs = await listBatches(storage)
      expect(jobs).toHaveLength(1)
      expect([...billedTimes(standIn, jobs[0]?.job ?? '').values()]).toEqual([1, 1, 1])
      expect(await bench(storage).store.list()).toHaveLength(2)
      expect((await keysOf(storage, 'bundles/')).filter((key) => key.endsWith('.json'))).toHaveLength(2)
    }
    // Each job has one batch, as if its process had not been killed.
    expect(standIn.batches).toHaveLength(points[vendor].length)
  }, 400_000)
})
