import type { ContextBundle } from '../bundle/schema.ts'
import { LogReadError, StorageError, TenfoldError } from '../errors.ts'
import { sessionTitle } from '../facts/session-title.ts'
import { defaultReaders } from '../readers/default-readers.ts'
import { walOf } from '../readers/log/log-file.ts'
import type { OpenLog } from '../readers/open-log.ts'
import { readSession } from '../readers/read-session.ts'
import { bestReader, readHead } from '../readers/reader/detect.ts'
import type { Reader } from '../readers/reader/reader.ts'
import type { AbortableOptions } from '../session/abortable-options.ts'
import { known } from '../session/known.ts'
import type { Note } from '../session/note.ts'
import { pausing } from '../session/pauses.ts'
import type { Session } from '../session/session.ts'
import type { ArchivedFile } from '../store/archive/read-archive.ts'
import type { BundleStore } from '../store/bundle-store.ts'
import { archiveKey, getKept } from '../store/keys.ts'
import { type LogText, readLogCache, readWords, writeLogCache, writeWords } from './log-cache.ts'
import { entriesOfBundle, entriesOfSession } from './search-entry.ts'
import { type SearchableLog, type SearchedLog, searchable } from './searchable-log.ts'
import { type WordIndex, wordIndex, wordsOf } from './words.ts'

/** Options of {@link openArchivedLog}. */
export interface OpenArchiveOptions extends AbortableOptions {
  /** @default all readers of this package */
  readonly readers?: readonly Reader[] | undefined
  /** If the log is missing or damaged, search the bundle itself, with a note. @default true */
  readonly fallback?: boolean | undefined
  /** Maximum bytes of text in the log. @default 512 MiB */
  readonly maxLogBytes?: number | undefined
}

/**
 * Opens the archived log of a bundle for searching. If the archive was redacted, the log contains marks. Throws {@link
 * TenfoldError} `no-archive`, {@link StorageError} or {@link LogReadError}, with advice, unless the bundle is searched
 * instead.
 */
export async function openArchivedLog(
  store: BundleStore,
  bundle: ContextBundle,
  options: OpenArchiveOptions = {},
): Promise<SearchableLog> {
  const search = async (
    { title, entries }: LogText,
    from: SearchedLog['from'],
    notes: readonly Note[],
  ): Promise<SearchableLog> => {
    const words = await wordsOfLog(store, bundle, entries, options)
    const about = { bundle: bundle.id, sessionId: bundle.source.sessionId, ...known({ title }) }
    return searchable({ ...about, from, events: entries.length }, entries, notes, words)
  }
  try {
    const text = await readText(store, bundle, options)
    return await search(text, 'log', notesOf(text.entries, bundle))
  } catch (error) {
    options.signal?.throwIfAborted()
    if (!(options.fallback ?? true) || !isGone(error)) throw error
    const message = `${error.message} Only the bundle itself was searched: its trail, commands and errors.`
    const held = { ...known({ title: bundle.source.title }), entries: entriesOfBundle(bundle) }
    return await search(held, 'bundle', [{ code: 'log-gone', message }])
  }
}

/** Returns the stored words of a log, unless they belong to other events. */
async function wordsOfLog(
  { storage }: BundleStore,
  { source }: ContextBundle,
  entries: LogText['entries'],
  options: OpenArchiveOptions,
): Promise<WordIndex | undefined> {
  const isDefault = isRead(options)
  const stored = isDefault ? await readWords(storage, source) : undefined
  if (stored?.events === entries.length) return stored
  const words = await pausing(wordsOf(entries), options.signal)
  if (isDefault) await writeWords(storage, source, words)
  return wordIndex(words)
}

/** Whether the log is read with the default readers and limits; others may give other events. */
function isRead({ readers = defaultReaders, maxLogBytes }: OpenArchiveOptions): boolean {
  return readers === defaultReaders && maxLogBytes === undefined
}

/** Smaller logs are read about as fast as their caches. */
const minCachedBytes = 2 ** 20

async function readText(
  store: BundleStore,
  bundle: ContextBundle,
  options: OpenArchiveOptions,
): Promise<LogText> {
  const { signal } = options
  const { source } = bundle
  const archived = { storage: store.storage, source }
  const isCached = isRead(options) && store.storage.remote !== true && source.bytes >= minCachedBytes
  const cached = isCached && source.archived ? await readLogCache(archived, signal) : undefined
  if (cached !== undefined) return cached
  const session = await readArchivedSession(store, bundle, options)
  const entries = await pausing(entriesOfSession(session), signal)
  const text = { ...known({ title: source.title ?? sessionTitle(session) }), entries }
  if (isCached) await writeLogCache(archived, text, signal)
  return text
}

/** Reads the session of a bundle again from the archive. Throws like {@link openArchivedLog} without a fallback. */
export async function readArchivedSession(
  store: BundleStore,
  bundle: ContextBundle,
  { readers = defaultReaders, maxLogBytes, signal }: Omit<OpenArchiveOptions, 'fallback'> = {},
): Promise<Session> {
  const files = (await archivedFiles(store, bundle)).map((file) =>
    maxLogBytes === undefined ? file : { ...file, maxBytes: maxLogBytes },
  )
  const [main] = files
  if (main === undefined) throw gone(store, bundle)
  const head = await readHead(main, walOf(files, main))
  const detected = bestReader(head, readers)
  const named = readers.find(({ name }) => name === bundle.source.format)
  const read = async (reader: Reader | undefined): Promise<Session> => {
    const options = { readers, format: reader?.name, signal }
    return await readSelected({ files, head }, reader, bundle.source.sessionId, options)
  }
  const session = await read(detected ?? named)
  // The log may have been read with another format than the detected one (`--format`).
  if (session.events.length === bundle.source.events || named === undefined || named === detected)
    return session
  const other = await read(named)
  return other.events.length === bundle.source.events ? other : session
}

async function readSelected(
  open: OpenLog,
  reader: Reader | undefined,
  sessionId: string,
  options: Parameters<typeof readSession>[1],
): Promise<Session> {
  if (reader?.sessions === undefined) return await readSession(open, options)
  try {
    return await readSession({ ...open, sessionId }, options)
  } catch (error) {
    if (!(error instanceof LogReadError) || error.code !== 'session-missing') throw error
    return await readSession(open, options)
  }
}

async function archivedFiles(store: BundleStore, bundle: ContextBundle): Promise<ArchivedFile[]> {
  const { source, id } = bundle
  if (source.events === 0)
    throw new TenfoldError('no-archive', `Bundle ${id} was given by hand: there is no log behind it.`)
  if (!source.archived)
    throw new TenfoldError(
      'no-archive',
      `Bundle ${id} was made without an archive of its log. Compress the log again into a store with an archive.`,
    )
  const key = archiveKey(source.sha256)
  const files: ArchivedFile[] = []
  try {
    for await (const file of store.readArchive(source.sha256)) files.push(file)
  } catch (error) {
    const isHere =
      !(error instanceof StorageError) || error.key !== key || (await getKept(store.storage, key))
    if (!isHere) throw gone(store, bundle, error)
    throw error
  }
  return files
}

function gone(store: BundleStore, { id, source }: ContextBundle, cause?: unknown): TenfoldError {
  return new TenfoldError(
    'no-archive',
    `The log of bundle ${id} is not in ${store.storage.name}: it was pruned or deleted, or left behind by Git, which ignores archives. Compress the log again, which only archives it, or copy ${archiveKey(source.sha256)} and the files it names from a backup or the machine that made it.`,
    { cause },
  )
}

/** Whether the log is permanently unavailable; an error that a retry may resolve is no reason to fall back. */
function isGone(error: unknown): error is TenfoldError {
  if (error instanceof StorageError) return !error.retryable
  return error instanceof LogReadError || (TenfoldError.isInstance(error) && error.code === 'no-archive')
}

function notesOf(read: readonly unknown[], bundle: ContextBundle): Note[] {
  const { events } = bundle.source
  if (read.length === events) return []
  const message = `The log of bundle ${bundle.id} reads as ${read.length} events now, and as ${events} when the bundle was made: event ids in the bundle may name other events.`
  return [{ code: 'events-differ', message }]
}
