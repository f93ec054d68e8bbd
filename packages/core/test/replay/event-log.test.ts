import { describe, expect, it } from 'vitest'
import { createEventLog, type EventLog, type TaskEvent } from '../../src/entries/replay.ts'

const event = (id: string): TaskEvent => ({ id, type: 'user', agent: 'main', text: id })
const ids = (events: readonly TaskEvent[]): string => events.map(({ id }) => id).join(' ')

function filled(names: string, limit?: number): EventLog {
  const log = createEventLog(limit === undefined ? {} : { limit })
  for (const name of names.split(' ')) log.add(event(name))
  return log
}

describe('an event log', () => {
  it('keeps each event once, in the order of arrival', () => {
    const log = filled('a b c')
    expect(log.add(event('b'))).toBe(false)
    expect(log.add(event('d'))).toBe(true)
    expect(log.size).toBe(4)
    expect(log.has('d')).toBe(true)
    expect(ids(log.since().events)).toBe('a b c d')
  })

  it('returns what came after an event, and everything if it does not know the event', () => {
    const log = filled('a b c')
    expect(log.since('b')).toEqual({ events: [event('c')] })
    expect(log.since('c')).toEqual({ events: [] })
    const unknown = log.since('from another server')
    expect(ids(unknown.events)).toBe('a b c')
    expect(unknown.note?.code).toBe('unknown-event')
  })

  it('keeps the newest events up to a limit, reports what was dropped, and still accepts no event twice', () => {
    const log = createEventLog({ limit: 3 })
    for (let number = 1; number <= 10; number++) {
      log.add(event(`${number}`))
      expect(log.size).toBe(Math.min(number, 3))
    }
    expect(log.since()).toMatchObject({ note: { code: 'dropped-events', count: 7 } })
    expect(ids(log.since().events)).toBe('8 9 10')
    expect(log.since('5')).toMatchObject({ note: { code: 'dropped-events', count: 2 } })
    expect(log.since('7').note).toBeUndefined()
    expect(ids(log.since('8').events)).toBe('9 10')
    expect(log.add(event('1'))).toBe(false)
    expect(log.size).toBe(3)
  })

  it('refuses events that it cannot accept', () => {
    expect(() => createEventLog({ limit: 0 })).toThrow(/at least 1, got 0/)
    expect(() => createEventLog().add(event(''))).toThrow(/with an id/)
    const log = filled('a')
    log.end()
    expect(() => log.add(event('b'))).toThrow(/after the end/)
  })

  it('is followed to its end by any number of readers', async () => {
    const log = filled('a b')
    const follow = async (after?: string): Promise<string> => {
      const seen: TaskEvent[] = []
      for await (const { events } of log.follow(after === undefined ? {} : { after })) seen.push(...events)
      return ids(seen)
    }
    const readers = [follow(), follow('a'), follow('b')]
    await Promise.resolve()
    for (const name of ['c', 'd']) log.add(event(name))
    await new Promise((done) => setImmediate(done))
    log.add(event('e'))
    log.end()
    expect(await Promise.all(readers)).toEqual(['a b c d e', 'b c d e', 'c d e'])
    expect(await follow('e')).toBe('')
  })

  it('stops a reader that is aborted, even while it waits', async () => {
    const log = filled('a')
    const abort = new AbortController()
    const reader = log.follow({ signal: abort.signal })
    expect((await reader.next()).value).toEqual({ events: [event('a')] })
    const waiting = reader.next()
    abort.abort()
    expect(await waiting).toEqual({ done: true, value: undefined })
  })

  it('reports to a slow reader what it missed', async () => {
    const log = createEventLog({ limit: 2 })
    log.add(event('a'))
    const reader = log.follow()
    expect((await reader.next()).value).toEqual({ events: [event('a')] })
    for (const name of ['b', 'c', 'd', 'e']) log.add(event(name))
    expect((await reader.next()).value).toEqual({
      events: [event('d'), event('e')],
      note: { code: 'dropped-events', count: 2, message: '2 older events are no longer held' },
    })
  })
})
