import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seedOf } from '../../../../test/support/seed.ts'
import { expectCpuBelow } from '../../../core/test/support/cpu-time.ts'
import { eventsOf, type ServerEvent } from '../../src/openai/read-events.ts'

async function read(text: string, sizes: readonly number[] = []): Promise<ServerEvent[]> {
  const bytes = new TextEncoder().encode(text)
  async function* chunks() {
    let at = 0
    for (const size of sizes) {
      yield bytes.subarray(at, at + size)
      at += size
    }
    yield bytes.subarray(at)
  }
  const events: ServerEvent[] = []
  for await (const event of eventsOf(chunks())) events.push(event)
  return events
}

describe('eventsOf', () => {
  it('reads names, data of several lines, comments and both ends of lines', async () => {
    const text =
      ': hello\r\n\r\nevent: a\r\nid: 3\ndata: {"x":\ndata: 1}\r\n\r\ndata:{"y":2}\n\n: ping\n\ndata: [DONE]\n\n'
    expect(await read(text)).toEqual([{ name: 'a', data: { x: 1 } }, { data: { y: 2 } }, { data: '[DONE]' }])
  })

  it('reads the same for any cut of the bytes', async () => {
    const text = 'event: é\ndata: {"a":"ü😀"}\n\ndata: {"b":"\\n"}\r\n\r\ndata: [DONE]'
    const whole = await read(text)
    expect(whole).toHaveLength(3)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(9), { maxLength: 40 }), async (sizes) => {
        expect(await read(text, sizes)).toEqual(whole)
      }),
      { seed: seedOf(1) },
    )
  })

  it('leaves out an event that was cut, and accepts a complete last one', async () => {
    expect(await read('data: {"a":1}\n\ndata: {"b":')).toEqual([{ data: { a: 1 } }])
    expect(await read('data: {"a":1}\n\ndata: {"b":2}')).toEqual([{ data: { a: 1 } }, { data: { b: 2 } }])
    expect(await read('data: {"a":1}\n\ndata: {"b":2}\n')).toEqual([{ data: { a: 1 } }, { data: { b: 2 } }])
    expect(await read('')).toEqual([])
    expect(await read(': only a comment\n\n')).toEqual([])
  })

  it('reads a body that is one JSON value', async () => {
    expect(await read('\n {"a":\n1}\n', [1, 1, 3])).toEqual([{ data: { a: 1 } }])
  })

  it('says what it got instead of events', async () => {
    await expect(read('<!doctype html>\n<title>Hello</title>')).rejects.toMatchObject({
      reason: 'bad-request',
      retryable: false,
      message: expect.stringContaining('base URL'),
    })
    await expect(read('{"a":')).rejects.toMatchObject({ reason: 'cut-off', retryable: true })
    await expect(read('data: {"a"\n\ndata: [DONE]\n\n')).rejects.toMatchObject({ reason: 'cut-off' })
  })

  it('takes linear time for a long event in small pieces', async () => {
    const text = `data: {"a":"${'x'.repeat(4_000_000)}"}\n\n`
    const cuts = Array.from({ length: 4000 }, () => 1000)
    await expectCpuBelow(2000, async () => expect(await read(text, cuts)).toHaveLength(1))
  })
})
