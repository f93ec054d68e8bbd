import { expect, it } from 'vitest'
import { runInOrder } from '../src/compress/run-in-order.ts'

it('logs that are done at once are reported in their order, and a fault of one ends the run before the others are done', async () => {
  const emitted: number[] = []
  const times = [30, 10, 20]
  await runInOrder(
    times,
    2,
    async (ms) => {
      await new Promise((done) => setTimeout(done, ms))
      return ms
    },
    (ms) => void emitted.push(ms),
  )
  expect(emitted).toEqual(times)
  const never = new Promise<never>(() => undefined)
  const fault = runInOrder(
    [0, 1],
    2,
    async (at) => (at === 0 ? await never : Promise.reject(new Error('disk full'))),
    () => undefined,
  )
  await expect(fault).rejects.toThrow('disk full')
})
