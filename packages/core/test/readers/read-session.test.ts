import { describe, expect, it } from 'vitest'
import { readSession } from '../../src/readers/read-session.ts'
import type { LogRecord, Reader } from '../../src/readers/reader/reader.ts'
import { readRecords } from '../../src/readers/reader/records.ts'
import { createSessionWriter } from '../../src/readers/reader/session-builder.ts'
import { atOnce } from '../../src/session/pauses.ts'
import { jsonl, log } from './claude-code-log.ts'

const silent: Reader = {
  name: 'silent',
  detect: () => 1,
  async read(records) {
    for await (const _ of records);
  },
}

describe('readSession', () => {
  it('notes records that a reader ignored', async () => {
    const session = await readSession(Buffer.from('{}\n{}\n'), { readers: [silent] })
    expect(session.notes.map((note) => [note.code, note.line])).toEqual([
      ['unaccounted-record', 1],
      ['unaccounted-record', 2],
    ])
    expect(session.source.account).toMatchObject({ lines: 2, notes: 2 })
  })

  it('refuses a reader that stops in the middle', async () => {
    const hasty: Reader = { name: 'hasty', detect: () => 1, async read() {} }
    await expect(readSession(Buffer.from('{}\n'), { readers: [hasty] })).rejects.toThrow(
      'stopped before the end',
    )
  })

  it('reads as a named format, and lists the formats if the name is unknown', async () => {
    const session = await readSession(Buffer.from('{"a":1}\n'), { format: 'claude-code' })
    expect(session.events).toMatchObject([{ type: 'other', name: 'unknown', raw: { a: 1 } }])
    const wrong = readSession(Buffer.from('{"a":1}\n'), { format: 'word' })
    await expect(wrong).rejects.toMatchObject({
      code: 'unknown-format',
      message: expect.stringMatching(/claude-code/),
    })
  })

  it('finds a format behind a first line of megabytes', async () => {
    const { user } = log()
    const big = user([{ type: 'image', source: { data: 'A'.repeat(6_000_000) } }])
    const session = await readSession(jsonl([big, user('hello')]))
    expect(session.format).toBe('claude-code')
    expect(session.events).toHaveLength(2)
    expect(JSON.stringify(session).length).toBeLessThan(4000)
  })

  it('hands over lines undecoded if the framing is text', async () => {
    const texts: string[] = []
    const reader: Reader = {
      name: 'text',
      framing: 'text',
      detect: () => 1,
      async read(records, out) {
        for await (const { text, value } of records) {
          texts.push(text)
          expect(value).toBeUndefined()
          if (text !== '') out.event({ type: 'assistant', text })
        }
      },
    }
    const session = await readSession(Buffer.from('# a\r\n\r\nb\n'), { readers: [reader] })
    expect(texts).toEqual(['# a', '', 'b'])
    expect(session.source.account).toMatchObject({ lines: 3, events: 2, blank: 1 })
  })
})

describe('readRecords', () => {
  it('skips a line over the limit without holding it in memory', async () => {
    const sink = createSessionWriter({ format: 'x', files: ['x'] })
    const tally = { lines: 0 }
    async function* blocks() {
      yield Buffer.from('{"a":1}\n{"b":"')
      for (let i = 0; i < 10; i++) yield Buffer.from('x'.repeat(100))
      yield Buffer.from('"}\n{"c":1}')
    }
    const records: LogRecord[] = []
    for await (const batch of readRecords({
      file: 0,
      blocks: blocks(),
      framing: 'lines',
      sink,
      tally,
      maxLineBytes: 200,
    })) {
      for (const record of batch) {
        records.push(record)
        sink.absorb('test')
      }
    }
    expect(records.map((record) => record.value)).toEqual([{ a: 1 }, { c: 1 }])
    const session = atOnce(sink.finish([]))
    expect(session.notes).toMatchObject([{ code: 'line-too-long', line: 2, file: 'x' }])
    expect(session.source.account).toMatchObject({ lines: 3, notes: 1, absorbed: [['test', 2]] })
  })
})
