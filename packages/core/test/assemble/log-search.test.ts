import { expect, it } from 'vitest'
import { rememberedLines } from '../../src/assemble/ground.ts'
import type { SessionEvent } from '../../src/session/event.ts'
import { makeSession, user } from '../support/session.ts'

/** How often the text of an event is read for its line, of two times that it is asked for. */
function readsOf(events: readonly SessionEvent[], at: number): number {
  let reads = 0
  const watched = { ...events[at] } as SessionEvent
  Object.defineProperty(watched, 'text', {
    get() {
      reads++
      return 'fix  it'
    },
  })
  const lineOf = rememberedLines(events)
  for (const event of events.slice(0, at)) lineOf(event)
  expect([lineOf(watched), lineOf(watched)]).toEqual(['fix it', 'fix it'])
  return reads
}

it('lines of a log are made only once', () => {
  const { events } = makeSession([user('make pots'), user('fix it')])
  expect(readsOf(events, 1)).toBe(1)
})

it('only the lines of a large log that were requested first are cached', () => {
  const { events } = makeSession([
    user('make pots'),
    user('x'.repeat(6_000_000)),
    ...Array(6).fill(user('y'.repeat(6_000_000))),
  ])
  expect(readsOf(events, 1)).toBe(1)
  expect(readsOf(events, 2)).toBe(2)
})
