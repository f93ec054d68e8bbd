import { isUtf8 } from 'node:buffer'
import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { findLogs } from '@tenfold/core'
import { type Recognized, readRegularFile, recognizeFile } from '@tenfold/core/internal'
import { type Failure, failureOf } from '../terminal/failure.ts'
import { errorCode, unlessFaulty } from '../terminal/thrown.ts'

/** What a file or folder contains. For a halt dump, `path` is the folder and `files` are the paths below it. */
export type FoundImport = { readonly path: string; readonly changed: Date } & (
  | (Exclude<Recognized, { readonly type: 'pointer' | 'dump' }> & { readonly document: Uint8Array })
  | { readonly type: 'dump'; readonly files: readonly string[] }
  | { readonly type: 'log' }
)

const storeFolders = ['bundles', 'tracks', 'checkpoints', 'archive', 'dumps', 'pruned', 'done', 'batches']

/** Larger files, in bytes, count as logs: a bundle is about a twentieth of its log. */
const longestDocument = 20_000_000

interface Seen {
  readonly path: string
  readonly changed: Date
  readonly document: Uint8Array
  readonly is: Recognized
}

/** Throws LogReadError if there is nothing at the path. Does not follow links out of the folder. */
export async function findImports(
  path: string,
  { store, signal }: { readonly store: string; readonly signal: AbortSignal },
) {
  const except = storeFolders.map((folder) => join(store, folder))
  const { logs, companions, skipped } = await findLogs(path, { except, signal })
  const paths = [...new Set([...logs, ...companions, ...skipped].map((file) => file.path))].sort()
  const root = await realpath(path)
  const seen: Seen[] = []
  const failures: { path: string; error: Failure }[] = []
  const outside = new Set<string>()
  for (const file of paths) {
    signal.throwIfAborted()
    try {
      // Skips a broken link.
      const real = await unlessFaulty(realpath(file), undefined)
      if (real === undefined) continue
      if (real !== root && !isBelow(root, real)) outside.add(file)
      else if (/\.(?:json|md|markdown)$/i.test(file)) seen.push(...(await lookAt(file)))
    } catch (error) {
      if (errorCode(error) === undefined) throw error
      failures.push({ path: file, error: failureOf(error) })
    }
  }
  const dumps = seen.flatMap((each) => (each.is.type === 'dump' ? dirname(each.path) : []))
  const isFree = (file: string) => !outside.has(file) && !dumps.some((folder) => isBelow(folder, file))
  // Markdown next to a JSON file of the same name has the same content.
  const jsons = new Map(
    seen.flatMap((each) => (/\.json$/i.test(each.path) ? [[stemOf(each.path), each.path]] : [])),
  )
  const twinOf = (file: string) => (/\.(?:md|markdown)$/i.test(file) ? jsons.get(stemOf(file)) : undefined)
  const documents = seen.filter(
    (each) => each.is.type === 'dump' || (isFree(each.path) && twinOf(each.path) === undefined),
  )
  const saved = documents.flatMap(({ is }) => (is.type === 'checkpoint' ? [is.checkpoint] : []))
  const found: FoundImport[] = []
  const passedOver: { path: string; message: string }[] = []
  let currentTrack: string | undefined
  for (const { path: file, changed, document, is } of documents) {
    if (is.type === 'dump') {
      const folder = dirname(file)
      const inside = paths.filter((each) => isBelow(folder, each) && !outside.has(each))
      const files = inside.map((each) => relative(folder, each).split(sep).join('/'))
      found.push({ type: 'dump', path: folder, changed, files })
    } else if (is.type !== 'pointer') found.push({ path: file, changed, document, ...is })
    else {
      currentTrack ||= is.pointer.current
      const fresh = is.pointer.checkpoints.filter(
        ({ track, step }) => !saved.some((each) => each.track === track && each.step === step),
      )
      for (const checkpoint of fresh)
        found.push({ type: 'checkpoint', path: file, changed, document, checkpoint })
      if (fresh.length === 0)
        passedOver.push({ path: file, message: 'names checkpoints that have files of their own' })
    }
  }
  const taken = new Set([...seen, ...failures].map((each) => each.path))
  for (const { path: file, log, changed } of logs)
    if (!taken.has(file) && isFree(file)) found.push({ type: 'log', path: log, changed: new Date(changed) })
  const others = skipped.flatMap(({ path: file, code, message }) => {
    const isOfStore =
      /^\.git(?:ignore|attributes)$/.test(basename(file)) && resolve(dirname(file)) === resolve(store)
    if (!isFree(file) || taken.has(file) || isOfStore) return []
    const twin = twinOf(file)
    const other = code === 'unknown-format' ? noFormat : message
    return [{ path: file, message: twin === undefined ? other : `is the Markdown of ${basename(twin)}` }]
  })
  const links = [...outside].map((file) => ({
    path: file,
    message: 'is a link that leads out of the folder',
  }))
  return {
    ...{ failures, currentTrack, passedOver: [...others, ...passedOver, ...links] },
    found: found.sort((a, b) => timeOf(a) - timeOf(b)),
  }
}

const noFormat = 'is not a bundle, checkpoint, halt dump or log in a known format'

async function lookAt(path: string): Promise<Seen[]> {
  const info = await stat(path)
  if (!info.isFile() || info.size > longestDocument) return []
  const document = await readRegularFile(path, { maxBytes: longestDocument })
  const is = isUtf8(document) ? recognizeFile(path, document.toString('utf8')) : undefined
  return is === undefined ? [] : [{ path, changed: info.mtime, document, is }]
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
