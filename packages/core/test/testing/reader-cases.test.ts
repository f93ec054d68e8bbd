import { AssertionError } from 'node:assert'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { codexReader } from '../../src/readers/codex/codex.ts'
import type { LogRecord, Reader, SessionWriter } from '../../src/readers/reader/reader.ts'
import { type ReaderHarness, readerCases } from '../../src/testing/reader-cases.ts'

const bytes = readFileSync(new URL('../fixtures/codex/bare.jsonl', import.meta.url))
const foreign = Buffer.from(
  '{"type":"thread.started","thread_id":"x"}\n{"type":"turn.completed","usage":{}}\n',
)

function harnessOf(reader: Reader): ReaderHarness {
  return {
    reader,
    samples: [{ name: 'bare', bytes }],
    foreign: [{ name: 'exec', bytes: foreign }],
    unknownRecord: { type: 'brand_new', deep: [{ a: 1 }] },
  }
}

/** The Codex reader with one fault: its input or its output is changed on the way. */
function faulty(
  fault: {
    records?: (record: LogRecord) => LogRecord | undefined
    writer?: (out: SessionWriter) => Partial<SessionWriter>
    detect?: Reader['detect']
  } = {},
): Reader {
  const { records, writer, detect } = fault
  return {
    ...codexReader,
    ...(detect && { detect }),
    async read(all, out) {
      async function* changed(): AsyncGenerator<LogRecord> {
        for await (const record of all) {
          const given = records === undefined ? record : records(record)
          if (given !== undefined) yield given
        }
      }
      await codexReader.read(changed(), { ...out, ...writer?.(out) })
    },
  }
}

function typeOf(value: unknown): unknown {
  return (value as { type?: unknown } | null)?.type
}

/** A reader that is correct except for the one fault of its case. */
const saboteurs: Record<string, () => Reader> = {
  'recognises its own logs and no others': () =>
    faulty({ detect: (head) => Math.max(codexReader.detect(head), head.text.includes('thread') ? 0.6 : 0) }),
  'detects nothing and throws nothing when a head holds odd values': () =>
    faulty({
      detect(head) {
        void Object.keys(head.records[0] as object)
        return codexReader.detect(head)
      },
    }),
  'accounts for every line': () => faulty({ writer: () => ({ absorb() {} }) }),
  'numbers events from e1 without gaps': () =>
    faulty({
      writer: (out) => ({
        event(draft, at) {
          const event = out.event(draft, at)
          if (event.type === 'tool_call') Reflect.set(event, 'id', 'e0')
          return event
        },
      }),
    }),
  'links each tool result to a call before it, or notes that there is none': () =>
    faulty({
      writer: (out) => ({
        event: (draft, at) =>
          out.event(draft.type === 'tool_result' ? { ...draft, callId: 'lost' } : draft, at),
      }),
    }),
  'gives the same session when it reads the same log again': () => {
    let seen = 0
    return faulty({
      writer: (out) => ({
        event: (draft, at) =>
          out.event(draft.type === 'reasoning' ? { ...draft, text: `${seen++}` } : draft, at),
      }),
    })
  },
  'gives the same session from bytes and from a stream in blocks of any size': () => {
    let readings = 0
    return {
      ...codexReader,
      async read(records, out) {
        if (readings++ > 0) out.meta({ title: 'a stream?' })
        await codexReader.read(records, out)
      },
    }
  },
  'reads what is left of a log that breaks off anywhere': () => {
    return {
      ...codexReader,
      async read(records, out) {
        let last: LogRecord | undefined
        async function* seen(): AsyncGenerator<LogRecord> {
          for await (const record of records) {
            last = record
            yield record
          }
        }
        await codexReader.read(seen(), out)
        if (!last?.text.includes('state')) throw new Error('the log has no end')
      },
    }
  },
  'goes on after a line of garbage': () => {
    let line = 0
    return faulty({
      records(record) {
        line = record.line === 1 ? 1 : line + 1
        if (record.line !== line) throw new Error('a line is missing')
        return record
      },
    })
  },
  'goes on when a record is JSON of another kind': () => {
    return faulty({
      records(record) {
        void Object.keys(record.value as object)
        return record
      },
    })
  },
  'goes on when a field has a value of another type': () =>
    faulty({
      records(record) {
        const { content } = record.value as {
          content?: { forEach(see: (part: unknown) => void): void } | null
        }
        content?.forEach(() => {})
        return record
      },
    }),
  'keeps keys of a log away from prototypes': () =>
    faulty({
      records(record) {
        merge({}, record.value)
        return record
      },
    }),
  'ignores blank lines and carriage returns': () => {
    return faulty({
      records: (record) => (record.line > 26 ? { ...record, value: { record_type: 'state' } } : record),
    })
  },
  'keeps a record of an unknown kind as it is': () =>
    faulty({
      records: (record) =>
        typeOf(record.value) === 'brand_new' ? { ...record, value: { record_type: 'state' } } : record,
    }),
}

function merge(target: Record<string, unknown>, source: unknown): void {
  if (typeof source !== 'object' || source === null) return
  for (const [key, value] of Object.entries(source)) {
    if (typeof value !== 'object' || value === null) target[key] = value
    else {
      target[key] ??= {}
      merge(target[key] as Record<string, unknown>, value)
    }
  }
}

describe('the cases for readers', () => {
  it('have a saboteur each', () => {
    expect(Object.keys(saboteurs)).toEqual(readerCases.map((each) => each.name))
  })

  it('refuse a reader that writes something other than events', async () => {
    const event = (out: SessionWriter): Partial<SessionWriter> => ({
      event: (draft, at) =>
        out.event(
          'text' in draft ? Object.assign({ content: draft.text }, draft, { text: undefined }) : draft,
          at,
        ),
    })
    const accounts = readerCases.find(({ name }) => name === 'accounts for every line')
    await expect(accounts?.run(harnessOf(faulty({ writer: event })))).rejects.toThrow(
      /needs the field "text"/,
    )
  })

  for (const { name, run } of readerCases) {
    it(`pass a correct reader: ${name}`, async () => {
      await run(harnessOf(faulty()))
    })

    it(`catch the reader that fails it: ${name}`, async () => {
      const saboteur = saboteurs[name]?.()
      if (saboteur === undefined) throw new Error('no saboteur')
      await expect(run(harnessOf(saboteur))).rejects.toThrow(AssertionError)
      expect(Reflect.get({}, 'polluted')).toBeUndefined()
    })
  }
})
