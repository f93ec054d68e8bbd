import { EventEmitter, on } from 'node:events'
import { describe, expect, it } from 'vitest'
import { replaySession, type TaskEvent, withReplay } from '../../src/entries/replay.ts'
import { assistant, makeSession, user } from '../support/session.ts'

const replayed = replaySession(makeSession([user('Fix it.'), assistant('I read it first.')]))

function live(id: string, text = id): TaskEvent {
  return { id, type: 'assistant', agent: 'main', session: 'run-2', text }
}

/** A live stream that records whether it was ended. */
function stream(events: readonly TaskEvent[], failure?: Error) {
  const state = { ended: false }
  async function* run(): AsyncGenerator<TaskEvent> {
    try {
      yield* events
      if (failure !== undefined) throw failure
    } finally {
      state.ended = true
    }
  }
  return { state, events: run() }
}

async function collect(events: AsyncIterable<TaskEvent>): Promise<TaskEvent[]> {
  const list: TaskEvent[] = []
  for await (const event of events) list.push(event)
  return list
}

describe('withReplay', () => {
  it('puts the earlier run at the head of the live stream', async () => {
    const events = await collect(withReplay(replayed, stream([live('a'), live('b')]).events))
    expect(events.map(({ text }) => text)).toEqual(['Fix it.', 'I read it first.', 'a', 'b'])
    expect(events.map((event) => event.replayed)).toEqual([true, true, false, false])
  })

  it('emits no event twice, neither a replayed one nor one that is replayed twice', async () => {
    const again = replayed.map(({ replayed: _, ...event }) => event as TaskEvent)
    const events = await collect(withReplay([...replayed, ...replayed], stream([...again, live('a')]).events))
    expect(events.map(({ id }) => id)).toEqual([...replayed.map(({ id }) => id), 'a'])
  })

  it('marks events as replayed, without changing the originals', async () => {
    const given = Object.freeze(live('old'))
    const [event] = await collect(withReplay([given], stream([]).events))
    expect(event).toEqual({ ...given, replayed: true })
    expect(given.replayed).toBeUndefined()
  })

  it('ends the live stream with its consumer', async () => {
    const source = stream([live('a'), live('b')])
    for await (const { id } of withReplay(replayed, source.events)) if (id === 'a') break
    expect(source.state.ended).toBe(true)
    const unread = { returned: 0 }
    const never: AsyncIterable<TaskEvent> = {
      [Symbol.asyncIterator]: () => ({
        next: async () => expect.unreachable('asked for a live event'),
        return: async () => ({ done: true, value: unread.returned++ }),
      }),
    }
    for await (const _ of withReplay(replayed, never)) break
    expect(unread.returned).toBe(1)
  })

  it('ends at once if it is aborted while it waits for a live event', async () => {
    const emitter = new EventEmitter()
    const waiting = on(emitter, 'event') as AsyncIterable<[TaskEvent]>
    async function* events(): AsyncGenerator<TaskEvent> {
      for await (const [event] of waiting) yield event
    }
    const abort = new AbortController()
    const merged = withReplay(replayed, events(), { signal: abort.signal })
    for (const { id } of replayed) expect((await merged.next()).value).toMatchObject({ id })
    const next = merged.next()
    emitter.emit('event', live('a'))
    expect((await next).value).toMatchObject({ id: 'a' })
    const blocked = merged.next()
    abort.abort(new Error('the client left'))
    await expect(blocked).rejects.toThrow('the client left')
    expect(await merged.next()).toEqual({ done: true, value: undefined })
  })

  it('does not begin if it is already aborted, and ends the live stream', async () => {
    const ended = { count: 0 }
    const source: AsyncIterable<TaskEvent> = {
      [Symbol.asyncIterator]: () => ({
        next: async () => expect.unreachable('asked for a live event'),
        return: async () => ({ done: true, value: ended.count++ }),
      }),
    }
    await expect(
      withReplay(replayed, source, { signal: AbortSignal.abort(new Error('too late')) }).next(),
    ).rejects.toThrow('too late')
    expect(ended.count).toBe(1)
  })

  it('passes on a failure of the live stream, after the replayed events', async () => {
    const seen: string[] = []
    const broken = withReplay(replayed, stream([live('a')], new Error('worker died')).events)
    await expect(
      (async () => {
        for await (const { text } of broken) seen.push(text)
      })(),
    ).rejects.toThrow('worker died')
    expect(seen).toEqual(['Fix it.', 'I read it first.', 'a'])
  })
})
