import { describe, expect, it } from 'vitest'
import { isReplayed, liveOnly, liveSessionId, liveUrls, type TaskEvent } from '../../src/entries/replay.ts'
import { expectCpuBelow } from '../support/cpu-time.ts'

function event(text: string, more: Partial<TaskEvent> = {}): TaskEvent {
  return { id: '1', type: 'assistant', agent: 'main', session: 'run-1', text, ...more } as TaskEvent
}

describe('effects of events', () => {
  it('happen for live events only', () => {
    const sent: string[] = []
    const notify = liveOnly((given: TaskEvent) => sent.push(given.text))
    expect(notify(event('now'))).toBe(1)
    expect(notify(event('then', { replayed: true }))).toBeUndefined()
    expect(sent).toEqual(['now'])
    expect(isReplayed(event('then', { replayed: true }))).toBe(true)
    expect(isReplayed(event('now'))).toBe(false)
  })

  it('do not confuse the session of a replayed event with the running one', () => {
    let current: string | undefined
    const events = [
      event('a', { session: 'old', replayed: true }),
      event('b', { session: 'new' }),
      event('c', { session: 'old', replayed: true }),
    ]
    for (const given of events) current = liveSessionId(given) ?? current
    expect(current).toBe('new')
  })

  it.each([
    ['see https://example.org/a?b=1#c.', ['https://example.org/a?b=1#c']],
    [
      '(http://127.0.0.1:3000/x), [https://example.org/y]',
      ['http://127.0.0.1:3000/x', 'https://example.org/y'],
    ],
    [
      'https://example.org/wiki/Log_(file) and **https://example.org/z**',
      ['https://example.org/wiki/Log_(file)', 'https://example.org/z'],
    ],
    ['"https://example.org/q" <https://example.org/q> `https://example.org/q`', ['https://example.org/q']],
    ['\u001b]8;;https://example.org/link\u0007text', ['https://example.org/link']],
    ['https:// http://[ javascript:alert(1) ftp://example.org', []],
  ])('find the URLs of %j', (text, urls) => {
    expect(liveUrls(event(text))).toEqual(urls)
    expect(liveUrls(event(text, { replayed: true }))).toEqual([])
  })

  it('read hostile text in linear time', async () => {
    await expectCpuBelow(10_000, () => {
      liveUrls(event(`https://example.org/${')'.repeat(500_000)}`))
      liveUrls(event('https://a.'.repeat(50_000)))
      liveUrls(event('http'.repeat(200_000)))
    })
  })
})
