import {
  type BundleStore,
  bundleStore,
  type ContextBundle,
  compressLog,
  memoryStorage,
  prepareLog,
  resume,
  tiktokenCounter,
} from '@tenfold/core'
import { anthropicBatch, anthropicSummarizer } from '@tenfold/summarizers/anthropic'
import { collectBatch, submitBatch } from '@tenfold/summarizers/batch'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import { beforeEach, describe, expect, it } from 'vitest'
import { answerOf, promptOf, type StandInCall } from '../stand-in/index.ts'
import { promptEvents } from '../stand-in/prompt-events.ts'
import { type Line, logOf, look, write } from '../support/claude-log.ts'
import { testStandIn } from '../support/test-stand-in.ts'

const standIn = testStandIn('all')
beforeEach(() => {
  standIn.answer = undefined
})

const model = () =>
  anthropicSummarizer({ model: 'claude-opus-5-5', apiKey: 'test-key', baseURL: standIn.url })

const first: Line[] = [
  { user: 'Add the tide gauge to the harbour service. Never rename the ledger_berths table.' },
  look('src/gauge.mjs'),
  write('src/tide.mjs'),
  { agent: 'The gauge is there. Next steps:\n1. Calibrate the crane sensor with the pilots.' },
]

/** Work that settles the step in words that code cannot match with it. */
const second: Line[] = [
  { user: 'Please tidy the weather page.' },
  look('src/weather.mjs'),
  write('src/weather-page.mjs'),
  { agent: 'The page is tidy, and the lifting gear on the quay reports true weights.' },
]

/** Id of the item in the block of a prompt whose line has the words. */
function idOf(prompt: string, words: string): string {
  return new RegExp(`^\\| (c\\d+) [a-z ]+: .*${words}`, 'm').exec(prompt)?.[1] ?? ''
}

type Compress = (log: Uint8Array, store: BundleStore, now: Date) => Promise<ContextBundle>

const live: Compress = async (log, store, now) =>
  (await compressLog(log, { store, summarizer: model(), now })).bundle

const inBatch: Compress = async (log, store) => {
  const provider = await anthropicBatch({
    model: 'claude-opus-5-5',
    apiKey: 'test-key',
    baseURL: standIn.url,
  })
  const limits = { settleMs: 0, pauseMs: 1 }
  const { session } = await prepareLog(log, {})
  const { job } = await submitBatch({ store, provider, limits, sessions: [{ session, name: 's2' }] })
  const { saved } = await collectBatch(job, { store, provider, limits, wait: true, pollMs: 5 })
  return await store.load(saved[0]?.bundleId ?? '')
}

/** Two sessions, the second given the brief of the first; the prompt about the second one. */
async function twoSessions(
  settled: (call: StandInCall, prompt: string) => readonly object[] | undefined,
  compress = live,
) {
  const store = bundleStore(memoryStorage())
  const day = (number: number) => new Date(Date.UTC(2026, 1, number))
  await compressLog(logOf('s1', 1, undefined, first), {
    store,
    summarizer: extractiveSummarizer(),
    now: day(1),
  })
  const brief = (await resume({ store, maxTokens: 3000, counter: tiktokenCounter() })).text
  let prompt = ''
  standIn.answer = (call) => {
    prompt = promptOf(call)
    const claims = settled(call, prompt)
    return claims === undefined ? undefined : { ...Object(answerOf(call)), settled: claims }
  }
  const log = logOf('s2', 2, brief, second)
  const bundle = await compress(log, store, day(2))
  return { bundle, prompt, carried: (bundle.carried ?? []).map(({ text }) => text).join('\n') }
}

/** The event in the prompt that has the words. */
function eventOf(prompt: string, words: string): string {
  return promptEvents(prompt).find(({ text }) => text.includes(words))?.id ?? ''
}

describe('a model that is shown what earlier sessions left', () => {
  it.each([
    ['a live call', live],
    ['a batch', inBatch],
  ])(
    'ends in %s a step that it shows to be done, and no demand that it only calls revoked',
    async (_, way) => {
      const { bundle, prompt, carried } = await twoSessions(
        (__, asked) => [
          { id: idOf(asked, 'crane sensor'), event: eventOf(asked, 'lifting gear') },
          { id: idOf(asked, 'ledger_berths'), event: eventOf(asked, 'tidy the weather page') },
          { id: 'c99', event: 'e1' },
        ],
        way,
      )
      expect(prompt).toMatch(
        /^BEGIN carried (\w{12})\n\| c1 demand of the user: Never rename[\s\S]*\nEND carried \1$/m,
      )
      expect(carried).not.toContain('crane sensor')
      expect(carried).toContain('Never rename the ledger_berths table.')
      const notes = bundle.notes.filter(({ code }) => code === 'carried-claim-ignored')
      expect(notes).toMatchObject([{ count: 2 }])
      expect(notes[0]?.message).toMatch(/Never rename the ledger_berths table.*takes back nothing.*c99/)
    },
  )

  it('keeps all that it does not name, also if its answer lacks the list', async () => {
    for (const claims of [[], undefined]) {
      const { bundle, carried } = await twoSessions(() => claims)
      expect(carried).toContain('crane sensor')
      expect(carried).toContain('ledger_berths')
      expect(bundle.notes.map(({ code }) => code)).not.toContain('carried-claim-ignored')
    }
  })

  it('is asked for nothing more if nothing is carried', async () => {
    let asked = ''
    standIn.answer = (call) => {
      asked = `${promptOf(call)} ${JSON.stringify(call.schema)}`
      return undefined
    }
    await compressLog(logOf('s1', 1, undefined, first), { summarizer: model() })
    expect(asked).toContain('BEGIN facts')
    expect(asked).not.toMatch(/carried|settled/)
  })
})
