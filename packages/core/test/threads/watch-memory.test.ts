import { setTimeout } from 'node:timers/promises'
import { getHeapStatistics } from 'node:v8'
import { expect, it } from 'vitest'
import { watchMemory } from '../../src/threads/watch-memory.ts'

const tenMegabytes = () => Array.from({ length: 330_000 }, (_, index) => ({ index }))

it('counts live objects, not garbage', async () => {
  let isOver = false
  const used = getHeapStatistics().used_heap_size / 2 ** 20
  const end = watchMemory(used + 100, () => {
    isOver = true
  })
  for (let round = 0; round < 30; round++) {
    expect(tenMegabytes()).toHaveLength(330_000)
    await setTimeout(5)
  }
  expect(isOver).toBe(false)
  // A process with a large heap looks again only after ten times as long as a collection took.
  const held: unknown[] = []
  while (held.length < 30) {
    held.push(tenMegabytes())
    await setTimeout(25)
  }
  await expect.poll(() => isOver).toBe(true)
  end()
  // Held until here.
  held.length = 0
})
