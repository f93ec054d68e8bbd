import { join } from 'node:path'
import { expect, it } from 'vitest'
import { repeats } from '../../../test/support/repeats.ts'
import { killSavers } from '../../../tools/soak/kill-loop.ts'
import { bundleSaver } from '../../../tools/soak/saver.ts'
import { makeFolder } from './support/folder.ts'

const kills = repeats({ few: 9, all: 500 })
const least = { kept: repeats({ few: 2, all: 30 }), dropped: repeats({ few: 2, all: 21 }) }

it(`${kills} processes that are killed at random moments lose no save and no checkpoint that returned`, async () => {
  const folder = await makeFolder()
  const seed = Date.now()
  const report = await killSavers({
    program: await bundleSaver(folder),
    folder: join(folder, 'store'),
    kills,
    lanes: 6,
    kinds: ['save', 'checkpoint'],
    maxSaves: 1,
    seed,
    // Kills must have fallen into the middle of saves, before their commit and after it.
    least,
  })
  console.info(`seed ${seed}: ${JSON.stringify(report)}`)
  expect(report.violations, `seed ${seed}`).toEqual([])
  expect(report.kills).toBeGreaterThanOrEqual(kills)
  expect(report.acknowledged).toBeGreaterThan(repeats({ few: 2, all: 200 }))
  expect(report.dropped).toBeGreaterThanOrEqual(least.dropped)
  expect(report.kept).toBeGreaterThanOrEqual(least.kept)
}, 900_000)
