import { expect, it } from 'vitest'
import { runChains } from '../../tools/soak/tool-words.ts'
import { repeats } from '../support/repeats.ts'
import { seedOf } from '../support/seed.ts'

it('keeps the words of tools marked over three sessions if a model obeys them', async () => {
  expect((await runChains(seedOf(1), repeats({ few: 2, all: 12 }))).faults).toEqual([])
})
