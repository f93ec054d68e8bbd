import { afterEach, expect, it, vi } from 'vitest'
import { pauses } from '../../src/session/pauses.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

it('pauses when work has held the thread for a while, and not before', async () => {
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const pause = pauses()
  now = 10
  expect(pause()).toBeUndefined()
  now = 30
  const paused = pause()
  let others = 0
  setImmediate(() => others++)
  await paused
  // The promise resolves in a turn of the event loop, in which the others have theirs.
  await new Promise((resolve) => setImmediate(resolve))
  expect(others).toBe(1)
  expect(paused).toBeInstanceOf(Promise)
  now = 35
  expect(pause()).toBeUndefined()
})
