import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../tools/eval/random.ts'
import { mutate } from '../../tools/soak/mutants.ts'
import { runMutants } from '../../tools/soak/run-mutants.ts'
import { repeats } from '../support/repeats.ts'
import { testFolder } from '../support/test-folder.ts'

const logs = join(import.meta.dirname, '../../packages/core/test/fixtures')
const program = join(import.meta.dirname, '../../tools/dist/soak/mutant-child.js')

const folder = testFolder('all')

async function saboteur(name: string, code: string): Promise<string> {
  const path = folder(name)
  await writeFile(path, code)
  return path
}

describe('mutants', () => {
  it('are the same for the same seed, and differ by seed', () => {
    const log = Buffer.from('{"type":"user","message":{"content":"hi"}}\n{"type":"assistant"}\n')
    const of = (seed: number): string => mutate(log, seededRandom(seed)).bytes.toString('base64')
    const all = Array.from({ length: 50 }, (_, seed) => of(seed))
    expect(Array.from({ length: 50 }, (_, seed) => of(seed))).toEqual(all)
    expect(new Set(all).size).toBeGreaterThan(40)
  })

  it('are read, compressed and written, or refused, without a crash', async () => {
    const mutants = repeats({ few: 20, all: 150 })
    const report = await runMutants({ program, logs, seed: 1, mutants, timeLimit: 60_000 })
    expect(report).toEqual({ tried: mutants, faults: [] })
  })

  it('that crash, hang or are faults are reported by their seed, and the next one runs', async () => {
    const crashing = await saboteur(
      'crash.mjs',
      `const [, , , first, count] = process.argv
for (let seed = +first; seed < +first + +count; seed++) {
  console.log('at ' + seed + ' log kind')
  if (seed === 3) console.log('fault 3 wrong')
  if (seed === 5) process.exit(7)
  if (seed === 7) for (;;) await new Promise((done) => setTimeout(done, 1000))
}
console.log('done')`,
    )
    const { faults } = await runMutants({ program: crashing, logs, seed: 1, mutants: 9, timeLimit: 2000 })
    expect(faults).toEqual([
      '3 log kind: 3 wrong',
      '5 log kind: ended the process: ',
      '7 log kind: took more than 2000 ms',
    ])
  })
})
