import assert from 'node:assert/strict'
import { readHead } from '../readers/detect.ts'
import { fileFromBytes } from '../readers/log-file.ts'
import { readSession } from '../readers/read-session.ts'
import type { LogHead, Reader } from '../readers/reader.ts'
import type { Session } from '../session/session.ts'
import {
  encode,
  ended,
  inBlocks,
  insertions,
  type Mutation,
  repeatableNumbers,
  splitRecords,
  truncations,
  withPrototypeKeys,
  wrongFieldLogs,
  wrongRecordLogs,
} from './log-mutations.ts'

/** A log for the cases, whole, as its bytes. */
export interface SampleLog {
  readonly name: string
  readonly bytes: Uint8Array
}

/** What a reader brings along to be tested. Nothing is kept between cases; the reader must not keep anything either. */
export interface ReaderHarness {
  readonly reader: Reader
  /** True logs of the format, small (up to some 100 records): each is read a few thousand times. */
  readonly samples: readonly SampleLog[]
  /** Logs of other formats, which the reader must leave alone. */
  readonly foreign: readonly SampleLog[]
  /** A record of a kind that the reader cannot know, for line formats of JSON. @default the case is passed by */
  readonly unknownRecord?: unknown
}

/** One law of Reader; `run` rejects with an AssertionError where the reader breaks it. */
export interface ReaderCase {
  readonly name: string
  run(harness: ReaderHarness): Promise<void>
}

const mutationsPerSample = 2500
const cutsPerSample = 150

/** The laws of Reader, as data for any test runner: `for (const c of readerCases) it(c.name, () => c.run(harness))`. */
export const readerCases: readonly ReaderCase[] = [
  {
    name: 'knows its own logs, and no others',
    async run({ reader, samples, foreign }) {
      for (const sample of samples) {
        const score = reader.detect(await headOf(sample))
        assert.ok(score > 0.5 && score <= 1, `${sample.name} scores ${score}`)
      }
      for (const sample of foreign)
        assert.equal(reader.detect(await headOf(sample)), 0, `${sample.name} is foreign`)
    },
  },
  {
    name: 'detects nothing, and throws nothing, where a head holds odd values',
    async run({ reader }) {
      const odd = [null, 1, 'x', [], {}, { type: 5 }, { payload: [] }, { message: null }]
      for (const value of odd) {
        for (const records of [[value], [value, value], []]) {
          const head: LogHead = { name: 'log', text: JSON.stringify(value), records, document: value }
          const name = JSON.stringify(records)
          assert.doesNotThrow(() => reader.detect(head), `${name} makes detection fail`)
          assert.ok(reader.detect(head) <= 0.5, `${name} is taken for a log`)
        }
      }
    },
  },
  {
    name: 'accounts for every line',
    async run(harness) {
      for (const sample of harness.samples) {
        const session = await read(harness, sample.bytes)
        assertAccounted(session, sample.name)
        assert.ok(session.events.length > 0, `${sample.name} gives no events`)
      }
    },
  },
  {
    name: 'numbers events from e1 without gaps',
    async run(harness) {
      for (const sample of harness.samples) {
        const { events } = await read(harness, sample.bytes)
        assert.deepEqual(
          events.map((event) => event.id),
          events.map((_, index) => `e${index + 1}`),
          sample.name,
        )
      }
    },
  },
  {
    name: 'links each tool result to a call before it, or notes that there is none',
    async run(harness) {
      for (const sample of harness.samples) {
        const { events, notes } = await read(harness, sample.bytes)
        if (notes.some((note) => note.code === 'result-without-call')) continue
        const calls = new Set<string>()
        for (const event of events) {
          if (event.type === 'tool_call') calls.add(event.callId)
          if (event.type !== 'tool_result') continue
          assert.ok(calls.has(event.callId), `${sample.name}: ${event.id} answers no call`)
        }
      }
    },
  },
  {
    name: 'gives the same session when it reads the same log again',
    async run(harness) {
      for (const sample of harness.samples) {
        const first = await read(harness, sample.bytes)
        for (const other of harness.samples) await read(harness, other.bytes)
        assert.deepEqual(await read(harness, sample.bytes), first, sample.name)
      }
    },
  },
  {
    name: 'gives the same session from bytes and from a stream in blocks of any size',
    async run(harness) {
      const random = repeatableNumbers(7)
      for (const sample of harness.samples) {
        const whole = await read(harness, sample.bytes)
        for (const sizeOf of [
          () => 1,
          () => 1 + Math.floor(random() * 40),
          () => 1 + Math.floor(random() * 9000),
        ]) {
          assert.deepEqual(await read(harness, inBlocks(sample.bytes, sizeOf)), whole, sample.name)
        }
      }
    },
  },
  {
    name: 'reads what is there of a log that breaks off anywhere',
    async run(harness) {
      for (const sample of harness.samples) {
        for (const cut of truncations(sample.bytes, cutsPerSample)) {
          const session = await readMutation(harness, sample, cut)
          const wholeLines = cut.bytes.slice(0, cut.bytes.lastIndexOf(10) + 1)
          if (harness.reader.framing === 'document' || wholeLines.byteLength === 0) continue
          assertMostKept(session, await read(harness, wholeLines), `${sample.name}, ${cut.name}`)
        }
      }
    },
  },
  {
    name: 'goes on after a line of garbage',
    async run(harness) {
      if (harness.reader.framing !== undefined && harness.reader.framing !== 'lines') return
      for (const sample of harness.samples) {
        const whole = await read(harness, sample.bytes)
        for (const mutation of insertions(recordsOf(harness, sample), '{"garbage": \u0007 not JSON')) {
          const session = await readMutation(harness, sample, mutation)
          assert.deepEqual(spoken(session), spoken(whole), `${sample.name}, ${mutation.name}`)
        }
      }
    },
  },
  {
    name: 'goes on where a record is no record',
    async run(harness) {
      if (harness.reader.framing === 'text') return
      for (const sample of harness.samples) {
        const whole = await read(harness, sample.bytes)
        for (const mutation of wrongRecordLogs(recordsOf(harness, sample))) {
          const session = await readMutation(harness, sample, mutation)
          if (harness.reader.framing === 'document') continue
          assertMostKept(session, whole, `${sample.name}, ${mutation.name}`)
        }
      }
    },
  },
  {
    name: 'goes on where a field has a value of another type',
    async run(harness) {
      if (harness.reader.framing === 'text') return
      for (const sample of harness.samples) {
        const whole = await read(harness, sample.bytes)
        for (const mutation of wrongFieldLogs(recordsOf(harness, sample), mutationsPerSample)) {
          const session = await readMutation(harness, sample, mutation)
          if (harness.reader.framing === 'document') continue
          assertMostKept(session, whole, `${sample.name}, ${mutation.name}`)
        }
      }
    },
  },
  {
    name: 'keeps keys of a log away from prototypes',
    async run(harness) {
      if (harness.reader.framing === 'text') return
      try {
        for (const sample of harness.samples) {
          await read(harness, withPrototypeKeys(recordsOf(harness, sample)))
          assert.equal(Reflect.get({}, 'polluted'), undefined, `${sample.name} reaches Object.prototype`)
        }
      } finally {
        Reflect.deleteProperty(Object.prototype, 'polluted')
      }
    },
  },
  {
    name: 'takes no notice of blank lines and of carriage returns',
    async run(harness) {
      for (const sample of harness.samples) {
        const whole = spoken(await read(harness, sample.bytes))
        const text = Buffer.from(sample.bytes).toString('utf8')
        const returns = encode([text.replaceAll(/\r?\n/g, '\r\n')])
        assert.deepEqual(spoken(await read(harness, returns)), whole, `${sample.name} with carriage returns`)
        if (harness.reader.framing === 'text') continue
        const blanks = encode(recordsOf(harness, sample).flatMap((record) => ['\n', ended(record), '  \n']))
        assert.deepEqual(spoken(await read(harness, blanks)), whole, `${sample.name} with blank lines`)
      }
    },
  },
  {
    name: 'keeps a record of an unknown kind as it is',
    async run(harness) {
      if (harness.unknownRecord === undefined) return
      const line = JSON.stringify(harness.unknownRecord)
      for (const sample of harness.samples) {
        const whole = await read(harness, sample.bytes)
        for (const mutation of insertions(recordsOf(harness, sample), line).slice(1)) {
          const session = await readMutation(harness, sample, mutation)
          const kept = session.events.filter((event) => event.type === 'other' && isSame(event.raw, line))
          assert.equal(kept.length, 1, `${sample.name}, ${mutation.name}: not kept`)
          assert.equal(session.events.length, whole.events.length + 1, `${sample.name}, ${mutation.name}`)
        }
      }
    },
  },
]

async function read(
  { reader }: ReaderHarness,
  log: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<Session> {
  return await readSession(log, { readers: [reader], format: reader.name })
}

/** Reads a changed log: whatever was changed, reading ends and every line is accounted for. */
async function readMutation(harness: ReaderHarness, sample: SampleLog, mutation: Mutation): Promise<Session> {
  const name = `${sample.name}, ${mutation.name}`
  const session = await read(harness, mutation.bytes).catch((cause: unknown) => {
    throw new assert.AssertionError({ message: `${name}: reading fails with ${String(cause)}` })
  })
  assertAccounted(session, name)
  return session
}

function assertAccounted(session: Session, name: string): void {
  const { lines, events, other, notes, blank, absorbed } = session.source.account
  const sum = absorbed.reduce((total, [, count]) => total + count, events + other + notes + blank)
  assert.equal(sum, lines, `${name}: the account does not add up`)
  const silent = session.notes.find((note) => note.code === 'unaccounted-record')
  assert.equal(silent, undefined, `${name}: line ${silent?.line} is passed by in silence`)
}

/** One bad record may take a few events along that hang on it, never the rest of the log. */
function assertMostKept(session: Session, whole: Session, name: string): void {
  const least = whole.events.length - Math.max(5, Math.ceil(whole.events.length / 10))
  const { length } = session.events
  assert.ok(length >= least, `${name}: ${length} events are left of ${whole.events.length}`)
}

/** A session without what tells about the bytes of its log. */
function spoken(session: Session): unknown {
  const { cwd, branch, title, agents, models, usage } = session
  const events = session.events.map(({ source, ...event }) => event)
  return { cwd, branch, title, agents, models, usage, events }
}

function recordsOf({ reader }: ReaderHarness, sample: SampleLog): string[] {
  return splitRecords(sample.bytes, reader.framing ?? 'lines')
}

function isSame(value: unknown, json: string): boolean {
  return JSON.stringify(value) === json
}

async function headOf(sample: SampleLog): Promise<LogHead> {
  return await readHead(fileFromBytes(sample.bytes, sample.name))
}
