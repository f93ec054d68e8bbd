import { afterEach, expect, it, vi } from 'vitest'
import { compressLog } from '../../src/compress-log.ts'
import { atOnce, pause, pausing, type Steps } from '../../src/session/pauses.ts'
import { fakeSummarizer } from '../summarize/fake-summarizer.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

it('pauses when work has held the thread for a while, and not before', async () => {
  let now = Math.ceil(performance.now()) + 1000
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  await pause()
  now += 6
  expect(pause()).toBeUndefined()
  now += 6
  const paused = pause()
  let others = 0
  setImmediate(() => others++)
  await paused
  // The promise resolves in a turn of the event loop, in which the others have theirs.
  await new Promise((resolve) => setImmediate(resolve))
  expect(others).toBe(1)
  expect(paused).toBeInstanceOf(Promise)
  now += 5
  expect(pause()).toBeUndefined()
})

it('gives other work its turn between pieces that are short alone', async () => {
  let now = Math.ceil(performance.now()) + 2000
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  let longest = 0
  let since = now
  let isOver = false
  const look = () => {
    longest = Math.max(longest, now - since)
    since = now
    if (!isOver) setImmediate(look)
  }
  look()
  function* piece(): Steps<void> {
    for (let step = 0; step < 12; step++) {
      now += 1
      yield
    }
  }
  const work = async () => {
    for (let round = 0; round < 5; round++) {
      await pausing(piece(), undefined)
      now += 4
      await pause()
    }
  }
  await Promise.all([work(), work(), work()])
  isOver = true
  expect(longest).toBeLessThan(25)
})

function* steps(done: number[]): Steps<string> {
  for (const step of [1, 2, 3]) {
    done.push(step)
    yield
  }
  return 'done'
}

it('does steps at once, or with pauses until they are aborted', async () => {
  const done: number[] = []
  expect(atOnce(steps(done))).toBe('done')
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 20))
  expect(await pausing(steps(done), undefined)).toBe('done')
  expect(done).toEqual([1, 2, 3, 1, 2, 3])
  const controller = new AbortController()
  const stopped = pausing(steps(done), controller.signal)
  setImmediate(() => setImmediate(() => controller.abort(new Error('enough'))))
  await expect(stopped).rejects.toThrow('enough')
  expect(done.length).toBeLessThan(9)
})

it('lets a log be aborted after it was read, before a summarizer is called', async () => {
  const controller = new AbortController()
  let asked = 0
  const log = { parsed: [{ role: 'user', content: 'Make the parser faster.' }] }
  const compressed = compressLog(log, {
    summarizer: { ...fakeSummarizer(), summarize: async () => expect.unreachable(`${++asked}`) },
    signal: controller.signal,
    report: ({ step }) => step === 'plan' && setImmediate(() => controller.abort(new Error('enough'))),
  })
  await expect(compressed).rejects.toThrow('enough')
  expect(asked).toBe(0)
})
