import type { Redactor } from '@tenfold/redact'
import { compressLetGo, compressLog } from '../compress-log.ts'
import { compressOnce } from '../compress-once.ts'
import { defaultReaders } from '../readers/default-readers.ts'
import { readerNamed } from '../readers/reader/detect.ts'
import type { Reader } from '../readers/reader/reader.ts'
import { known } from '../session/known.ts'
import type { ProgressEvent } from '../session/progress-report.ts'
import type { Recipe } from '../session/recipe.ts'
import { bundleStore } from '../store/bundle-store.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'
import { type LogTask, type LogTaskResult, nameOf } from './log-task.ts'
import { makeFrom } from './make-from.ts'
import { connectPort, type Handlers } from './port-calls.ts'
import { rememberArchives } from './remember-archives.ts'
import { storageOfPort } from './storage-port.ts'
import { summarizersOfPort } from './summarizer-port.ts'
import { errorToWire, tooMuchMemory } from './thread-errors.ts'
import { watchMemory } from './watch-memory.ts'

// The code of a thread of the pool: all that takes computing time. The main thread keeps what touches the world.

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

/** The thread that sent the task keeps other runs away, and makes the requests. */
const heldOutside = { signal: new AbortController().signal, confirm: () => undefined }

const counters = new Map<string, Promise<TokenCounter>>()

/** Makes a counter once in this thread: the encoding that it loads serves all further logs. */
function counterOf(recipe: Recipe): Promise<TokenCounter> {
  const key = JSON.stringify(recipe)
  const made = counters.get(key) ?? makeFrom<TokenCounter>(recipe)
  counters.set(key, made)
  return made
}

async function readerOf(reader: string | Recipe): Promise<Reader> {
  return typeof reader === 'string' ? readerNamed(reader, defaultReaders) : await makeFrom<Reader>(reader)
}
