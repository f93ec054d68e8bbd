import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import {
  bundleFromMarkdown,
  bundleStore,
  bundleToMarkdown,
  type CompressLogOptions,
  compressLog,
  memoryStorage,
  type ProgressEvent,
  parseBundle,
  type Redactor,
  type Summarizer,
  tiktokenCounter,
} from '@tenfold/core'
import { fileStorage } from '@tenfold/storage-fs'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import { describe, expect, it } from 'vitest'
import { testFolder } from '../support/test-folder.ts'

const logs = resolve(import.meta.dirname, '../../examples/logs')
const rateLimiter = join(logs, 'claude-code-rate-limiter.jsonl')
const csvImporter = join(logs, 'codex-csv-importer.jsonl')
const now = new Date('2026-01-02T03:04:05.678Z')
const options = (more: Partial<CompressLogOptions> = {}): CompressLogOptions => ({
  summarizer: extractiveSummarizer(),
  now,
  random: () => 0,
  ...more,
})

const known = new Map<string, ReturnType<typeof compressLog>>()

/** A log of the examples, compressed once with these options for all tests that only look at it. */
function compressed(log: string): ReturnType<typeof compressLog> {
  const made = known.get(log) ?? compressLog(log, options())
  known.set(log, made)
  return made
}

const folder = testFolder('each')

describe('compressLog', () => {
  it.each([rateLimiter, csvImporter])('fits %s into the band, and reports its true size', async (log) => {
    const { bundle } = await compressed(log)
    expect(bundle.compression.band).toBe('within')
    expect(bundle.compression.ratio).toBeLessThanOrEqual(0.1)
    expect(bundle.compression.ratio).toBeGreaterThanOrEqual(0.05)
    expect(tiktokenCounter().count(bundleToMarkdown(bundle))).toBe(bundle.compression.bundleTokens)
    const markdown = bundleToMarkdown(bundle)
    expect(bundleToMarkdown(bundleFromMarkdown(markdown))).toBe(markdown)
  })

  it('gives the same bytes for the same log, in whatever form it comes', async () => {
    const bytes = await readFile(csvImporter)
    const { bundle } = await compressLog(bytes, options({ name: 'codex-csv-importer.jsonl' }))
    expect(bundleToMarkdown(bundle)).toBe(bundleToMarkdown((await compressed(csvImporter)).bundle))
  })

  it('keeps the story of the example', async () => {
    const { bundle } = await compressed(rateLimiter)
    expect(bundle.validation?.status).toBe('failed')
    expect(
      bundle.nextSteps.some((step) => `${step.action} ${step.command}`.includes('test:integration')),
    ).toBe(true)
    expect(bundle.workflow.tasksRemaining).toHaveLength(1)
    expect(bundle.git.head).toMatch(/^6de205d/)
    expect(bundle.constraints.length).toBeGreaterThan(1)
    expect(bundle.decisions.some((decision) => decision.by === 'user')).toBe(true)
    expect(bundle.usage.byAgent).toHaveLength(3)
    const ids = [...bundle.nextSteps, ...bundle.decisions, ...bundle.findings].flatMap(
      (item) => item.evidence,
    )
    expect(ids.every((id) => Number(id.slice(1)) <= bundle.source.events)).toBe(true)
  })

  it('writes archive, bundle and pointer, and reads the log back from the archive', async () => {
    const store = bundleStore(fileStorage(folder()))
    const { bundle, stored } = await compressLog(rateLimiter, options({ store, track: 'limiter' }))
    expect(stored?.track).toBe('limiter')
    expect((await store.latest('limiter'))?.bundle).toEqual(bundle)
    expect(parseBundle(JSON.parse(await readFile(folder(stored?.key ?? ''), 'utf8')))).toEqual(bundle)
    expect(await readFile(folder('tracks/limiter/LATEST.md'), 'utf8')).toBe(bundleToMarkdown(bundle))
    const files: Buffer[] = []
    for await (const file of store.readArchive(bundle.source.sha256)) {
      const blocks: Uint8Array[] = []
      for await (const block of file.blocks()) blocks.push(block)
      files.push(Buffer.concat(blocks))
    }
    expect(files).toHaveLength(3)
    expect(files[0]?.equals(await readFile(rateLimiter))).toBe(true)
  })

  it('redacts before summarizer and store see a text, and reports how many values', async () => {
    const redactor: Redactor = {
      name: 'names',
      find: (text) =>
        [...text.matchAll(/csv\.reader/g)].map(({ index }) => ({
          start: index,
          end: index + 'csv.reader'.length,
          type: 'name',
        })),
    }
    const { bundle } = await compressLog(csvImporter, options({ redactors: [redactor] }))
    expect(bundleToMarkdown(bundle)).not.toContain('csv.reader')
    expect(bundle.notes.find((note) => note.code === 'redacted')).toMatchObject({ count: 1 })
  })

  it('looks at the store before it asks a model', async () => {
    const assertWritable = () => Promise.reject(new Error('read-only'))
    const store = bundleStore({ ...memoryStorage(), assertWritable })
    const never = () => expect.unreachable('asked')
    const summarizer: Summarizer = { name: 'never', estimate: never, summarize: never }
    await expect(compressLog(csvImporter, options({ store, summarizer }))).rejects.toThrow('read-only')
  })

  it('stops when it is aborted, and writes nothing', async () => {
    const controller = new AbortController()
    const store = bundleStore(fileStorage(folder()))
    const report = ({ step }: ProgressEvent) => {
      if (step === 'plan') controller.abort()
    }
    await expect(
      compressLog(csvImporter, options({ store, report, signal: controller.signal })),
    ).rejects.toThrow(/abort/i)
    expect(await readdir(folder())).toEqual([])
  })
})
