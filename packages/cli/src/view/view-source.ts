import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { readSession, TenfoldError } from '@tenfold/core'
import { readArchivedSession } from '@tenfold/core/store'
import { openArgument } from '../logs/gather-logs.ts'
import { findBundle, isBundleFile } from '../store/find-bundle.ts'
import { errorCode } from '../terminal/thrown.ts'
import { type SourceOptions, streamSource, type ViewSource } from './stream-source.ts'
import { isStreamUrl } from './view-options.ts'

/**
 * Finds what an argument names: `LATEST`, a file of a bundle, a log (`-` is stdin), an event stream, or the id of a bundle. For a
 * bundle, the log is the archived one in the store. Throws TenfoldError that says what is missing.
 */
export async function viewSource(name: string, options: SourceOptions): Promise<ViewSource> {
  if (isStreamUrl(name)) return await streamSource(name, options)
  if (name === 'LATEST') return await bundleSource(name, 'store', options)
  const there = await isThere(name)
  if (there && (await isBundleFile(name))) return await bundleSource(name, 'file', options)
  // A name without a dot or a slash is that of a bundle, a session, a task or a track.
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
      // A file that is rewritten may keep its size.
      const changed = (await isThere(name)) ? (await stat(name)).mtimeMs : 0
      return `${changed}\n${files.map(({ name: file, bytes }) => `${file} ${bytes}`).join('\n')}`
    },
  }
}

async function bundleSource(
  name: string,
  from: 'store' | 'file',
  options: SourceOptions,
): Promise<ViewSource> {
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
  try {
    await stat(path)
    return true
  } catch (error) {
    // Any other fault of the path is reported when it is read as a log.
    if (errorCode(error) !== undefined) return false
    throw error
  }
}

function baseOf(path: string): string {
  const name = basename(path)
    .replace(/(?:\.(?:jsonl?|md|txt|gz|zst|db|sqlite))+$/i, '')
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
  return /^[.-]*$/.test(name) ? 'session' : name
}
