// Reads the log of an agent that Tenfold does not know, in a line format of its own, and proves the reader with the
// suite.
import assert from 'node:assert/strict'
import { compressLog } from '@tenfold/core'
import { defaultReaders, defineReader, type SessionWriter } from '@tenfold/core/readers'
import { readerCases } from '@tenfold/core/testing'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'

/** One line of the log of "Plumber", an agent that runs one command per step. */
interface Step {
  readonly plumber: string
  readonly at?: string
  readonly ask?: string
  readonly say?: string
  readonly run?: string
  readonly out?: string
  readonly exit?: number
}

const plumberReader = defineReader({
  name: 'plumber',
  detect: ({ records }) => (stepOf(records[0]) === undefined ? 0 : 1),
  async read(records, out) {
    // Calls have their own numbers, because the number of a line changes with each blank line before it.
    let calls = 0
    for await (const { value } of records) calls += readStep(value, calls + 1, out)
  },
})

/** A log may hold any value: only one with the mark and the right types is a step. */
function stepOf(value: unknown): Step | undefined {
  const { plumber, exit, ...texts } = Object(value) as Record<string, unknown>
  const isStep =
    typeof plumber === 'string' &&
    (exit === undefined || Number.isSafeInteger(exit)) &&
    [texts.at, texts.ask, texts.say, texts.run, texts.out].every(
      (text) => text === undefined || typeof text === 'string',
    )
  return isStep ? (value as Step) : undefined
}

/**
 * Adds the events of a record and returns how many calls it has. The law of a reader: each record becomes an event or a
 * note, or is absorbed for a reason. Nothing is dropped.
 */
function readStep(value: unknown, call: number, out: SessionWriter): number {
  const step = stepOf(value)
  if (step === undefined) {
    out.event({ type: 'other', name: 'unknown', raw: value })
    return 0
  }
  const { plumber, at: time, ask, say, run, out: printed, exit: exitCode } = step
  out.meta({ id: plumber })
  if (ask !== undefined) out.event({ type: 'user', origin: 'typed', text: ask, time })
  if (say !== undefined) out.event({ type: 'assistant', text: say, time })
  if (run !== undefined) {
    const callId = `run-${call}`
    out.event({ type: 'tool_call', callId, name: 'bash', input: { command: run }, time })
    const status = exitCode === undefined || exitCode === 0 ? 'ok' : 'error'
    out.event({ type: 'tool_result', callId, status, text: printed ?? '', exitCode, time })
  }
  if (ask === undefined && say === undefined && run === undefined) out.absorb('nothing was said or run')
  return run === undefined ? 0 : 1
}

const weirs = Array.from({ length: 40 }, (_, weir) => weir + 1)
const steps: readonly Step[] = [
  { plumber: 'p-7', at: '2026-05-04T08:00:00Z', ask: 'Make the pipe tests pass. Never touch valve.ts.' },
  {
    plumber: 'p-7',
    at: '2026-05-04T08:00:05Z',
    say: 'I run them first.',
    run: 'npm test',
    out: [...weirs.map((weir) => `weir ${weir}: the water flows uphill`), '40 failed'].join('\n'),
    exit: 1,
  },
  { plumber: 'p-7', at: '2026-05-04T08:01:00Z', run: 'npm test', out: '40 passed', exit: 0 },
  { plumber: 'p-7', at: '2026-05-04T08:01:02Z', say: 'They pass; joint.ts had the flow reversed.' },
]
const log = Buffer.from(steps.map((step) => `${JSON.stringify(step)}\n`).join(''))

for (const { run } of readerCases)
  await run({
    reader: plumberReader,
    samples: [{ name: 'p-7', bytes: log }],
    foreign: [{ name: 'other', bytes: Buffer.from('{"type":"user","message":"hi"}\n') }],
    unknownRecord: { pipe: 'burst' },
    mutations: 200,
  })

const { bundle } = await compressLog(log, {
  readers: [plumberReader, ...defaultReaders],
  summarizer: extractiveSummarizer(),
})
assert.equal(bundle.source.format, 'plumber')
assert.equal(bundle.commands.at(-1)?.command, 'npm test')
assert.match(JSON.stringify(bundle.constraints), /Never touch valve\.ts/)
console.log(`${readerCases.length} laws hold; the bundle has ${bundle.compression.bundleTokens} tokens.`)
