import { isUtf8 } from 'node:buffer'
import { stat } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { type Checkpoint, type ContextBundle, findLogs, TenfoldError } from '@tenfold/core'
import {
  type ForeignBundle,
  type ForeignCheckpoint,
  type Recognized,
  readRegularFile,
  recognizeFile,
} from '@tenfold/core/internal'
import { type Failure, failureOf } from '../terminal/failure.ts'
import { errorCode } from '../terminal/thrown.ts'

export type FoundImport = { readonly path: string; readonly changed: Date } & (
  | { readonly what: 'bundle'; readonly bundle: ForeignBundle; readonly document: Uint8Array }
  | { readonly what: 'own-bundle'; readonly bundle: ContextBundle }
  | { readonly what: 'checkpoint'; readonly checkpoint: ForeignCheckpoint }
  | { readonly what: 'own-checkpoint'; readonly checkpoint: Checkpoint }
  /** `path` is the folder, `files` are the paths below it. */
  | { readonly what: 'dump'; readonly files: readonly string[] }
  | { readonly what: 'log' }
)

export interface FoundImports {
  readonly found: readonly FoundImport[]
  readonly failures: readonly { readonly path: string; readonly error: Failure }[]
  readonly currentTrack?: string
  /** `PATH message`. */
  readonly passedOver: readonly { readonly path: string; readonly message: string }[]
}

const storeFolders = ['bundles', 'tracks', 'checkpoints', 'archive', 'dumps', 'pruned', 'done', 'batches']

/** Larger files are logs: a bundle is a twentieth of one. */
const longestDocument = 20_000_000

type Seen = { readonly path: string; readonly changed: Date } & (
  | { readonly recognized: Recognized; readonly document: Uint8Array }
  | { readonly error: Failure }
)

/** Looks at every file at or below a path, except those of the store itself. Throws `LogReadError` if there is nothing. */
export async function findImports(
  path: string,
  { store, signal }: { readonly store: string; readonly signal: AbortSignal },
): Promise<FoundImports> {
  const except = storeFolders.map((folder) => join(store, folder))
  const { logs, companions, skipped } = await findLogs(path, { except, signal })
  const paths = [...new Set([...logs, ...companions, ...skipped].map((file) => file.path))].sort()
  const isOwn = (file: string): boolean =>
    /^\.git(?:ignore|attributes)$/.test(basename(file)) && resolve(dirname(file)) === resolve(store)
  const looked: Seen[] = []
  for (const file of paths.filter((name) => /\.(?:json|md|markdown)$/i.test(name))) {
    signal.throwIfAborted()
    const seen = await lookAt(file)
    if (seen !== undefined) looked.push(seen)
  }
  const dumps = looked.flatMap((seen) => (isOf(seen, 'dump') ? [dirname(seen.path)] : []))
  const isInDump = ({ path }: { readonly path: string }) => dumps.some((folder) => isBelow(folder, path))
  const seen = looked.filter((each) => isOf(each, 'dump') || !isInDump(each))
  const pointers = seen.flatMap((each) =>
    isOf(each, 'pointer') && each.recognized.type === 'pointer'
      ? [{ ...each, pointer: each.recognized.pointer }]
      : [],
  )
  const documents = withoutMarkdownCopies(seen).flatMap((each) => foundOf(each, paths))
  const current = pointers.map(({ pointer }) => pointer.current).find((name) => name !== undefined)
  const taken = new Set(seen.map((each) => each.path))
  const found = [
    ...documents,
    ...pointers.flatMap(({ path, changed, pointer }) =>
      checkpointsOnlyIn(pointer.checkpoints, documents).map((checkpoint) => ({
        what: 'checkpoint' as const,
        path,
        changed,
        checkpoint,
      })),
    ),
    ...logs
      .filter((log) => !taken.has(log.path) && !isInDump(log))
      .map(({ log, changed }) => ({ what: 'log' as const, path: log, changed: new Date(changed) })),
  ]
  return {
    found: found.sort((a, b) => timeOf(a) - timeOf(b)),
    failures: seen.flatMap((each) => ('error' in each ? [{ path: each.path, error: each.error }] : [])),
    passedOver: [
      ...skipped.filter((file) => !taken.has(file.path) && !isInDump(file) && !isOwn(file.path)),
      ...pointers.flatMap(({ path }) =>
        found.some((item) => item.path === path)
          ? []
          : [{ path, code: 'pointer', message: 'names checkpoints that have files of their own' }],
      ),
    ].map((file) => ({ path: file.path, message: reasonOf(file, seen) })),
    ...(current !== undefined && { currentTrack: current }),
  }
}

async function lookAt(path: string): Promise<Seen | undefined> {
  const info = await stat(path)
  if (!info.isFile() || info.size > longestDocument) return undefined
  const changed = info.mtime
  try {
    const document = await readRegularFile(path, { maxBytes: longestDocument })
    const recognized = isUtf8(document) ? recognizeFile(path, document.toString('utf8')) : undefined
    return recognized && { path, changed, recognized, document }
  } catch (error) {
    if (!TenfoldError.isInstance(error) && errorCode(error) === undefined) throw error
    return { path, changed, error: failureOf(error) }
  }
}

function isOf(
  seen: Seen,
  type: Recognized['type'],
): seen is Extract<Seen, { readonly recognized: Recognized }> {
  return 'recognized' in seen && seen.recognized.type === type
}

function foundOf(seen: Seen, paths: readonly string[]): FoundImport[] {
  if ('error' in seen || seen.recognized.type === 'pointer') return []
  const { path, changed, recognized, document } = seen
  switch (recognized.type) {
    case 'dump':
      return [{ what: 'dump', path: dirname(path), changed, files: below(dirname(path), paths) }]
    case 'bundle':
      return [{ what: 'bundle', path, changed, bundle: recognized.bundle, document }]
    case 'own-bundle':
      return [{ what: 'own-bundle', path, changed, bundle: recognized.bundle }]
    case 'checkpoint':
      return [{ what: 'checkpoint', path, changed, checkpoint: recognized.checkpoint }]
    case 'own-checkpoint':
      return [{ what: 'own-checkpoint', path, changed, checkpoint: recognized.checkpoint }]
  }
}

function below(folder: string, paths: readonly string[]): string[] {
  return [...new Set(paths.filter((path) => isBelow(folder, path)))].map((path) =>
    relative(folder, path).split(sep).join('/'),
  )
}

function isBelow(folder: string, path: string): boolean {
  return resolve(path).startsWith(`${resolve(folder)}${sep}`)
}

/** The Markdown beside a JSON file of the same name says the same. */
function withoutMarkdownCopies(seen: readonly Seen[]): readonly Seen[] {
  const stems = jsonStems(seen)
  return seen.filter(({ path }) => !isMarkdown(path) || !stems.has(stemOf(path)))
}

function jsonStems(seen: readonly Seen[]): Map<string, string> {
  const json = seen.filter((each) => 'recognized' in each && /\.json$/i.test(each.path))
  return new Map(json.map(({ path }) => [stemOf(path), path]))
}

function isMarkdown(path: string): boolean {
  return /\.(?:md|markdown)$/i.test(path)
}

function stemOf(path: string): string {
  return path.replace(/\.[^.]*$/, '')
}

function checkpointsOnlyIn(
  checkpoints: readonly ForeignCheckpoint[],
  found: readonly FoundImport[],
): ForeignCheckpoint[] {
  const held = found.flatMap((item) => (item.what === 'checkpoint' ? [item.checkpoint] : []))
  return checkpoints.filter(
    ({ track, step }) => !held.some((each) => each.track === track && each.step === step),
  )
}

function timeOf(item: FoundImport): number {
  if (item.what === 'bundle') return Date.parse(item.bundle.fields.createdAt ?? item.changed.toISOString())
  if (item.what === 'own-bundle') return Date.parse(item.bundle.createdAt)
  if (item.what === 'checkpoint' || item.what === 'own-checkpoint')
    return Date.parse(item.checkpoint.createdAt ?? item.changed.toISOString())
  return item.changed.getTime()
}

function reasonOf(file: { path: string; code: string; message: string }, seen: readonly Seen[]): string {
  const beside = isMarkdown(file.path) ? jsonStems(seen).get(stemOf(file.path)) : undefined
  if (beside !== undefined) return `is the Markdown of ${basename(beside)}`
  return file.code === 'unknown-format'
    ? 'is no bundle, checkpoint, halt dump or log of a known form'
    : file.message
}
