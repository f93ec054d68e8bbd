import {
  type BundleStore,
  bundleFromMarkdown,
  type ContextBundle,
  parseBundle,
  TenfoldError,
} from '@tenfold/core'
import { cleanLine, cleanText, readRegularFile } from '@tenfold/core/internal'
import type { Terminal } from '../terminal/terminal.ts'
import { reasonOf } from '../terminal/user-files.ts'

async function latestBundle(store: BundleStore, track: string, terminal: Terminal): Promise<ContextBundle> {
  const latest = await store.latest(track)
  if (latest !== undefined) {
    if (latest.repaired !== undefined) terminal.warn(`warning: ${cleanText(latest.repaired)}`)
    return latest.bundle
  }
  const tracks = await store.tracks()
  const other =
    tracks.length === 0
      ? 'Compress a log first.'
      : `It has the tracks ${tracks.join(', ')}: choose one (option track).`
  throw new TenfoldError(
    'no-bundle',
    `There is no bundle on track ${track} in ${store.storage.name}. ${other}`,
  )
}

interface FindOptions {
  readonly store: BundleStore
  readonly track: string
  readonly task?: string | undefined
  readonly terminal: Terminal
}

export async function findBundle(name: string, options: FindOptions): Promise<ContextBundle> {
  if (name !== 'LATEST' && /\.(?:json|md)$/i.test(name)) return await bundleOfFile(name)
  return await findStoredBundle(name, options)
}

/** Finds the newest bundle of a session, task, track or kind. A kind is searched in the given track and task. */
export async function findStoredBundle(name: string, options: FindOptions): Promise<ContextBundle> {
  const { store, track, terminal } = options
  if (name === 'LATEST') return await latestBundle(store, track, terminal)
  const bundle = await store.load(await idOf(name, options))
  const fault = await store.faultOf(bundle.id)
  if (fault !== undefined)
    terminal.warn(`warning: this is not the bundle that was saved: ${cleanText(fault)}`)
  return bundle
}

const shortestSession = 4

/** The id that a name means. A name that looks like an id is returned, so that the store reports its fault. */
async function idOf(name: string, { store, track: of, task: given }: FindOptions): Promise<string> {
  if (/^\d{4,8}(?:T[\dZ-]*)?$/.test(name)) return name
  const newestFirst = (await store.list()).reverse()
  const exact = newestFirst.find(({ sessionId, task, track }) => [sessionId, task, track].includes(name))
  if (exact !== undefined) return exact.id
  const ofKind = newestFirst.find(
    ({ kind, track, task }) => kind === name && (given === undefined ? track === of : task === given),
  )
  if (ofKind !== undefined) return ofKind.id
  const begun = newestFirst.filter(({ sessionId }) => sessionId.startsWith(name))
  const sessions = [...new Set(begun.map(({ sessionId }) => sessionId))]
  if (name.length < shortestSession || sessions.length === 0) {
    if (/^\d[\dTZ-]*$/.test(name)) return name
    const other = newestFirst.length === 0 ? 'Compress a log first.' : 'To see what it has: tenfold list.'
    throw new TenfoldError(
      'no-bundle',
      `Nothing in ${store.storage.name} has the id, session, task, track or kind ${JSON.stringify(cleanLine(name).slice(0, 80))}. ${other}`,
    )
  }
  if (sessions.length === 1) return begun[0]?.id ?? name
  const shown = sessions.slice(0, 5).map(cleanLine).join(', ')
  throw new TenfoldError(
    'no-bundle',
    `${sessions.length} sessions have ids that begin with ${cleanLine(name)} (${shown}); give more of the id`,
  )
}

/** Reads a bundle from a file in any format that `tenfold import` reads. */
export async function bundleOfFile(path: string): Promise<ContextBundle> {
  const text = await readText(path)
  if (!isOwn.test(text)) {
    // Loaded here, because most bundles are Tenfold's own.
    const { bundleOfForeignFile } = await import('./foreign-file.ts')
    const bundle = await bundleOfForeignFile(path, text)
    if (bundle !== undefined) return bundle
  }
  if (/\.md$/i.test(path)) return bundleFromMarkdown(text)
  try {
    return parseBundle(JSON.parse(text))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new TenfoldError('invalid-bundle', `${path} is not JSON: ${error.message}`, { cause: error })
  }
}

/** The beginning of a bundle that Tenfold wrote, in Markdown or JSON. Logs and reports begin differently. */
const isOwn = /^(?:---\r?\ntenfold: \d|\s*\{\s*"schemaVersion"\s*:\s*\d+\s*,\s*"id"\s*:)/

/** Whether a file begins like a bundle that Tenfold wrote. False if it cannot be read. */
export async function isBundleFile(path: string): Promise<boolean> {
  if (!/\.(?:json|md)$/i.test(path)) return false
  const text = await readRegularFile(path).catch(() => '')
  return isOwn.test(text.toString().slice(0, 500))
}

async function readText(path: string): Promise<string> {
  try {
    return (await readRegularFile(path)).toString()
  } catch (cause) {
    throw new TenfoldError('no-bundle', `The bundle ${path} cannot be read: ${reasonOf(cause)}.`, { cause })
  }
}
