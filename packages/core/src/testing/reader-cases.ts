import assert from 'node:assert/strict'
import { fileFromBytes } from '../readers/log/log-file.ts'
import { readSession } from '../readers/read-session.ts'
import { framingOf, readHead } from '../readers/reader/detect.ts'
import type { Framing, LogHead, Reader } from '../readers/reader/reader.ts'
import type { Session } from '../session/session.ts'
import { casesOf, type SuiteCase } from './cases-of.ts'
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

const defaultMutations = 2500
const maxCuts = 150

/** The laws of {@link Reader} for any test runner: `for (const c of readerCases) it(c.name, () => c.run(harness))`. */
export const readerCases: readonly ReaderCase[] = casesOf<ReaderHarness>({
  async 'recognises its own logs and no others'({ reader, samples, foreign }) {
    for (const sample of samples) {
      const score = reader.detect(await headOf(sample))
      assert.ok(score > 0.5 && score <= 1, `${sample.name} scores ${score}`)
    }
    for (const sample of foreign)
      assert.ok(reader.detect(await headOf(sample)) <= 0.5, `${sample.name} is foreign`)
  },
  async 'detects nothing and throws nothing when a head holds odd values'({ reader }) {
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
  async 'accounts for every line'(harness) {
    for (const sample of harness.samples) {
      const session = await read(harness, sample.bytes)
      assertAccounted(session, sample.name)
      assert.ok(session.events.length > 0, `${sample.name} gives no events`)
    }
  },
  async 'numbers events from e1 without gaps'(harness) {
    for (const sample of harness.samples) {
      const { events } = await read(harness, sample.bytes)
      assert.deepEqual(
        events.map((event) => event.id),
        events.map((_, index) => `e${index + 1}`),
        sample.name,
      )
    }
  },
  async 'links each tool result to a call before it, or notes that there is none'(harness) {
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
  async 'gives the same session when it reads the same log again'(harness) {
    for (const sample of harness.samples) {
      const first = await read(harness, sample.bytes)
      for (const other of harness.samples) await read(harness, other.bytes)
      assert.deepEqual(await read(harness, sample.bytes), first, sample.name)
    }
  },
  async 'gives the same session from bytes and from a stream in blocks of any size'(harness) {
    const random = repeatableNumbers(7)
    for (const sample of harness.samples) {
      const whole = await read(harness, sample.bytes)
      for (const most of [12, 9000]) {
        const sizeOf = () => 1 + Math.floor(random() * most)
        assert.deepEqual(await read(harness, inBlocks(sample.bytes, sizeOf)), whole, sample.name)
      }
    }
  },
  async 'reads what is left of a log that breaks off anywhere'(harness) {
    for (const { sample, framing } of await framed(harness, 'lines', 'document', 'text')) {
      for (const cut of truncations(sample.bytes, Math.min(maxCuts, harness.mutations ?? maxCuts))) {
        const session = await readMutation(harness, sample, cut)
        const wholeLines = cut.bytes.slice(0, cut.bytes.lastIndexOf(10) + 1)
        if (framing === 'document' || wholeLines.byteLength === 0) continue
        assertMostKept(session, await read(harness, wholeLines), `${sample.name}, ${cut.name}`)
      }
    }
  },
  async 'goes on after a line of garbage'(harness) {
    for (const { sample } of await framed(harness, 'lines')) {
      const whole = await read(harness, sample.bytes)
      for (const mutation of insertions(await recordsOf(harness, sample), '{"garbage": \u0007 not JSON')) {
        const session = await readMutation(harness, sample, mutation)
        assert.deepEqual(spoken(session), spoken(whole), `${sample.name}, ${mutation.name}`)
      }
    }
  },
  'goes on when a record is JSON of another kind': (harness) => goesOn(harness, wrongRecordLogs),
  'goes on when a field has a value of another type': (harness) => goesOn(harness, wrongFieldLogs),
  async 'keeps keys of a log away from prototypes'(harness) {
    try {
      for (const { sample } of await framed(harness, 'lines', 'document')) {
        await read(harness, withPrototypeKeys(await recordsOf(harness, sample)))
        assert.equal(Reflect.get({}, 'polluted'), undefined, `${sample.name} reaches Object.prototype`)
      }
    } finally {
      Reflect.deleteProperty(Object.prototype, 'polluted')
    }
  },
  async 'ignores blank lines and carriage returns'(harness) {
    for (const { sample, framing } of await framed(harness, 'lines', 'document', 'text')) {
      const whole = spoken(await read(harness, sample.bytes))
      const text = Buffer.from(sample.bytes).toString('utf8')
      const returns = encode([text.replaceAll(/\r?\n/g, '\r\n')])
      assert.deepEqual(spoken(await read(harness, returns)), whole, `${sample.name} with carriage returns`)
      if (framing === 'text') continue
      const blanks = encode(
        (await recordsOf(harness, sample)).flatMap((record) => ['\n', ended(record), '  \n']),
      )
      assert.deepEqual(spoken(await read(harness, blanks)), whole, `${sample.name} with blank lines`)
    }
  },
  async 'keeps a record of an unknown kind as it is'(harness) {
    if (harness.unknownRecord === undefined) return
    const line = JSON.stringify(harness.unknownRecord)
    for (const { sample } of await framed(harness, 'lines')) {
      const whole = await read(harness, sample.bytes)
      for (const mutation of insertions(await recordsOf(harness, sample), line).slice(1)) {
        const session = await readMutation(harness, sample, mutation)
        const kept = session.events.filter(
          (event) => event.type === 'other' && JSON.stringify(event.raw) === line,
        )
        assert.equal(kept.length, 1, `${sample.name}, ${mutation.name}: not kept`)
        assert.equal(session.events.length, whole.events.length + 1, `${sample.name}, ${mutation.name}`)
      }
    }
  },
})

async function goesOn(harness: ReaderHarness, changed: typeof wrongRecordLogs): Promise<void> {
  for (const { sample, framing } of await framed(harness, 'lines', 'document')) {
    const whole = await read(harness, sample.bytes)
    const records = await recordsOf(harness, sample)
    for (const mutation of changed(records, harness.mutations ?? defaultMutations)) {
      const session = await readMutation(harness, sample, mutation)
      if (framing !== 'document') assertMostKept(session, whole, `${sample.name}, ${mutation.name}`)
    }
  }
}

async function framed(
  { reader, samples }: ReaderHarness,
  ...framings: readonly Framing[]
): Promise<{ sample: SampleLog; framing: Framing }[]> {
  const all = await Promise.all(
    samples.map(async (sample) => ({ sample, framing: framingOf(reader, await headOf(sample)) })),
  )
  return all.filter(({ framing }) => framings.includes(framing))
}

async function recordsOf({ reader }: ReaderHarness, sample: SampleLog): Promise<string[]> {
  return splitRecords(sample.bytes, framingOf(reader, await headOf(sample)))
}

async function headOf(sample: SampleLog): Promise<LogHead> {
  return await readHead(fileFromBytes(sample.bytes, sample.name))
}

/** A complete log for the cases. */
export interface SampleLog {
  /** Used in messages. */
  readonly name: string
  /** Content of a log in the reader's format. */
  readonly bytes: Uint8Array
}

/** Input of {@link readerCases}. Neither the cases nor the reader may keep anything between cases. */
export interface ReaderHarness {
  /** The reader to test. */
  readonly reader: Reader
  /** Real logs of the format, of up to about 100 records, since each is read a few thousand times. */
  readonly samples: readonly SampleLog[]
  /** Logs of other formats, which the reader must not recognize. */
  readonly foreign: readonly SampleLog[]
  /** A record of a kind that the reader does not know, for formats with lines of JSON. @default the case is skipped */
  readonly unknownRecord?: unknown | undefined
  /** Maximum number of changed logs per sample and case. @default 2500 */
  readonly mutations?: number | undefined
}

/** One law of {@link Reader}. */
export type ReaderCase = SuiteCase<ReaderHarness>

async function read({ reader }: ReaderHarness, log: Uint8Array | AsyncIterable<Uint8Array>) {
  return await readSession(log, { readers: [reader], format: reader.name })
}

/** Reads a changed log. Whatever was changed, reading must end and account for every line. */
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
  assert.equal(silent, undefined, `${name}: line ${silent?.line} is dropped silently`)
}

/** A bad record may cost a few events that depend on it, never the rest of the log. */
function assertMostKept(session: Session, whole: Session, name: string): void {
  const least = whole.events.length - Math.max(5, Math.ceil(whole.events.length / 10))
  const { length } = session.events
  assert.ok(length >= least, `${name}: ${length} events are left of ${whole.events.length}`)
}

/** Returns the session without the fields that describe the bytes of its log. */
function spoken(session: Session): unknown {
  const { cwd, branch, title, agents, models, usage } = session
  const events = session.events.map(({ source, ...event }) => event)
  return { cwd, branch, title, agents, models, usage, events }
}
