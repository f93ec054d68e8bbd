import { mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import {
  type BundleStore,
  bundleFromMarkdown,
  bundleStore,
  bundleToMarkdown,
  type CompressLogOptions,
  type ContextBundle,
  compressLog,
  memoryStorage,
  type SummarizerError,
} from '@tenfold/core'
import { fileStorage } from '@tenfold/storage-fs'
import { anthropicSummarizer } from '@tenfold/summarizers/anthropic'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import { openaiSummarizer } from '@tenfold/summarizers/openai'
import { describe, expect, it } from 'vitest'
import { syntheticSession } from '../../tools/eval/needles/synthetic-session.ts'
import { sumOfBill } from '../stand-in/index.ts'
import { everyPoint } from '../support/repeats.ts'
import { testFolder } from '../support/test-folder.ts'
import { testStandIn } from '../support/test-stand-in.ts'

const logs = resolve(import.meta.dirname, '../../examples/logs')
const csvImporter = join(logs, 'codex-csv-importer.jsonl')
/** Made for these tests: what happens around a call does not depend on the log. */
const { log: small } = syntheticSession(3, 150)
const sleep = () => Promise.resolve()

const standIn = testStandIn('each')
const folder = testFolder('all')

const claude = (more: object = {}) =>
  anthropicSummarizer({
    model: 'claude-opus-5-5',
    apiKey: 'test-key',
    baseURL: standIn.url,
    idleTimeoutMs: 20_000,
    maxRetries: 2,
    sleep,
    ...more,
  })
const gpt = (more: object = {}) =>
  openaiSummarizer({
    model: 'gpt-6-sol',
    api: 'responses',
    apiKey: 'test-key',
    baseURL: `${standIn.url}/v1`,
    idleTimeoutMs: 20_000,
    maxRetries: 2,
    sleep,
    ...more,
  })

/** Usage in the ledger, in the words of the bill. */
function ledger(calls: readonly { readonly usage: ContextBundle['usage']['total'] }[]) {
  const sum = (field: 'inputTokens' | 'outputTokens' | 'cacheReadTokens') =>
    calls.reduce((total, { usage }) => total + (usage[field] ?? 0), 0)
  return { input: sum('inputTokens'), output: sum('outputTokens'), cacheRead: sum('cacheReadTokens') }
}

function billed() {
  const { input, output, cacheRead } = sumOfBill(standIn.bill.filter(({ sent }) => sent === 'whole'))
  return { input, output, cacheRead }
}

describe('a session summarized by a model', () => {
  it.each([
    ['anthropic', claude, csvImporter],
    ['openai', gpt, small],
  ])('gets a valid bundle from %s with its author and cost, below a limit', async (name, make, log) => {
    const limits = { maxCost: 0.5 }
    const { bundle, plan } = await compressLog(log, {
      summarizer: [make(), extractiveSummarizer()],
      limits,
    })
    const { compression } = bundle
    expect(compression).toMatchObject({ summarizer: name, band: 'within' })
    expect(compression.fallback).toBeUndefined()
    expect(compression.promptVersion).toMatch(/\d/)
    expect(compression.calls).toHaveLength(1)
    expect(ledger(compression.calls)).toEqual(billed())
    expect(compression.usage?.inputTokens).toBe(billed().input)
    expect(compression.cost).toMatchObject({ currency: 'USD', amount: expect.any(Number) })
    expect(compression.cost?.amount).toBeLessThan(limits.maxCost)
    expect(bundle.summary).not.toBe('')
    const markdown = bundleToMarkdown(bundle)
    expect(bundleToMarkdown(bundleFromMarkdown(markdown))).toBe(markdown)
    // The condensed plan is sent, not the raw log.
    const [entry] = standIn.bill
    expect(entry?.usage.input).toBeLessThan(plan.tokens.total * 1.5)
    expect(standIn.received()).not.toContain('"type":"response_item"')
  })

  it('goes through map-reduce if it is large, whole, in parts that fit', async () => {
    // `npm run soak` reads a million tokens in parts of 200,000.
    const share = everyPoint ? 1 : 1 / 5
    const contextWindow = 200_000 * share
    const { log } = syntheticSession(1, 8000 * share)
    const parts: number[] = []
    const { bundle, plan, calls } = await compressLog(log, {
      summarizer: claude({ contextWindow, ...(!everyPoint && { maxOutputTokens: 6400 }) }),
      maxReadRatio: 1,
      report: (event) => {
        if (event.step === 'summarize' && event.part !== undefined) parts.push(event.part.done)
      },
    })
    const { compression } = bundle
    expect(compression.sourceTokens).toBeGreaterThan(1_000_000 * share)
    expect(compression.band).toBe('within')
    expect(compression.readTokens).toBeGreaterThan(plan.readTokens * 0.95)
    const purposes = calls.map(({ purpose }) => purpose)
    const count = purposes.filter((purpose) => purpose?.startsWith('part ')).length
    expect(count).toBeGreaterThan(5)
    expect(purposes).toContain('merge')
    expect(ledger(compression.calls)).toEqual(billed())
    expect(Math.max(...parts)).toBe(count)
    for (const { usage } of standIn.bill) expect(usage.input).toBeLessThan(contextWindow)
    // Every item was read by one part.
    const read = new Set(standIn.received().match(/\be\d+\b/g))
    const missed = plan.transcript.filter((item) => item.text !== '' && !read.has(item.event))
    expect(missed.map((item) => item.event)).toEqual([])
  })

  it('never loses an earlier bundle to a failed call, and reports what the failure cost', async () => {
    const at = await mkdtemp(folder('store-'))
    const store = bundleStore(fileStorage(at))
    const first = await compressLog(small, { summarizer: claude(), store })
    const before = await readdir(at, { recursive: true })
    standIn.script(['refusal'])
    const failed = compressLog(small, { summarizer: claude(), store })
    await expect(failed).rejects.toMatchObject({ code: 'summarizer-failed', reason: 'refused' })
    const { calls } = (await failed.catch((error) => error)) as SummarizerError
    expect(ledger(calls).input).toBeGreaterThan(0)
    expect(await readdir(at, { recursive: true })).toEqual(before)
    expect((await store.latest('main'))?.bundle).toEqual(first.bundle)
  })
})

describe('a session that has grown', () => {
  const lines = Buffer.from(small).toString('utf8').split('\n')
  const grow = async (name: string, upTo: number): Promise<string> => {
    const path = folder(name)
    await writeFile(path, `${lines.slice(0, upTo).join('\n')}\n`)
    return path
  }
  const store = (): BundleStore => bundleStore(memoryStorage())
  const options = (more: Partial<CompressLogOptions> = {}): CompressLogOptions => ({
    summarizer: claude(),
    store: store(),
    ...more,
  })

  it('is read from where it grew, and summarized from the earlier summary', async () => {
    const all = lines.length
    const path = await grow('grown.jsonl', Math.floor(all * 0.9))
    const { bundle: previous } = await compressLog(path, options())
    const full = standIn.bill[0]?.usage.input ?? 0
    await grow('grown.jsonl', Math.floor(all * 0.95))
    const { bundle } = await compressLog(path, options({ previous }))
    expect(bundle.previous).toBe(previous.id)
    expect(bundle.compression.calls.map(({ purpose }) => purpose)).toEqual(['update'])
    expect(bundle.compression.readTokens).toBeLessThan(previous.compression.readTokens / 2)
    expect(standIn.bill[1]?.usage.input).toBeLessThan(full)
    const decisions = bundle.decisions.map(({ topic, choice }) => `${topic} ${choice}`)
    expect(new Set(decisions).size).toBe(decisions.length)
    const known = new Set(
      bundle.source.events === 0 ? [] : bundle.findings.flatMap(({ evidence }) => evidence),
    )
    for (const id of known) expect(Number(id.slice(1))).toBeLessThanOrEqual(bundle.source.events)
    expect(bundle.notes.map(({ code }) => code)).not.toContain('read-whole')
  })

  it('is not sent to a model if nothing is new', async () => {
    const { bundle: previous } = await compressLog(small, options())
    const { bundle } = await compressLog(small, options({ previous }))
    expect(bundle.compression.calls).toEqual([])
    expect(bundle.summary).toBe(previous.summary)
    expect(bundle.notes.map(({ code }) => code)).toContain('nothing-new')
    expect(standIn.bill).toHaveLength(1)
  })

  it('is read again, with a note, if its earlier part has changed', async () => {
    const { bundle: previous } = await compressLog(small, options())
    const path = folder('changed.jsonl')
    await writeFile(path, Buffer.from(small).toString('utf8').replaceAll('orbit', 'comet'))
    const { bundle } = await compressLog(path, options({ previous }))
    expect(bundle.notes.map(({ code }) => code)).toContain('read-whole')
    expect(bundle.compression.calls.map(({ purpose }) => purpose)).toEqual(['summarize'])
    expect(bundle.previous).toBe(previous.id)
  })

  it('is read again by a summarizer that cannot update a summary', async () => {
    const { bundle: previous } = await compressLog(small, options({ summarizer: extractiveSummarizer() }))
    const { bundle } = await compressLog(small, options({ summarizer: extractiveSummarizer(), previous }))
    expect(bundle.notes.find(({ code }) => code === 'read-whole')?.message).toMatch(/^extractive/)
  })
})
