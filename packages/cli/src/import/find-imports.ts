import { isUtf8 } from 'node:buffer'
import { stat } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { findLogs } from '@tenfold/core'
import {
  type ForeignCheckpoint,
  type Recognized,
  readRegularFile,
  recognizeFile,
} from '@tenfold/core/internal'
import { type Failure, failureOf } from '../terminal/failure.ts'
import { errorCode } from '../terminal/thrown.ts'

/** What a file or a folder is; of a halt dump `path` is the folder, `files` are the paths below it. */
export type FoundImport = { readonly path: string; readonly changed: Date } & (
  | (Exclude<Recognized, { readonly type: 'pointer' | 'dump' }> & { readonly document: Uint8Array })
  | { readonly type: 'dump'; readonly files: readonly string[] }
  | { readonly type: 'log' }
)

interface FoundImports {
  readonly found: readonly FoundImport[]
  readonly failures: readonly { readonly path: string; readonly error: Failure }[]
  readonly currentTrack?: string | undefined
  readonly passedOver: readonly { readonly path: string; readonly message: string }[]
}

const storeFolders = ['bundles', 'tracks', 'checkpoints', 'archive', 'dumps', 'pruned', 'done', 'batches']

/** Larger files are logs: a bundle is a twentieth of one. */
const longestDocument = 20_000_000

interface Seen<One = Recognized> {
  readonly path: string
  readonly changed: Date
  readonly recognized: One
  readonly document: Uint8Array
}

type Looked = Seen | { readonly path: string; readonly error: Failure }

/** Throws LogReadError if there is nothing. */
export async function findImports(
  path: string,
  { store, signal }: { readonly store: string; readonly signal: AbortSignal },
): Promise<FoundImports> {
  const except = storeFolders.map((folder) => join(store, folder))
  const { logs, companions, skipped } = await findLogs(path, { except, signal })
  const paths = [...new Set([...logs, ...companions, ...skipped].map((file) => file.path))].sort()
  const isOwn = (file: string): boolean =>
    /^\.git(?:ignore|attributes)$/.test(basename(file)) && resolve(dirname(file)) === resolve(store)
  const all: Looked[] = []
  for (const file of paths.filter((name) => /\.(?:json|md|markdown)$/i.test(name))) {
    signal.throwIfAborted()
    const looked = await lookAt(file)
    if (looked !== undefined) all.push(looked)
  }
  const dumps = all.filter((each) => isOf(each, 'dump')).map((each) => dirname(each.path))
  const isInDump = (file: { readonly path: string }) => dumps.some((folder) => isBelow(folder, file.path))
  const looked = all.filter((each) => isOf(each, 'dump') || !isInDump(each))
  // The Markdown beside a JSON file of the same name has the same content.
  const stems = new Map(
    looked
      .filter((each) => 'recognized' in each && /\.json$/i.test(each.path))
      .map((each) => [stemOf(each.path), each.path]),
  )
  const twinOf = (file: string) => (/\.(?:md|markdown)$/i.test(file) ? stems.get(stemOf(file)) : undefined)
  const documents = looked.flatMap((each) =>
    'recognized' in each && twinOf(each.path) === undefined ? foundOf(each, paths) : [],
  )
  const pointers = looked.filter((each) => isOf(each, 'pointer'))
  const checkpoints = documents.flatMap((item) => (item.type === 'checkpoint' ? [item.checkpoint] : []))
  const isSaved = ({ track, step }: ForeignCheckpoint) =>
    checkpoints.some((each) => each.track === track && each.step === step)
  const taken = new Set(looked.map((each) => each.path))
  const found: FoundImport[] = [
    ...documents,
    ...pointers.flatMap(({ path, changed, document, recognized: { pointer } }) =>
      pointer.checkpoints
        .filter((each) => !isSaved(each))
        .map((checkpoint) => ({ type: 'checkpoint' as const, path, changed, document, checkpoint })),
    ),
    ...logs
      .filter((log) => !taken.has(log.path) && !isInDump(log))
      .map(({ log, changed }) => ({ type: 'log' as const, path: log, changed: new Date(changed) })),
  ]
  const others = skipped.filter((file) => !taken.has(file.path) && !isInDump(file) && !isOwn(file.path))
  const emptyPointers = pointers.filter((each) => !found.some((item) => item.path === each.path))
  return {
    found: found.sort((a, b) => timeOf(a) - timeOf(b)),
    failures: looked.flatMap((each) => ('error' in each ? [each] : [])),
    passedOver: [
      ...others.map((file) => ({ path: file.path, message: reasonOf(file, twinOf(file.path)) })),
      ...emptyPointers.map((each) => ({
        path: each.path,
        message: 'names checkpoints that have files of their own',
      })),
    ],
    currentTrack: pointers.map(({ recognized }) => recognized.pointer.current).find(Boolean),
  }
}

async function lookAt(path: string): Promise<Looked | undefined> {
  const info = await stat(path)
  if (!info.isFile() || info.size > longestDocument) return undefined
  try {
    const document = await readRegularFile(path, { maxBytes: longestDocument })
    const recognized = isUtf8(document) ? recognizeFile(path, document.toString('utf8')) : undefined
    return recognized && { path, changed: info.mtime, recognized, document }
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return { path, error: failureOf(error) }
  }
}

function isOf<Type extends Recognized['type']>(
  looked: Looked,
  type: Type,
): looked is Seen<Extract<Recognized, { readonly type: Type }>> {
  return 'recognized' in looked && looked.recognized.type === type
}

function foundOf({ path, changed, recognized, document }: Seen, paths: readonly string[]): FoundImport[] {
  if (recognized.type === 'pointer') return []
  if (recognized.type !== 'dump') return [{ path, changed, document, ...recognized }]
  const folder = dirname(path)
  const inside = [...new Set(paths)].filter((each) => isBelow(folder, each))
  const files = inside.map((each) => relative(folder, each).split(sep).join('/'))
  return [{ type: 'dump', path: folder, changed, files }]
}

function isBelow(folder: string, path: string): boolean {
  return resolve(path).startsWith(`${resolve(folder)}${sep}`)
}

function stemOf(path: string): string {
  return path.replace(/\.[^.]*$/, '')
}

function timeOf(item: FoundImport): number {
  const bundle = item.type === 'bundle' ? item.bundle.fields : item.type === 'own-bundle' ? item.bundle : {}
  const { createdAt = item.changed } = 'checkpoint' in item ? item.checkpoint : bundle
  return new Date(createdAt).getTime()
}

function reasonOf({ code, message }: { code: string; message: string }, twin: string | undefined): string {
  if (twin !== undefined) return `is the Markdown of ${basename(twin)}`
  return code === 'unknown-format'
    ? 'is not a bundle, checkpoint, halt dump or log in a known format'
    : message
}
