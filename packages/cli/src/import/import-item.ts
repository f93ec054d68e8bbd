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
  readonly what: FoundImport['type']
  /** `known`: it was there. `new`: it was brought in, or would be. */
  readonly outcome: 'new' | 'known'
  readonly id?: string | undefined
  readonly track?: string | undefined
  readonly task?: string | undefined
  readonly time?: string | undefined
  readonly notes: readonly string[]
}

export interface ImportWork {
  readonly store: BundleStore
  readonly redactors: readonly Redactor[]
  readonly summarizer: Summarizer
  readonly track?: string | undefined
  projectTrack(log: string): Promise<string | undefined>
  readonly held: { readonly sources: Map<string, string>; readonly ids: Set<string> }
  /** The current track of the checkpoints that are imported; the newest checkpoint makes its own the current one otherwise. */
  readonly currentTrack?: string | undefined
  readonly dryRun: boolean
  readonly signal: AbortSignal
}

export async function importItem(item: FoundImport, work: ImportWork): Promise<Imported> {
  const { isKnown, ...imported } = await bring(item, work)
  return { path: item.path, what: item.type, ...imported, outcome: isKnown ? 'known' : 'new' }
}

type Brought = Omit<Imported, 'path' | 'what' | 'outcome'> & { readonly isKnown: boolean }

async function bring(item: FoundImport, work: ImportWork): Promise<Brought> {
  switch (item.type) {
    case 'bundle': {
      const bundle = completeForeignFile(item, work.redactors, work.track)
      const known = work.held.sources.get(bundle.source.sha256)
      if (known === undefined && !work.dryRun) await work.store.save(bundle, { signal: work.signal })
      work.held.sources.set(bundle.source.sha256, bundle.id)
      const notes = bundle.notes.map(({ message }) => message)
      const { track, task, createdAt: time } = bundle
      return { id: known ?? bundle.id, track, task, time, notes, isKnown: known !== undefined }
    }
    case 'own-bundle':
      return await bringOwn(item, work)
    case 'checkpoint':
    case 'own-checkpoint':
      return await bringCheckpoint(item, work)
    case 'dump': {
      const { store, redactors, dryRun, signal } = work
      const held = new Map<string, Uint8Array>()
      for (const file of item.files) held.set(file, await readRegularFile(join(item.path, file)))
      const options = { storage: store.storage, changed: item.changed, redactors, dryRun, signal }
      const { haltId: id, taskId: task, createdAt: time, notes, known } = await importDump(held, options)
      return { id, task, time, notes, isKnown: known }
    }
    case 'log':
      return await bringLog(item, work)
  }
}

type Item<Type extends FoundImport['type']> = Extract<FoundImport, { readonly type: Type }>

async function bringOwn({ bundle: given }: Item<'own-bundle'>, work: ImportWork): Promise<Brought> {
  const { held, track = given.track, dryRun, signal } = work
  const bundle = { ...given, track }
  const isKnown = held.ids.has(bundle.id)
  // The log behind it is elsewhere: copying a whole store brings it too.
  const source = { ...bundle.source, archived: false }
  if (!isKnown && !dryRun) await work.store.save({ ...bundle, source }, { signal })
  held.ids.add(bundle.id)
  const notes = bundle.source.archived
    ? ['its archived log stays in its own store; tenfold copy copies whole stores']
    : []
  return { id: bundle.id, track, time: bundle.createdAt, notes, isKnown }
}

async function bringCheckpoint(
  item: Item<'checkpoint' | 'own-checkpoint'>,
  { store, held, redactors, track, currentTrack, dryRun, signal }: ImportWork,
): Promise<Brought> {
  const checkpoint: Checkpoint =
    item.type === 'own-checkpoint'
      ? { ...item.checkpoint, ...(track !== undefined && { track }) }
      : completeCheckpoint(item.checkpoint, { changed: item.changed, redactors, track })
  const { id, createdAt, nextCommand } = checkpoint
  const isKnown = held.ids.has(id)
  const setCurrent = currentTrack === undefined || item.checkpoint.track === currentTrack
  if (!isKnown && !dryRun) await checkpointStore(store.storage).save(checkpoint, { setCurrent, signal })
  held.ids.add(id)
  const given = item.type === 'checkpoint' ? item.checkpoint : undefined
  const notes = [
    given && !given.createdAt && 'it has no time, so it gets that of the last change of its file',
    given?.nextCommand && !nextCommand && 'its next command is not one line, so it is kept in the note',
    ...(given?.left ?? []).map((text) => `kept in the note: ${text}`),
  ].flatMap((note) => note || [])
  return { id, track: checkpoint.track, time: createdAt, notes, isKnown }
}

/** A conversation or another log is compressed offline; `tenfold compress --again` can do that with a model. */
async function bringLog({ path }: Item<'log'>, work: ImportWork): Promise<Brought> {
  const { store, held, redactors, summarizer, dryRun, signal } = work
  const track = work.track ?? (await work.projectTrack(path)) ?? 'main'
  const log = await openLog(path)
  const digest = await digestLog(log, { signal })
  const known = held.sources.get(digest)
  if (known !== undefined) return { id: known, track, notes: [], isKnown: true }
  if (dryRun) return { track, notes: [], isKnown: false }
  const made = await compressOnce(log, { store, summarizer, redactors, track, signal })
  const id = 'known' in made ? made.known.id : made.bundle.id
  held.sources.set(digest, id)
  return { id, track, notes: [], isKnown: 'known' in made }
}
