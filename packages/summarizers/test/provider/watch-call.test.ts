import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { listenTo } from '../../src/provider/listen-to.ts'
import { waitingTime, watchCall } from '../../src/provider/watch-call.ts'

const never = () => new Promise<never>(() => undefined)

describe('watchCall', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('ends an idle call; each sign of life restarts the wait', async () => {
    const watch = watchCall(new AbortController().signal, { idleMs: 100 })
    const ended = expect(watch.race(never)).rejects.toThrow('idle')
    await vi.advanceTimersByTimeAsync(90)
    watch.heard()
    await vi.advanceTimersByTimeAsync(90)
    expect([watch.ended(), watch.signal.aborted]).toEqual([undefined, false])
    await vi.advanceTimersByTimeAsync(20)
    // What was waiting to be read when the time was over counts.
    watch.heard()
    await vi.advanceTimersByTimeAsync(140)
    expect(watch.ended()).toBeUndefined()
    await vi.advanceTimersByTimeAsync(20)
    await ended
    expect([watch.ended(), watch.signal.aborted]).toEqual(['idle', true])
    watch.close()
  })

  it('ends a call that takes too long although it is not idle', async () => {
    const watch = watchCall(new AbortController().signal, { idleMs: 100, totalMs: 150 })
    const ended = expect(watch.race(never)).rejects.toThrow('total')
    await vi.advanceTimersByTimeAsync(90)
    watch.heard()
    await vi.advanceTimersByTimeAsync(70)
    await ended
    expect(watch.ended()).toBe('total')
    watch.close()
  })

  it('rejects with the reason of the caller, and starts nothing after that', async () => {
    const caller = new AbortController()
    const watch = watchCall(caller.signal, { idleMs: Infinity })
    const ended = expect(watch.race(never)).rejects.toBe('enough')
    caller.abort('enough')
    await ended
    expect(watch.ended()).toBeUndefined()
    const work = vi.fn(never)
    await expect(watch.race(work)).rejects.toBe('enough')
    watch.close()
    const later = watchCall(caller.signal, { idleMs: Infinity })
    await expect(later.race(work)).rejects.toBe('enough')
    expect(work).not.toHaveBeenCalled()
    later.close()
  })

  it('leaves no timer behind, even if there are later signs of life', () => {
    const watch = watchCall(new AbortController().signal, { idleMs: 100 })
    watch.close()
    watch.heard()
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('waitingTime', () => {
  it('ignores invalid waits', () => {
    for (const wrong of [0, -1, Number.NaN]) expect(() => waitingTime('x', wrong)).toThrow(TypeError)
    expect(waitingTime('x', Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY)
  })
})

describe('listenTo', () => {
  it('reports each piece of a body and passes it on', async () => {
    let heard = 0
    const body = new ReadableStream({
      start(controller) {
        for (const piece of ['a', 'b', 'c']) controller.enqueue(new TextEncoder().encode(piece))
        controller.close()
      },
    })
    const response = listenTo(new Response(body, { status: 203, headers: { 'x-a': 'b' } }), () => heard++)
    expect(await response.text()).toBe('abc')
    expect([response.status, response.headers.get('x-a'), heard]).toEqual([203, 'b', 4])
  })
})
