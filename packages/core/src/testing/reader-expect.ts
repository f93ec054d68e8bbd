import assert from 'node:assert/strict'
import { readSession } from '../readers/read-session.ts'
import type { Reader } from '../readers/reader/reader.ts'
import type { Session } from '../session/session.ts'
import type { SuiteCase } from './cases-of.ts'
import type { Mutation } from './log-mutations.ts'

/** A whole log for the cases, as bytes. */
export interface SampleLog {
  /** For messages. */
  readonly name: string
  /** A log of the reader's format. */
  readonly bytes: Uint8Array
}

/** A reader's input for its tests. Nothing is kept between cases; the reader must not keep anything either. */
export interface ReaderHarness {
  /** The reader to test. */
  readonly reader: Reader
  /** Real logs of the format, small (up to some 100 records): each is read a few thousand times. */
  readonly samples: readonly SampleLog[]
  /** Logs of other formats, which the reader must not claim. */
  readonly foreign: readonly SampleLog[]
  /** A record of a kind that the reader cannot know, for line formats of JSON. @default the case is skipped */
  readonly unknownRecord?: unknown | undefined
  /** Maximum number of changed logs to try for each sample in each case. @default 2500 */
  readonly mutations?: number | undefined
}

/** One law of {@link Reader}. */
export type ReaderCase = SuiteCase<ReaderHarness>

export async function read(
  { reader }: ReaderHarness,
  log: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<Session> {
  return await readSession(log, { readers: [reader], format: reader.name })
}

/** Reads a changed log: no matter what was changed, reading ends and every line is accounted for. */
export async function readMutation(
  harness: ReaderHarness,
  sample: SampleLog,
  mutation: Mutation,
): Promise<Session> {
  const name = `${sample.name}, ${mutation.name}`
  const session = await read(harness, mutation.bytes).catch((cause: unknown) => {
    throw new assert.AssertionError({ message: `${name}: reading fails with ${String(cause)}` })
  })
  assertAccounted(session, name)
  return session
}

export function assertAccounted(session: Session, name: string): void {
  const { lines, events, other, notes, blank, absorbed } = session.source.account
  const sum = absorbed.reduce((total, [, count]) => total + count, events + other + notes + blank)
  assert.equal(sum, lines, `${name}: the account does not add up`)
  const silent = session.notes.find((note) => note.code === 'unaccounted-record')
  assert.equal(silent, undefined, `${name}: line ${silent?.line} is dropped silently`)
}

/** One bad record may cost a few events that depend on it, never the rest of the log. */
export function assertMostKept(session: Session, whole: Session, name: string): void {
  const least = whole.events.length - Math.max(5, Math.ceil(whole.events.length / 10))
  const { length } = session.events
  assert.ok(length >= least, `${name}: ${length} events are left of ${whole.events.length}`)
}

/** A session without the data that describes the bytes of its log. */
export function spoken(session: Session): unknown {
  const { cwd, branch, title, agents, models, usage } = session
  const events = session.events.map(({ source, ...event }) => event)
  return { cwd, branch, title, agents, models, usage, events }
}
