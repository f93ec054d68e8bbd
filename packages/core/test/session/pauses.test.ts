import { afterEach, expect, it, vi } from 'vitest'
import { compressLog } from '../../src/compress-log.ts'
import { atOnce, pauses, pausing, type Steps } from '../../src/session/pauses.ts'
import { fakeSummarizer } from '../summarize/fake-summarizer.ts'

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
