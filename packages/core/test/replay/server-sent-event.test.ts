import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seedOf } from '../../../../test/support/seed.ts'
import { encodeServerSentMessage, serverSentHeartbeat } from '../../src/entries/internal.ts'
import { replaySession, type TaskEvent } from '../../src/entries/replay.ts'
import { decodeEventId, encodeServerSentEvent } from '../../src/replay/serve-events.ts'
import { assistant, makeSession, user } from '../support/session.ts'
import { parseEventStream } from './event-stream.ts'

/** Texts with many line ends, colons and spaces. */
const lines = fc
  .array(fc.constantFrom('\r', '\n', '\r\n', ':', ' ', 'a', 'data: ', 'id: x', '\0', '\ufeff', '🎉'), {
    maxLength: 20,
  })
  .map((parts) => parts.join(''))

const hostile = [
  'two\nlines',
  'id: 1\ndata: forged\n\nevent: end\n\n',
  '\r\n\r\n: comment\r',
  'nul \0, escape \u001b[2J, separator \u2028 \u2029',
  'lone \ud800 surrogate',
  '数据 🎉',
  ' ',
  '',
]

describe('server-sent events', () => {
  it('carry a task event through, with its id, type and replayed flag', () => {
    const events = replaySession(makeSession([user('Fix\nit.'), assistant('Done: '), ...hostile.map(user)]))
    const live: TaskEvent = { id: 'live 1', type: 'assistant', agent: 'main', text: 'now' }
    const stream = [...events, live].map(encodeServerSentEvent).join(serverSentHeartbeat)
    const messages = parseEventStream(stream)
    expect(messages.map(({ data }) => JSON.parse(data))).toEqual([...events, live])
    expect(messages.map(({ event }) => event)).toEqual([...events, live].map(({ type }) => type))
    expect(messages.map(({ lastEventId }) => decodeEventId(lastEventId))).toEqual(
      [...events, live].map(({ id }) => id),
    )
    expect(messages.map(({ data }) => JSON.parse(data).replayed)).toEqual([
      ...events.map(() => true),
      undefined,
    ])
  })

  it('carry data of many lines, and no more than one message each', () => {
    expect(parseEventStream(encodeServerSentMessage({ event: 'note', data: 'a\r\nb\rc\n\nd: e\n' }))).toEqual(
      [{ event: 'note', data: 'a\nb\nc\n\nd: e\n', lastEventId: '' }],
    )
    fc.assert(
      fc.property(lines, lines, (data, event) => {
        const [message, ...more] = parseEventStream(encodeServerSentMessage({ event, data }))
        expect(more).toEqual([])
        expect(message?.data).toBe(data.replaceAll(/\r\n|\r/g, '\n'))
      }),
      { seed: seedOf(1) },
    )
  })

  it.each(hostile)('return the id %j, unless a header cannot hold it', (id) => {
    const [before, message, ...more] = parseEventStream(
      encodeServerSentMessage({ id: 'before', data: '' }) + encodeServerSentMessage({ id, data: 'x' }),
    )
    expect(more).toEqual([])
    expect(before?.lastEventId).toBe('before')
    const given = message?.lastEventId ?? ''
    expect(given).toMatch(/^[!-~]+$/)
    expect([id, 'before']).toContain(decodeEventId(given))
  })

  it('return any id that a header can hold', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), (id) => {
        const [message] = parseEventStream(encodeServerSentMessage({ id, data: '' }))
        expect(message?.lastEventId).toMatch(/^[!-~]+$/)
        expect(decodeEventId(message?.lastEventId)).toBe(id)
      }),
      { seed: seedOf(2) },
    )
    expect(encodeServerSentMessage({ id: 'x'.repeat(20_000), data: '' })).toBe('data: \n\n')
    expect(decodeEventId('100%')).toBe('100%')
    expect(decodeEventId('')).toBeUndefined()
    expect(decodeEventId(undefined)).toBeUndefined()
  })
})
