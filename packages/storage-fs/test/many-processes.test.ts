import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { repeats } from '../../../test/support/repeats.ts'
import { testFolder } from '../../../test/support/test-folder.ts'
import { runCrowd } from '../../../tools/soak/crowd.ts'
import { bundleSaver } from '../../../tools/soak/saver.ts'
import { filesBelow, makeFolder } from './support/folder.ts'

describe('processes that save at once', () => {
  const at = testFolder('all')
  let program = ''
  beforeAll(async () => {
    program = await bundleSaver(at())
  })

  for (const [tracks, processes] of [
    ['one', repeats({ few: 3, all: 16 })],
    ['many', repeats({ few: 2, all: 16 })],
  ] as const) {
    it(`lose no entry, LATEST is the last, and readers see whole bundles: ${tracks === 'one' ? 'one track' : 'a track each'}`, async () => {
      const root = join(await makeFolder(), 'store')
      const report = await runCrowd({
        program,
        folder: root,
        processes,
        saves: 9,
        tracks,
        kinds: ['save', 'save', 'checkpoint'],
      })
      expect(report.violations).toEqual([])
      expect(report.saves).toBe(processes * 9)
      expect(report.looks).toBeGreaterThan(10)
      expect((await filesBelow(root)).filter((path) => path.includes('/.'))).toEqual([])
    }, 600_000)
  }
})
