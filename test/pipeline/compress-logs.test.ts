import { execFileSync } from 'node:child_process'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import {
  bundleStore,
  type CompressLogsOptions,
  compressLog,
  compressLogs,
  type LogResult,
  memoryStorage,
  type Summarizer,
  type SummarizerCall,
  SummarizerError,
  type SummaryRequest,
  secretRedactor,
  tiktokenCounter,
} from '@tenfold/core'
import { patternRedactor, valueRedactor } from '@tenfold/core/redact'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import { describe, expect, it } from 'vitest'
import { testFolder } from '../support/test-folder.ts'

const folder = testFolder('each')

/** A log of so many rounds of a question and an answer. */
function writeLog(name: string, rounds = 20, more: object[] = []): string {
  const path = folder(`${name}.json`)
  const messages = Array.from({ length: rounds }, (_, round) => [
    { role: 'user', content: `Round ${round} of ${name}: please look at src/file-${round}.ts once more.` },
    { role: 'assistant', content: `I changed src/file-${round}.ts; the next step is file ${round + 1}.` },
  ])
  writeFileSync(path, JSON.stringify({ messages: [...messages.flat(), ...more] }))
  return path
}

/** A summarizer without a recipe, which the main thread must ask. */
function asking(
  answer: (request: SummaryRequest, signal: AbortSignal) => Promise<void> | void = () => {},
): Summarizer & { readonly requests: SummaryRequest[] } {
  const { recipe: _, ...offline } = extractiveSummarizer()
  const requests: SummaryRequest[] = []
  const usage = { inputTokens: 1000, outputTokens: 100 }
  return {
    ...offline,
    ...{ name: 'asking', model: 'claude-opus-5-5', requests },
    estimate: () => ({
      summarizer: 'asking',
      model: 'claude-opus-5-5',
      inputTokens: 1000,
      maxOutputTokens: 100,
    }),
    async summarize(request, control) {
      requests.push(request)
      control.admit?.({
        summarizer: 'asking',
        model: 'claude-opus-5-5',
        inputTokens: 1000,
        maxOutputTokens: 100,
      })
      const call: SummarizerCall = { summarizer: 'asking', model: 'claude-opus-5-5', usage }
      control.onCall?.(call)
      await answer(request, control.signal)
      const { summary } = await offline.summarize(request, control)
      return { summary, calls: [call] }
    },
  }
}

async function all(logs: readonly string[], options: Partial<CompressLogsOptions> = {}) {
  const results: (LogResult & { readonly log: string })[] = []
  // The start of a thread takes longer than a small log.
  const concurrency = logs.length > 1 ? 2 : 1
  const given = { summarizer: extractiveSummarizer(), concurrency, ...options }
  for await (const result of compressLogs(logs, given)) results.push(result)
  return results
}

describe('compressLogs', () => {
  it('gives the bundles that compressLog gives, in the order of the logs', async () => {
    const logs = [writeLog('large', 60), writeLog('b'), writeLog('c')]
    const results = await all(logs)
    expect(results.map(({ log }) => log)).toEqual(logs)
    for (const result of results) {
      if (!('bundle' in result)) throw result
      const alone = await compressLog(result.log, { summarizer: extractiveSummarizer() })
      const { id: _, createdAt: __, ...bundle } = result.bundle
      const { id: ___, createdAt: ____, ...expected } = alone.bundle
      expect(bundle).toEqual(expected)
      expect(result.sessionNotes).toEqual(alone.session.notes)
      expect(result).not.toHaveProperty('session')
    }
  })

  it('stores through the store of this thread, once for each log', async () => {
    const store = bundleStore(memoryStorage())
    const logs = [writeLog('a'), writeLog('b')]
    const one = { store, concurrency: 1 }
    const results = await all([...logs, ...logs], one)
    const [first, again] = [results.slice(0, 2), results.slice(2)]
    expect(first.map((result) => 'stored' in result && result.stored?.track)).toEqual(['main', 'main'])
    expect(again.map((result) => 'known' in result && result.known.id)).toEqual(
      first.map((result) => 'bundle' in result && result.bundle.id),
    )
    expect(await store.list()).toHaveLength(2)
    await all(logs.slice(1), { ...one, again: true })
    expect(await store.list()).toHaveLength(3)
  })

  it('reports the errors of the store in their class', async () => {
    const storage = memoryStorage()
    const full = {
      ...storage,
      put: () => Promise.reject(Object.assign(new Error('no space'), { code: 'ENOSPC' })),
    }
    expect(await all([writeLog('a')], { store: bundleStore(full) })).toMatchObject([
      { error: { message: 'no space', code: 'ENOSPC' } },
    ])
  })

  it('redacts in the threads with the redactors of the caller', async () => {
    const said = [{ role: 'user', content: 'Write to ann.lee@wombats.net, room wombat-17, code 4711-kiwi.' }]
    const redactors = [
      secretRedactor({ emails: true }),
      valueRedactor(['wombat-17']),
      patternRedactor({ type: 'code', pattern: /\d{4}-kiwi/ }),
    ]
    const [result] = await all([writeLog('a', 2, said)], {
      redactors,
      counter: tiktokenCounter('cl100k_base'),
    })
    const text = JSON.stringify(result)
    expect(text).not.toMatch(/ann\.lee|wombat-17|4711-kiwi/)
    expect(result).toHaveProperty('bundle.compression.counter', 'cl100k_base')
  })

  it('takes values in memory, returns the session of each if asked, and lets a log fail alone', async () => {
    const path = writeLog('a')
    writeFileSync(folder('odd.json'), '{"colour":"blue"}')
    const parsed = { parsed: JSON.parse(readFileSync(path, 'utf8')) }
    const logs = [path, folder('missing.json'), folder('odd.json'), parsed, { parsed: { greet() {} } }]
    const results = []
    for await (const result of compressLogs(logs, {
      summarizer: extractiveSummarizer(),
      concurrency: 1,
      keepSession: true,
    }))
      results.push(result)
    expect(results.map(({ log }) => log)).toEqual(logs)
    const [ofPath, missing, odd, ofValue, ofFunction] = results
    if (!(ofPath && 'bundle' in ofPath && ofValue && 'bundle' in ofValue)) throw ofPath
    expect(ofValue.bundle.summary).toBe(ofPath.bundle.summary)
    const { session } = await compressLog(path, { summarizer: extractiveSummarizer() })
    expect(ofPath.session).toEqual(session)
    expect(ofValue.session?.events).toEqual(session.events)
    expect(missing).toMatchObject({ error: { name: 'LogReadError', code: 'log-missing' }, calls: [] })
    expect(odd).toMatchObject({ error: { name: 'LogReadError', code: 'unknown-format' } })
    expect(ofFunction).toMatchObject({ error: { message: expect.stringMatching(/could not be cloned/) } })
  })

  it('refuses what no thread can make', async () => {
    const redactors = [{ name: 'mine', find: () => [] }]
    await expect(all([], { redactors })).rejects.toThrow(/^expected redactors\[0\] to be one with a recipe/)
    await expect(all([], { concurrency: 0 })).rejects.toThrow(/^expected concurrency of at least 1/)
    await expect(all([], { maxRatio: 2 })).rejects.toThrow(/^expected maxRatio/)
  })

  it('ends early if nobody takes the rest of the results', async () => {
    const logs = Array.from({ length: 6 }, (_, index) => writeLog(`log-${index}`))
    for await (const { log } of compressLogs(logs, { summarizer: extractiveSummarizer(), concurrency: 1 })) {
      expect(log).toBe(logs[0])
      break
    }
  })
})

describe('compressLogs with a model', () => {
  it('asks it from this thread, so many requests at a time, and reports each step with its log', async () => {
    const open = { now: 0, most: 0 }
    let pair: (() => void) | undefined
    // Each answer waits for a second request.
    const summarizer = asking(async () => {
      open.most = Math.max(open.most, ++open.now)
      const second = pair
      pair = undefined
      if (second === undefined) await new Promise<void>((resolve) => (pair = resolve))
      else setTimeout(second, 50)
      await new Promise((done) => setTimeout(done, 50))
      open.now -= 1
    })
    const logs = Array.from({ length: 4 }, (_, index) => writeLog(`log-${index}`))
    const steps = new Map<unknown, string[]>(logs.map((log) => [log, []]))
    const results = await all(logs, {
      ...{ summarizer, concurrency: 3, modelConcurrency: 2 },
      report: ({ log, step }) => {
        const own = steps.get(log)
        if (own?.at(-1) !== step) own?.push(step)
      },
    })
    for (const own of steps.values()) expect(own).toEqual(['read', 'plan', 'summarize', 'assemble'])
    expect(results.map((result) => 'calls' in result && result.calls)).toEqual(
      logs.map(() => [{ summarizer: 'asking', model: 'claude-opus-5-5', usage: expect.anything() }]),
    )
    expect([summarizer.requests.length, open.most]).toEqual([4, 2])
  })

  it('keeps the limits of a log, estimates included', async () => {
    const summarizer = asking()
    const [planned] = await all([writeLog('a')], { summarizer, limits: { maxInputTokens: 999 } })
    expect(planned).toMatchObject({ error: { reason: 'over-budget' }, calls: [] })
    expect(summarizer.requests).toEqual([])
  })

  it('keeps the class and the calls of its failure', async () => {
    const summarizer = asking(() => {
      throw new SummarizerError('the account is empty', { reason: 'spend-limit' })
    })
    const [result] = await all([writeLog('a')], { summarizer })
    if (result === undefined || !('error' in result)) throw new Error('expected a failure')
    expect(result.error).toBeInstanceOf(SummarizerError)
    expect(result.error).toMatchObject({ reason: 'spend-limit', message: 'the account is empty' })
    expect(result.calls).toHaveLength(1)
  })

  it('ends soon after an abort, with the calls that were made', async () => {
    const stop = new AbortController()
    const aborted = new Promise<number>((resolve) => {
      stop.signal.addEventListener('abort', () => resolve(performance.now()))
    })
    const summarizer = asking((_, signal) => {
      setTimeout(() => stop.abort(new Error('enough')), 10)
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    })
    const logs = [writeLog('a'), writeLog('b'), writeLog('c')]
    const results = await all(logs, { summarizer, concurrency: 1, signal: stop.signal })
    // 0.1 s on an idle machine.
    expect(performance.now() - (await aborted)).toBeLessThan(60_000)
    expect(results.map((result) => 'error' in result && [String(result.error), result.calls.length])).toEqual(
      [
        ['Error: enough', 1],
        ['Error: enough', 0],
        ['Error: enough', 0],
      ],
    )
  })
})

describe('a log that takes too much', () => {
  const deep = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      role: 'user',
      content: `Note ${index} ${'x '.repeat(200)}`,
    }))

  it.skipIf(process.platform === 'win32')('of time is given up, and the next one is compressed', async () => {
    const endless = folder('endless.jsonl')
    execFileSync('mkfifo', [endless])
    // As long as a writer has it open, it has no end.
    const writer = openSync(endless, 'r+')
    try {
      // A busy machine must be able to compress the other one in this time.
      const results = await all([`/dev/fd/${writer}`, writeLog('a', 2)], { concurrency: 1, maxLogMs: 5000 })
      expect(results).toMatchObject([{ error: { code: 'log-too-slow' } }, { bundle: { track: 'main' } }])
    } finally {
      closeSync(writer)
    }
  })

  it('of memory is given up, and the next one is compressed', async () => {
    const long = { role: 'user' as const, content: 'x '.repeat(30_000_000) }
    const logs = [writeLog('huge', 1, deep(50_000)), writeLog('long', 1, [long]), writeLog('a')]
    const results = await all(logs, { concurrency: 2, maxLogMegabytes: 60 })
    const given = { error: { code: 'log-too-much-memory' } }
    expect(results).toMatchObject([given, given, { bundle: { track: 'main' } }])
  })
})
