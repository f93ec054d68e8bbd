import { describe, expect, it } from 'vitest'
import { groupHits } from '../../../src/plan/transcript/group-hits.ts'

describe('groupHits', () => {
  it('names the file of hits once', () => {
    const output =
      'src/kiln.ts:4:const limit = 1300\nsrc/kiln.ts-5-  // degrees\n--\nsrc/oven.ts:import { limit }'
    expect(groupHits(output)).toBe(
      'src/kiln.ts:\n4:const limit = 1300\n5-  // degrees\n--\nsrc/oven.ts:\nimport { limit }',
    )
  })

  it('names the folder of files once', () => {
    const output = 'Found 4 files\nsrc/kiln/fire.ts\nsrc/kiln/cool.ts\nsrc/kiln/ash.ts\ntest/kiln.ts'
    expect(groupHits(output)).toBe('Found 4 files\nsrc/kiln/ fire.ts cool.ts ash.ts\ntest/kiln.ts')
  })

  it('leaves prose, options and addresses as they are', () => {
    const output = 'e.g. this:\nhttps://kiln.example/a\n12:30 and/or later\n--fire/--cool'
    expect(groupHits(output)).toBe(output)
  })

  it('takes time in proportion to the text', () => {
    const before = process.cpuUsage().user
    groupHits(`${'a/'.repeat(50_000)}\n${'a.'.repeat(200)}\n`.repeat(50))
    expect(process.cpuUsage().user - before).toBeLessThan(2_000_000)
  })
})
