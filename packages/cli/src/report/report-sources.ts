import { createHash } from 'node:crypto'
import {
  type BundleStore,
  bundleToMarkdown,
  type ContextBundle,
  compressLog,
  type Redactor,
  type Session,
  TenfoldError,
  tiktokenCounter,
} from '@tenfold/core'
import { compressionRatio } from '@tenfold/core/internal'
import { measureSession } from '@tenfold/core/readers'
import { readArchivedSession } from '@tenfold/core/store'
import { gatherLogs, readable } from '../logs/gather-logs.ts'
import type { Reading } from '../options/log-options.ts'
import { holdsStore, isRemoteStore } from '../state/trust.ts'
import { bundleOfFile, isBundleFile } from '../store/find-bundle.ts'
import { openStore } from '../store/open-store.ts'
import { failureOf } from '../terminal/failure.ts'
import type { CommandContext } from '../terminal/terminal.ts'
import { unlessFaulty } from '../terminal/thrown.ts'

export interface SourcedBundle {
  readonly bundle: ContextBundle
  readonly from: 'log' | 'archive' | 'bundle'
  readonly session?: Session
  readonly earlier?: readonly ContextBundle[]
  readonly reason?: string
  readonly log?: string
}

/** A bundle or a log to report on. `load` reads it when its turn comes, and may reject. */
export interface ReportSource {
  readonly name: string
  load(): Promise<SourcedBundle>
}

export interface SourceOptions extends CommandContext {
  readonly store: string
  readonly redactors: readonly Redactor[]
  readonly reading: Reading
}

/** The bundles and logs with these names; without names, the store's bundles. Logs are compressed but not saved. */
export async function reportSources(names: readonly string[], options: SourceOptions) {
  const sources: ReportSource[] = []
  const logs: string[] = []
  for (const name of names.length === 0 ? [options.store] : names) {
    if (names.length === 0 || isRemoteStore(name) || holdsStore(name))
      sources.push(...(await storeSources(name, options)))
    else if (await isBundleFile(name)) sources.push(bundleSource(name, options))
    else logs.push(name)
  }
  return logs.length === 0 ? sources : [...sources, ...(await logSources(logs, options))]
}

async function storeSources(place: string, options: SourceOptions): Promise<ReportSource[]> {
  const store = await openStore(place, options.terminal)
  return (await store.list()).map(({ id, key, sha256 }) => ({
    name: `bundle ${id}`,
    async load() {
      const bundle = await store.load(id)
      const stored = await store.storage.get(key)
      // Not checked if prune has moved the bundle to another key.
      if (stored !== undefined && createHash('sha256').update(stored.bytes).digest('hex') !== sha256)
        throw new TenfoldError(
          'invalid-bundle',
          `${id} was changed after it was saved; restore it, or compress its log again.`,
        )
      return await withArchive(bundle, store, options)
    },
  }))
}

function bundleSource(path: string, options: SourceOptions): ReportSource {
  const { store, terminal } = options
  return {
    name: path,
    load: async () => ({
      ...(await withArchive(await bundleOfFile(path), await openStore(store, terminal), options)),
      log: path,
    }),
  }
}

async function withArchive(
  bundle: ContextBundle,
  store: BundleStore,
  { signal, reading }: SourceOptions,
): Promise<SourcedBundle> {
  try {
    const session = await readArchivedSession(store, bundle, { signal, readers: reading.readers })
    const counted = { ...bundle, compression: recount(bundle, session) }
    return { bundle: counted, from: 'archive', session, earlier: await earlierOf(bundle, store) }
  } catch (error) {
    if (signal.aborted) throw error
    return { bundle, from: 'bundle', reason: failureOf(error).message }
  }
}

/** Counts a bundle's sizes anew, because whoever changes a bundle can also change the sizes it states. */
function recount(bundle: ContextBundle, session: Session): ContextBundle['compression'] {
  const { compression } = bundle
  const { counter: name } = compression
  if (name !== 'o200k_base' && name !== 'cl100k_base') return compression
  const counter = tiktokenCounter(name)
  const sourceTokens = measureSession(session, counter).total
  const bundleTokens = counter.count(bundleToMarkdown(bundle))
  return {
    ...compression,
    sourceTokens,
    bundleTokens,
    ratio: compressionRatio({ bundleTokens, sourceTokens }),
  }
}

async function earlierOf({ carried = [] }: ContextBundle, store: BundleStore): Promise<ContextBundle[]> {
  const found: ContextBundle[] = []
  for (const id of new Set(carried.map(({ from }) => from))) {
    // Earlier bundles that are missing are not compared.
    const bundle = await unlessFaulty(store.load(id), undefined)
    if (bundle !== undefined) found.push(bundle)
  }
  return found
}

const fixedTime = new Date(Date.UTC(2026, 0, 1))

async function logSources(names: readonly string[], options: SourceOptions): Promise<ReportSource[]> {
  const { signal, redactors, reading } = options
  const gathered = await gatherLogs(names, options, options)
  return gathered.logs.map((argument, at) => ({
    name: argument.log,
    async load() {
      const log = readable(argument)
      const { extractiveSummarizer } = await import('@tenfold/summarizers/extractive')
      const { bundle, session } = await compressLog(log, {
        summarizer: extractiveSummarizer(),
        redactors,
        readers: reading.readers,
        signal,
        // A fixed time and id, so that each run counts the same tokens. The bundle is not saved.
        now: fixedTime,
        random: () => (at % 1e9) / 1e9,
      })
      return { bundle, session, from: 'log' as const, log }
    },
  }))
}
