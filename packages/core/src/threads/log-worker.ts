import type { Redactor } from '@tenfold/redact'
import { compressLetGo, compressLog } from '../compress-log.ts'
import { compressOnce } from '../compress-once.ts'
import { defaultReaders } from '../readers/default-readers.ts'
import { readerNamed } from '../readers/reader/detect.ts'
import type { Reader } from '../readers/reader/reader.ts'
import { known } from '../session/known.ts'
import type { Recipe } from '../session/recipe.ts'
import type { ProgressEvent } from '../session/report-to-log.ts'
import type { ArchivedLog } from '../store/archive/archive-log.ts'
import { readSums, storedSize } from '../store/archive/sums.ts'
import { type BundleStore, bundleStore } from '../store/bundle-store.ts'
import { archiveFileKey } from '../store/keys.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'
import { type LogTask, type LogTaskResult, nameOf } from './log-task.ts'
import { connectPort, type Handlers, makeFrom, storageOfPort, summarizersOfPort } from './port-calls.ts'
import { errorToWire, tooMuchMemory } from './thread-errors.ts'
import { watchMemory } from './watch-memory.ts'

// Code of a pool thread, which does all computation. The main thread does all input and output.

/** Compresses one log. Never rejects: an error is part of the result, with its class. */
export default async function compressTask(task: LogTask): Promise<LogTaskResult> {
  try {
    return await compress(task)
  } catch (error) {
    return { error: errorToWire(error) }
  } finally {
    task.port.close()
  }
}

async function compress({
  log,
  keepSession,
  port,
  options,
  again,
  exclusive,
  maxMegabytes,
  ...task
}: LogTask): Promise<LogTaskResult> {
  const started = performance.now()
  let called: Handlers[string] | undefined
  const calls = connectPort(port, { called: (...args: never[]) => called?.(...args) }, (error) =>
    calls.send('fault', errorToWire(error)),
  )
  calls.send('started')
  const tooMuch = () => calls.send('fault', errorToWire(tooMuchMemory(nameOf(log))))
  if (maxMegabytes !== undefined) port.once('close', watchMemory(maxMegabytes, tooMuch))
  const { summarizers, handlers } = await summarizersOfPort(task.summarizers, calls)
  called = handlers.called
  const made = {
    ...options,
    summarizer: summarizers,
    concurrency: task.requests,
    report: (event: ProgressEvent) => calls.send('report', event),
    ...known({
      counter: task.counter && (await counterOf(task.counter)),
      redactors: task.redactors && (await Promise.all(task.redactors.map(makeFrom<Redactor>))),
      readers: task.readers && (await Promise.all(task.readers.map(readerOf))),
    }),
  }
  const store =
    task.storage &&
    rememberArchives(
      bundleStore(storageOfPort(task.storage, calls)),
      JSON.stringify([task.storage.id, task.redactors]),
    )
  const once = store && { ...made, store, again, exclusive, lease: heldOutside }
  if (!keepSession) {
    const result = await (once === undefined
      ? compressLetGo(log, made)
      : compressOnce(log, { ...once, keepSession }))
    return 'known' in result ? result : { ...result, durationMs: since(started) }
  }
  const result = await (once === undefined ? compressLog(log, made) : compressOnce(log, once))
  if ('known' in result) return result
  const { facts: _, plan: __, ...rest } = result
  return { ...rest, sessionNotes: rest.session.notes, durationMs: since(started) }
}

const since = (started: number): number => Math.round(performance.now() - started)

/** The main thread holds the lease and makes the requests. */
const heldOutside = { signal: new AbortController().signal, confirm: () => undefined }

const counters = new Map<string, Promise<TokenCounter>>()

/** Makes each counter once per thread, because loading an encoding takes long. */
function counterOf(recipe: Recipe): Promise<TokenCounter> {
  const key = JSON.stringify(recipe)
  const made = counters.get(key) ?? makeFrom<TokenCounter>(recipe)
  counters.set(key, made)
  return made
}

async function readerOf(reader: string | Recipe): Promise<Reader> {
  return typeof reader === 'string' ? readerNamed(reader, defaultReaders) : await makeFrom<Reader>(reader)
}

/** Archives made by this thread, by request and digest of the log. */
const made = new Map<string, ArchivedLog>()
const mostRemembered = 1000

/**
 * Wraps a store so that a log is archived once, since a file may hold hundreds of sessions with the same archive.
 * `request` identifies where and how this thread archives. An archive that was deleted is made again.
 */
export function rememberArchives(store: BundleStore, request: string): BundleStore {
  return {
    ...store,
    async archive(log, source, options) {
      // The archive of a session from a database holds only that session.
      if (log.source !== undefined) return await store.archive(log, source, options)
      const key = `${request} ${source.sha256}`
      const known = made.get(key)
      if (known !== undefined && (await isStored(store, known))) return known
      const archived = await store.archive(log, source, options)
      if (made.size >= mostRemembered) made.clear()
      made.set(key, archived)
      return archived
    },
  }
}

async function isStored({ storage }: BundleStore, { key }: ArchivedLog): Promise<boolean> {
  const sums = await readSums(storage, key)
  if (sums?.files === undefined) return false
  for (const { sha256 } of sums.files)
    if ((await storedSize(storage, archiveFileKey(sha256))) === undefined) return false
  return true
}
