import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import {
  type BundleStore,
  type ContextBundle,
  LogReadError,
  type Note,
  type ReadSessionOptions,
  readSession,
  type Session,
  TenfoldError,
} from '@tenfold/core'
import { cleanLine } from '@tenfold/core/internal'
import { openLog } from '@tenfold/core/readers'
import { readArchivedSession } from '@tenfold/core/store'
import { openArgument } from '../logs/gather-logs.ts'
import type { Reading } from '../options/log-options.ts'
import { findBundle, isBundleFile } from '../store/find-bundle.ts'
import { asObject, parseJson } from '../terminal/regular-file.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { unlessFaulty } from '../terminal/thrown.ts'
import { streamMessages } from './event-stream.ts'
import { isStreamUrl } from './view-options.ts'

/** `LATEST`, a bundle's file or id (the log comes from the archive), a log (`-` is stdin), or an event stream's URL. */
export async function viewSource(name: string, options: SourceOptions): Promise<ViewSource> {
  if (isStreamUrl(name)) return await streamSource(name, options)
  if (name === 'LATEST') return await bundleSource(name, 'store', options)
  const there = await isThere(name)
  if (there && (await isBundleFile(name))) return await bundleSource(name, 'file', options)
  // A name without a dot or a slash means a bundle, a session, a task or a track.
  if (!there && name !== '-' && /^[^./\\]+$/.test(name)) return await bundleSource(name, 'store', options)
  return logSource(name, options)
}

export function logSource(name: string, options: SourceOptions): ViewSource {
  const { reading, signal } = options
  const read: ViewSource['read'] = async (onProgress) => {
    const log = await openArgument(name, options)
    return await readSession(log, { readers: reading.readers, format: reading.format, signal, onProgress })
  }
  if (name === '-') return { name: 'stdin', read }
  return {
    name: baseOf(name),
    read,
    async state() {
      const { files } = await openArgument(name, options)
      // A rewritten file may keep its size.
      const changed = (await isThere(name)) ? (await stat(name)).mtimeMs : 0
      return `${changed}\n${files.map(({ name: file, bytes }) => `${file} ${bytes}`).join('\n')}`
    },
  }
}

async function bundleSource(name: string, from: 'store' | 'file', options: SourceOptions) {
  const { store, reading, signal } = options
  const bundle = await findBundle(name, options)
  return {
    name: from === 'file' ? baseOf(name) : bundle.id,
    bundle: { bundle, from },
    async read() {
      try {
        return await readArchivedSession(store, bundle, {
          readers: reading.readers,
          maxLogBytes: reading.maxLogBytes,
          signal,
        })
      } catch (cause) {
        const isGone = TenfoldError.isInstance(cause) && cause.code === 'no-archive'
        if (!isGone || bundle.source.events === 0) throw cause
        const hint = `If you have the log: tenfold view LOG --bundle ${from === 'file' ? name : bundle.id}.`
        throw new TenfoldError(cause.code, `${cause.message} ${hint}`, { cause })
      }
    },
  }
}

async function isThere(path: string): Promise<boolean> {
  // Other faults of the path are reported when it is read as a log.
  return (await unlessFaulty(stat(path), undefined)) !== undefined
}

function baseOf(path: string): string {
  const name = basename(path)
    .replace(/(?:\.(?:jsonl?|md|txt|gz|zst|db|sqlite))+$/i, '')
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
  return /^[.-]*$/.test(name) ? 'session' : name
}

export interface ViewSource {
  readonly name: string
  read(onProgress?: ReadSessionOptions['onProgress']): Promise<Session>
  /** The log's modification time and its files' names and sizes, to detect changes. Absent if it cannot be followed. */
  state?(): Promise<string>
  replayedFrom?(): string | undefined
  readonly bundle?: { readonly bundle: ContextBundle; readonly from: 'store' | 'file' } | undefined
}

interface SourceOptions {
  readonly store: BundleStore
  readonly track: string
  readonly reading: Reading
  readonly terminal: Terminal
  readonly signal: AbortSignal
  readonly follow: boolean
}

const usualMaxSize = 512 * 2 ** 20

/** Bytes of memory for a message besides its text. */
const eachMessage = 64

/** Marks an earlier run's events as copied. Resolves at the first event, or at the stream's end if not followed. */
async function streamSource(
  url: string,
  { reading, terminal, signal, follow }: SourceOptions,
): Promise<ViewSource> {
  const { readers, format = 'task-events', maxLogBytes = usualMaxSize } = reading
  const name = new URL(url).host.replaceAll(/[^\w.-]+/g, '-')
  const lines: string[] = []
  const notes: Note[] = []
  let size = 0
  let failure: unknown
  let replayed: string | undefined
  let live: string | undefined
  let begin: (() => void) | undefined
  const begun = new Promise<void>((done) => {
    begin = done
  })

  function add(data: string): void {
    const event = asObject(parseJson(data))
    const session = typeof event?.session === 'string' ? event.session : undefined
    if (event?.replayed === true) replayed ??= session ?? 'unknown'
    else live ??= session ?? name
    // Replayed events are history from an earlier run.
    const line = event?.replayed === true ? JSON.stringify({ ...event, copied: true }) : data
    size += line.length + eachMessage
    if (size > maxLogBytes)
      throw new LogReadError(
        'log-too-large',
        `${cleanLine(url)} sent more than ${maxLogBytes} characters (option maxLogBytes).`,
      )
    lines.push(line.replaceAll('\n', ' '))
    begin?.()
  }

  async function receive(): Promise<void> {
    let lost = ''
    const onLost = (reason: string): void => {
      if (reason !== lost)
        terminal.warn(
          `warning: the connection to ${cleanLine(url)} was lost (${cleanLine(reason)}); trying again`,
        )
      lost = reason
    }
    for await (const { event, data } of streamMessages(url, { signal, follow, onLost })) {
      lost = ''
      if (event === 'note') notes.push(noteOf(data))
      else add(data)
    }
    if (follow && lines.length > 0) terminal.note(`The stream at ${cleanLine(url)} ended.`)
  }

  const received = receive().catch((error: unknown) => {
    const isSlow = LogReadError.isInstance(error) && error.code === 'log-too-slow'
    if (!isSlow || lines.length === 0) failure = error
    else {
      terminal.warn(`warning: ${cleanLine(error.message)} The page shows what arrived before.`)
      notes.push({ code: 'stream-cut', message: error.message })
    }
  })
  await (follow ? Promise.race([begun, received]) : received)
  if (failure !== undefined) throw failure
  if (lines.length === 0)
    throw new LogReadError('log-empty', `The stream at ${cleanLine(url)} ended without an event.`)

  return {
    name,
    replayedFrom: () => replayed,
    async state() {
      if (failure !== undefined) throw failure
      return `${lines.length} ${notes.length}`
    },
    async read(onProgress) {
      const text = Buffer.from(`${lines.join('\n')}\n`)
      const log = await openLog(text, { name, format, readers, maxLogBytes })
      const session = await readSession(log, { format, readers, signal, onProgress })
      return { ...session, id: live ?? session.id, notes: [...session.notes, ...notes] }
    },
  }
}

function noteOf(data: string): Note {
  const { code, message } = asObject(parseJson(data)) ?? {}
  return {
    code: typeof code === 'string' ? code : 'stream-note',
    message: typeof message === 'string' ? message : data,
  }
}
