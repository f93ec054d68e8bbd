import { describe, expect, it } from 'vitest'
import { renderBrief } from '../../src/brief/render-brief.ts'
import { bundleToMarkdown } from '../../src/bundle/markdown.ts'
import { checkpoint } from '../../src/checkpoint/checkpoint.ts'
import { type CompressLogOptions, compressLog } from '../../src/compress-log.ts'
import { finishLog } from '../../src/finish-log.ts'
import { prepareLog } from '../../src/prepare-log.ts'
import { defaultReaders } from '../../src/readers/default-readers.ts'
import { recall } from '../../src/recall/recall.ts'
import { recallAll } from '../../src/recall/recall-all.ts'
import { resume } from '../../src/resume/resume.ts'
import { memoryStorage } from '../../src/storage/memory-storage.ts'
import { bundleStore } from '../../src/store/bundle-store.ts'
import { summarizePlan } from '../../src/summarize/summarize-plan.ts'
import { summarizedOf } from '../../src/summarize/summarized-of.ts'
import type { SummarizerCall } from '../../src/summarize/summarizer.ts'
import { fakeSummarizer, planOf } from '../summarize/fake-summarizer.ts'
import { hookedStorage } from '../support/hooked-storage.ts'

const log = {
  parsed: {
    messages: [
      { role: 'user', content: 'Please make the parser faster.' },
      { role: 'assistant', content: 'The parser reads each line once now.' },
    ],
  },
}

/** A log that must not be read. */
const unread = {
  [Symbol.asyncIterator]: () => {
    throw new Error('the log was read')
  },
}

const wrong: [option: string, value: unknown, message: RegExp][] = [
  ['track', 'My Track/1', /^expected track to be a name of letters.*got "My Track\/1"$/],
  ['track', '', /^expected track to be a name/],
  ['track', 'nul', /^expected track to be a name/],
  ['track', 7, /^expected track to be a string, got 7$/],
  [
    'kind',
    'summary',
    /^expected kind to be one of research, plan, progress, context, or auto, got "summary"$/,
  ],
  ['task', '', /^expected task to be some text, got ""$/],
  ['task', ' \n', /^expected task to be some text/],
  [
    'store',
    memoryStorage(),
    /^expected store to be a BundleStore, as bundleStore\(storage\) makes.*got an object/,
  ],
  ['store', 'folder', /^expected store to be a BundleStore, got "folder"$/],
  ['store', null, /^expected store to be a BundleStore, got null$/],
  ['previous', { id: 'x' }, /^expected previous to be a bundle: /],
  ['previous', '20261121T043135328Z-077558727', /^expected previous to be a bundle: /],
  ['summarizer', undefined, /^expected summarizer to be a Summarizer .*got undefined$/],
  ['summarizer', [], /^expected at least one summarizer in summarizer, got none$/],
  ['summarizer', [fakeSummarizer(), { name: 'x' }], /^expected summarizer\[1\] to be a Summarizer/],
  ['concurrency', 0, /^expected concurrency of at least 1, a whole number, got 0$/],
  ['concurrency', 1.5, /^expected concurrency of at least 1/],
  ['concurrency', '4', /^expected concurrency to be a number, got "4"$/],
  ['limits', 0.5, /^expected limits to be an object such as \{ maxCost: 0.5 \}, got 0.5$/],
  ['limits', { maxCost: -1 }, /^expected maxCost of at least 0, got -1$/],
  ['limits', { maxCost: '0.5' }, /^expected maxCost to be a number, got "0.5"$/],
  ['limits', { maxInputTokens: Number.NaN }, /^expected maxInputTokens of at least 0, got NaN$/],
  ['limits', { maxCost: 1, prices: {} }, /^the price table is not valid: date/],
  ['maxRatio', 2, /^expected maxRatio above 0 and up to 1, got 2$/],
  ['maxRatio', '0.1', /^expected maxRatio to be a number, got "0.1"$/],
  ['minRatio', 0.5, /^expected minRatio from 0 to maxRatio \(0.1\), got 0.5$/],
  ['maxTokens', 0, /^expected maxTokens above 0, got 0$/],
  ['minSourceTokens', -1, /^expected minSourceTokens of at least 0, got -1$/],
  ['counter', 'o200k_base', /^expected counter to be a TokenCounter .*got "o200k_base"$/],
  ['redactors', [{ name: 'mine' }], /^expected redactors\[0\] to be a Redactor .*got an object with name$/],
  ['redactors', 'none', /^expected redactors to be a list, got "none"$/],
  ['readers', [{}], /^expected readers\[0\] to be a Reader/],
  ['format', 'cobol', /^There is no format "cobol"; expected one of /],
  ['now', new Date(Number.NaN), /^expected now to be a time/],
  ['now', '2026-01-01', /^expected now to be a Date, got "2026-01-01"$/],
  ['archive', 'yes', /^expected archive to be true or false, got "yes"$/],
  ['dropUnverified', 1, /^expected dropUnverified to be true or false, got 1$/],
  ['onCall', {}, /^expected onCall to be a function, got an object$/],
  ['report', 'stderr', /^expected report to be a function, got "stderr"$/],
  ['signal', new AbortController(), /^expected signal to be an AbortSignal/],
  ['name', 5, /^expected name to be a string, got 5$/],
]

describe('compressLog', () => {
  it.each(wrong)('refuses %s %j before it reads the log or asks a model', async (option, value, message) => {
    const summarizer = fakeSummarizer()
    const options = { summarizer, [option]: value } as unknown as CompressLogOptions
    await expect(compressLog(unread, options)).rejects.toThrow(message)
    expect(summarizer.requests).toEqual([])
  })

  it('refuses missing options by name', async () => {
    await expect(compressLog(unread, undefined as never)).rejects.toThrow(/^expected summarizer to be/)
  })

  it('throws TypeError for a value of the wrong kind, RangeError for one out of range', async () => {
    const run = (more: object) => compressLog(unread, { summarizer: fakeSummarizer(), ...more })
    await expect(run({ track: 7 })).rejects.toThrow(TypeError)
    await expect(run({ track: '/' })).rejects.toThrow(RangeError)
  })

  it('treats undefined options as not given', async () => {
    const options = Object.fromEntries(wrong.map(([option]) => [option, undefined]))
    const summarizer = fakeSummarizer()
    const { bundle } = await compressLog(log, { ...options, summarizer } as CompressLogOptions)
    expect(bundle.track).toBe('main')
  })

  it('finds a limit that no bundle can keep before it asks a model', async () => {
    const paid = fakeSummarizer({ estimates: true })
    const options = { summarizer: paid, maxTokens: 10 }
    await expect(compressLog(log, options)).rejects.toMatchObject({ code: 'budget-too-small' })
    expect(paid.requests).toEqual([])
  })

  it('finds a store that cannot be read before it asks a model', async () => {
    const paid = fakeSummarizer({ estimates: true })
    const storage = hookedStorage(memoryStorage(), (call) => {
      if (call === 'get') throw new Error('no such bucket')
      return undefined
    })
    const options = { summarizer: paid, store: bundleStore(storage) }
    await expect(compressLog(log, options)).rejects.toThrow('no such bucket')
    expect(paid.requests).toEqual([])
  })

  it('keeps what was paid for if the bundle cannot be saved, so that it can be finished', async () => {
    const paid = fakeSummarizer({ estimates: true })
    const heard: SummarizerCall[] = []
    const storage = hookedStorage(memoryStorage(), (call) => {
      if (call === 'put') throw new Error('disk full')
      return undefined
    })
    const failed = await compressLog(log, {
      summarizer: paid,
      store: bundleStore(storage),
      onCall: (call) => heard.push(call),
    }).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(Error)
    const summarized = summarizedOf(failed)
    expect(summarized?.calls).toEqual(heard)
    expect(heard).toHaveLength(1)
    const store = bundleStore(memoryStorage())
    const { bundle, calls } = await finishLog(await prepareLog(log), summarized as never, { store })
    expect(calls).toEqual(heard)
    expect(bundle.summary).toBe(summarized?.summary.overview)
    expect((await store.latest('main'))?.bundle.id).toBe(bundle.id)
    expect(paid.requests).toHaveLength(1)
  })
})

const store = bundleStore(memoryStorage())
const notABundle = 'expected a bundle, as compressLog or a store returns it, got '

it.each<[name: string, call: () => unknown, message: string]>([
  ['renderBrief', () => renderBrief(null as never), `${notABundle}null`],
  ['bundleToMarkdown', () => bundleToMarkdown({} as never), `${notABundle}object`],
  ['bundleStore', () => bundleStore({} as never), 'expected storage to be a Storage, as memoryStorage()'],
  ['checkpoint', () => checkpoint({ step: 'x' } as never), 'expected store.storage to be a Storage'],
  [
    'checkpoint',
    () => checkpoint({ store } as never),
    'not a valid checkpoint: step: missing, expected string',
  ],
  ['resume', () => resume(null as never), 'expected store or dump, got neither'],
  ['resume', () => resume({ store: {} as never }), 'expected store to be a BundleStore, got an object'],
  [
    'recall',
    () => recall(null as never, 'x'),
    'expected from to be a Session, a SearchableLog or a BundleStore',
  ],
  ['recall', () => recall(store, undefined as never), 'expected query to be a string, got undefined'],
  [
    'recallAll',
    () => recallAll(memoryStorage() as never, 'x'),
    'as bundleStore(storage) makes from a Storage',
  ],
])('%s says what was given in the place of an argument, and what to give', async (_, call, message) => {
  await expect((async () => await call())()).rejects.toThrow(message)
})

it('throws if a log has another format than the named one, and names the likely one', async () => {
  const path = `${import.meta.dirname}/../../../../examples/logs/claude-code-small.jsonl`
  const wrong = compressLog(path, { summarizer: fakeSummarizer(), format: 'codex' })
  await expect(wrong).rejects.toThrow(
    'No record of claude-code-small.jsonl is one of format codex; it looks like claude-code',
  )
  await expect(prepareLog(path, { format: 'claude-code' })).resolves.toBeDefined()
})

describe('the single steps', () => {
  it('check their input: prepareLog', async () => {
    await expect(prepareLog(unread, { maxRatio: 3 })).rejects.toThrow('expected maxRatio')
    await expect(prepareLog(unread, { format: 'x', readers: defaultReaders })).rejects.toThrow(
      'no format "x"',
    )
  })

  it('check their input: summarizePlan', async () => {
    const summarizer = fakeSummarizer()
    const run = (options: object) => summarizePlan(planOf(2, 5), summarizer, options)
    await expect(run({ limits: { maxCost: 'x' } })).rejects.toThrow('expected maxCost to be a number')
    await expect(run({ earlier: {} })).rejects.toThrow('expected earlier to be an object with summary')
    await expect(summarizePlan(planOf(2, 5), undefined as never)).rejects.toThrow('expected summarizer to be')
    expect(summarizer.requests).toEqual([])
  })

  it('check their input: finishLog', async () => {
    const prepared = await prepareLog(log)
    const summarized = await summarizePlan(prepared.plan, fakeSummarizer())
    const finish = (options: object) => finishLog(prepared, summarized, options)
    await expect(finish({ track: 'a b' })).rejects.toThrow('expected track')
    await expect(finish({ previous: 'latest' })).rejects.toThrow('expected previous to be the id of a bundle')
    await expect(finish({ store: memoryStorage() })).rejects.toThrow('expected store to be a BundleStore')
  })
})
