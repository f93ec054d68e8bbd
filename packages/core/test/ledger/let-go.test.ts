import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { compressOnce } from '../../src/compress-once.ts'
import { defaultReaders } from '../../src/readers/default-readers.ts'
import type { Reader } from '../../src/readers/reader/reader.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import { bundleStore } from '../../src/store/bundle-store.ts'
import { summarizedOf } from '../../src/summarize/summarized-of.ts'
import { fakeSummarizer } from '../summarize/fake-summarizer.ts'
import { bytesIn } from '../support/stored.ts'

const said = ['Please make the parser faster.', 'The parser reads each line once now.']
const log = {
  parsed: {
    messages: said.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content })),
  },
}
const fixed = { summarizer: fakeSummarizer(), now: new Date('2026-03-04T05:06:07Z'), random: () => 0.5 }

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** Readers that note each event that they write, without keeping it. */
function noting(events: WeakRef<object>[]): Reader[] {
  return defaultReaders.map((reader) => ({
    ...reader,
    read: (records, out) =>
      reader.read(records, {
        ...out,
        event(...given) {
          const event = out.event(...given)
          events.push(new WeakRef(event))
          return event
        },
      }),
  }))
}

/** One collection may miss what a register or a finished job still names, so it is repeated until nothing is left. */
async function countHeld(events: readonly WeakRef<object>[], rounds: number): Promise<number> {
  let held = events.length
  for (let round = 0; round < rounds && held > 0; round++) {
    await setImmediate()
    collectGarbage()
    held = events.filter((event) => event.deref() !== undefined).length
  }
  return held
}

/** How many events of the session are in memory when the archive is made. */
async function heldEvents(keepSession: boolean): Promise<{ readonly all: number; readonly held: number }> {
  const events: WeakRef<object>[] = []
  let held = -1
  const inner = bundleStore(memoryStorage())
  const store: typeof inner = {
    ...inner,
    async archive(...given) {
      // Those that are kept on purpose are there after any number of collections.
      held = await countHeld(events, keepSession ? 3 : 20)
      return await inner.archive(...given)
    },
  }
  const options = { ...fixed, store, readers: noting(events) }
  const result = keepSession
    ? await compressOnce(log, options)
    : await compressOnce(log, { ...options, keepSession })
  expect(result).toHaveProperty(keepSession ? 'session' : 'sessionNotes')
  return { all: events.length, held }
}

describe('compressOnce without keeping the session', () => {
  it('stores the same bytes, and returns the notes of the session in place of it', async () => {
    const [keeping, lettingGo] = [memoryStorage(), memoryStorage()]
    const whole = await compressOnce(log, { ...fixed, store: bundleStore(keeping) })
    const lean = await compressOnce(log, { ...fixed, store: bundleStore(lettingGo), keepSession: false })
    if ('known' in whole || 'known' in lean) throw new Error('nothing was done before')
    expect(await bytesIn(lettingGo)).toEqual(await bytesIn(keeping))
    const { session, facts: _, plan: __, ...rest } = whole
    expect(lean).toEqual({ ...rest, sessionNotes: session.notes })
  })

  it('does not hold its events when the archive is made, unlike with the session', async () => {
    expect(await heldEvents(false)).toEqual({ all: 2, held: 0 })
    expect(await heldEvents(true)).toEqual({ all: 2, held: 2 })
  })

  it('carries the summary that was paid in an error of the store', async () => {
    const store = bundleStore({
      ...memoryStorage(),
      put: async () => {
        throw new Error('no room')
      },
    })
    const error: unknown = await compressOnce(log, { ...fixed, store, keepSession: false }).catch(
      (thrown: unknown) => thrown,
    )
    expect(String(error)).toMatch(/no room/)
    expect(summarizedOf(error)?.summarizer).toBe(fixed.summarizer.name)
  })
})
