import { join } from 'node:path'
import { expect, it } from 'vitest'
import { killSavers } from '../../../test/soak/kill-loop.ts'
import { bundleSaver } from '../../../test/soak/saver.ts'
import { makeFolder } from './support/folder.ts'

it('500 processes that are killed at random moments lose no save and no checkpoint that returned', async () => {
  const folder = await makeFolder()
  const report = await killSavers({
    program: await bundleSaver(folder),
    folder: join(folder, 'store'),
    kills: 500,
    lanes: 6,
    kinds: ['save', 'checkpoint'],
    maxSaves: 1,
    seed: Date.now(),
    // Kills must have fallen into the middle of saves, before their commit and after it.
    least: { kept: 6, dropped: 21 },
  })
  expect(report.violations).toEqual([])
  expect(report.kills).toBeGreaterThanOrEqual(500)
  expect(report.acknowledged).toBeGreaterThan(200)
  expect(report.dropped).toBeGreaterThan(20)
  expect(report.kept).toBeGreaterThan(5)
}, 900_000)
