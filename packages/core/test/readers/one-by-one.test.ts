import { describe, expect, it } from 'vitest'
import { oneByOne } from '../../src/readers/reader/records.ts'

function batchesOf(batches: readonly Iterable<number>[]) {
  const state = { closed: false }
  async function* generate(): AsyncGenerator<Iterable<number>, void> {
    try {
      yield* batches
    } finally {
      state.closed = true
    }
  }
  return { state, items: oneByOne(generate()) }
}

describe('oneByOne', () => {
  it('yields the items of all batches in order, and takes each only on request', async () => {
    const log: string[] = []
    function* lazy() {
      for (const number of [2, 3]) {
        log.push(`made ${number}`)
        yield number
      }
    }
    for await (const item of batchesOf([[1], [], lazy()]).items) log.push(`got ${item}`)
    expect(log).toEqual(['got 1', 'made 2', 'got 2', 'made 3', 'got 3'])
  })

  it('closes the source if the loop ends early', async () => {
    const { state, items } = batchesOf([[1, 2], [3]])
    for await (const _ of items) break
    expect(state.closed).toBe(true)
  })

  it('closes the source if a batch fails', async () => {
    function* failing(): Generator<number> {
      yield 1
      throw new Error('broken')
    }
    const { state, items } = batchesOf([failing()])
    await items.next()
    await expect(items.next()).rejects.toThrow('broken')
    expect(state.closed).toBe(true)
  })
})
