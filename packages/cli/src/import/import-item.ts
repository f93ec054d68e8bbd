import { join } from 'node:path'
import {
  type BundleStore,
  type Checkpoint,
  compressOnce,
  type Redactor,
  type Summarizer,
} from '@tenfold/core'
import { completeCheckpoint, digestLog, importDump, readRegularFile } from '@tenfold/core/internal'
import { openLog } from '@tenfold/core/readers'
import { checkpointStore } from '@tenfold/core/store'
import { completeForeignFile } from '../store/foreign-file.ts'
import type { FoundImport } from './find-imports.ts'

export interface Imported {
  readonly path: string
  readonly what: FoundImport['what']
  /** `known`: it was there. `new`: it was brought in, or would be. */
  readonly outcome: 'new' | 'known'
  readonly id?: string
  readonly track?: string
  readonly task?: string
  readonly time?: string
  readonly notes: readonly string[]
}

export interface ImportWork {
  readonly store: BundleStore
  readonly redactors: readonly Redactor[]
  readonly summarizer: Summarizer
  readonly track?: string | undefined
  readonly projects: ReadonlyMap<string, string>
  readonly held: { readonly sources: Map<string, string>; readonly ids: Set<string> }
  /** The current track of the checkpoints that are imported; the newest checkpoint makes its own the current one otherwise. */
  readonly currentTrack?: string | undefined
  readonly dryRun: boolean
  readonly signal: AbortSignal
}

export async function importItem(item: FoundImport, work: ImportWork): Promise<Imported> {
  if (item.what === 'bundle') return await importForeign(item, work)
  if (item.what === 'own-bundle') return await importOwn(item, work)
  if (item.what === 'checkpoint' || item.what === 'own-checkpoint') return await importCheckpoint(item, work)
  return item.what === 'dump' ? await importFolder(item, work) : await importLog(item, work)
}

type Item<What extends FoundImport['what']> = Extract<FoundImport, { readonly what: What }>

async function importForeign(item: Item<'bundle'>, work: ImportWork): Promise<Imported> {
  const { path, what } = item
  const { track, redactors, held } = work
  const bundle = completeForeignFile(item, redactors, track)
  const known = held.sources.get(bundle.source.sha256)
  const notes = bundle.notes.map(({ message }) => message)
  const about = { path, what, id: known ?? bundle.id, track: bundle.track, time: bundle.createdAt, notes }
  if (known === undefined && !work.dryRun) await work.store.save(bundle, { signal: work.signal })
  held.sources.set(bundle.source.sha256, bundle.id)
  return {
    ...about,
    ...(bundle.task !== undefined && { task: bundle.task }),
    outcome: known === undefined ? 'new' : 'known',
  }
}

async function importOwn(
  { path, what, bundle: given }: Item<'own-bundle'>,
  work: ImportWork,
): Promise<Imported> {
  const { held, track, dryRun, signal } = work
  const bundle = track === undefined ? given : { ...given, track }
  const known = held.ids.has(bundle.id)
  // The log behind it is elsewhere: copying a whole store brings it too.
  const source = { ...bundle.source, archived: false }
  if (!known && !dryRun) await work.store.save({ ...bundle, source }, { signal })
  held.ids.add(bundle.id)
  const notes = bundle.source.archived
    ? ['its archived log stays in its own store; tenfold copy brings whole stores']
    : []
  return {
    path,
    what,
    id: bundle.id,
    track: bundle.track,
    time: bundle.createdAt,
    notes,
    outcome: known ? 'known' : 'new',
  }
}

async function importCheckpoint(
  item: Item<'checkpoint' | 'own-checkpoint'>,
  work: ImportWork,
): Promise<Imported> {
  const { store, held, redactors, track, currentTrack, dryRun, signal } = work
  const { path, what, changed } = item
  const checkpoint: Checkpoint =
    item.what === 'own-checkpoint'
      ? { ...item.checkpoint, ...(track !== undefined && { track }) }
      : completeCheckpoint(item.checkpoint, { changed, redactors, track })
  const known = held.ids.has(checkpoint.id)
  const setCurrent = currentTrack === undefined || item.checkpoint.track === currentTrack
  if (!known && !dryRun) await checkpointStore(store.storage).save(checkpoint, { setCurrent, signal })
  held.ids.add(checkpoint.id)
  const notes =
    item.what === 'checkpoint'
      ? [
          ...(item.checkpoint.createdAt === undefined
            ? ['it says no time; it is that of the last change of its file']
            : []),
          ...(item.checkpoint.nextCommand !== undefined && checkpoint.nextCommand === undefined
            ? ['its next command is not one line, so it is kept in the note']
            : []),
          ...item.checkpoint.left.map((text) => `kept in the note: ${text}`),
        ]
      : []
  const about = { path, what, id: checkpoint.id, track: checkpoint.track, time: checkpoint.createdAt, notes }
  return { ...about, outcome: known ? 'known' : 'new' }
}

async function importFolder(
  { path, what, changed, files }: Item<'dump'>,
  work: ImportWork,
): Promise<Imported> {
  const { store, redactors, dryRun, signal } = work
  const held = new Map<string, Uint8Array>()
  for (const file of files) held.set(file, await readRegularFile(join(path, file)))
  const dump = await importDump(held, { storage: store.storage, changed, redactors, dryRun, signal })
  return {
    path,
    what,
    time: dump.createdAt,
    notes: dump.notes,
    outcome: dump.known ? 'known' : 'new',
    ...(dump.haltId !== undefined && { id: dump.haltId }),
    ...(dump.taskId !== undefined && { task: dump.taskId }),
  }
}

/** A conversation or another log is compressed offline; `tenfold compress --again` can do that with a model. */
async function importLog({ path, what }: Item<'log'>, work: ImportWork): Promise<Imported> {
  const { store, held, redactors, summarizer, dryRun, signal } = work
  const track = work.track ?? work.projects.get(path) ?? 'main'
  const log = await openLog(path)
  const digest = await digestLog(log, { signal })
  const known = held.sources.get(digest)
  const about = { path, what, track, notes: [] }
  if (known !== undefined) return { ...about, id: known, outcome: 'known' }
  if (dryRun) return { ...about, outcome: 'new' }
  const made = await compressOnce(log, { store, summarizer, redactors, track, signal })
  const id = 'known' in made ? made.known.id : made.bundle.id
  held.sources.set(digest, id)
  return { ...about, id, outcome: 'known' in made ? 'known' : 'new' }
}
