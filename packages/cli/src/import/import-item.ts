import { join } from 'node:path'
import { type BundleStore, compressOnce, type Redactor, type Summarizer } from '@tenfold/core'
import { completeCheckpoint, digestLog, importDump, readRegularFile } from '@tenfold/core/internal'
import { openLog } from '@tenfold/core/readers'
import { checkpointStore } from '@tenfold/core/store'
import { projectTrack } from '../compress/project-tracks.ts'
import { completeForeignFile } from '../store/foreign-file.ts'
import type { FoundImport } from './find-imports.ts'

export interface ImportWork {
  readonly store: BundleStore
  readonly redactors: readonly Redactor[]
  readonly summarizer: Summarizer
  readonly track?: string | undefined
  /** What is in the store: bundles by the digest of their source, and the ids of bundles and checkpoints. */
  readonly held: Map<string, string>
  /** The current track of the checkpoints that are imported; the newest checkpoint makes its own the current one otherwise. */
  readonly currentTrack?: string | undefined
  readonly dryRun: boolean
  readonly signal: AbortSignal
}

/** What a file holds, and how it gets into the store unless that has its `key`. */
interface Read {
  readonly key: string
  readonly id?: string
  readonly track?: string | undefined
  readonly task?: string | undefined
  readonly time?: string
  readonly notes: readonly string[]
  /** May return the id that it got. */
  save(): Promise<unknown>
}

export type Imported = Awaited<ReturnType<typeof importItem>>

/** Outcome `known`: it was there; `new`: it was brought in, or would be. */
export async function importItem(item: FoundImport, work: ImportWork) {
  const { path, type: what } = item
  if (item.type === 'dump') return { path, what, ...(await bringDump(item, work)) }
  const { key, save, ...read } = await readItem(item, work)
  const known = work.held.get(key)
  const saved = known === undefined && !work.dryRun ? await save() : undefined
  const id = known ?? (typeof saved === 'string' ? saved : read.id)
  work.held.set(key, id ?? '')
  return { path, what, ...read, id, outcome: known === undefined ? 'new' : 'known' }
}

type Item<Type extends FoundImport['type']> = Extract<FoundImport, { readonly type: Type }>

async function bringDump({ path, files, changed }: Item<'dump'>, work: ImportWork) {
  const { store, redactors, dryRun, signal } = work
  const held = new Map<string, Uint8Array>()
  for (const file of files) held.set(file, await readRegularFile(join(path, file)))
  const options = { storage: store.storage, changed, redactors, dryRun, signal }
  const { haltId: id, taskId: task, createdAt: time, notes, known } = await importDump(held, options)
  return { id, track: undefined, task, time, notes, outcome: known ? 'known' : 'new' }
}

async function readItem(item: Exclude<FoundImport, Item<'dump'>>, work: ImportWork): Promise<Read> {
  const { store, redactors, signal } = work
  switch (item.type) {
    case 'bundle': {
      const bundle = completeForeignFile(item, redactors, work.track)
      const { id, track, task, createdAt: time, source } = bundle
      const notes = bundle.notes.map(({ message }) => message)
      return { key: source.sha256, id, track, task, time, notes, save: () => store.save(bundle, { signal }) }
    }
    case 'own-bundle': {
      const { id, createdAt: time, source, track } = { ...item.bundle, ...trackOf(work) }
      // The log behind it is elsewhere: copying a whole store brings it too.
      const bundle = { ...item.bundle, track, source: { ...source, archived: false } }
      const notes = source.archived
        ? ['its archived log stays in its own store; tenfold copy copies whole stores']
        : []
      return { key: id, id, track, time, notes, save: () => store.save(bundle, { signal }) }
    }
    case 'checkpoint':
    case 'own-checkpoint':
      return readCheckpoint(item, work)
    case 'log': {
      // A conversation or another log is compressed offline; `tenfold compress --again` can do that with a model.
      const track = work.track ?? (await projectTrack(item.path)) ?? 'main'
      const log = await openLog(item.path)
      const save = async () => {
        const made = await compressOnce(log, { store, summarizer: work.summarizer, redactors, track, signal })
        return 'known' in made ? made.known.id : made.bundle.id
      }
      return { key: await digestLog(log, { signal }), track, notes: [], save }
    }
  }
}

function trackOf({ track }: ImportWork) {
  return track === undefined ? {} : { track }
}

function readCheckpoint(item: Item<'checkpoint' | 'own-checkpoint'>, work: ImportWork): Read {
  const { store, redactors, track: given, currentTrack, signal } = work
  const foreign = item.type === 'checkpoint' ? item.checkpoint : undefined
  const checkpoint =
    item.type === 'own-checkpoint'
      ? { ...item.checkpoint, ...trackOf(work) }
      : completeCheckpoint(item.checkpoint, { changed: item.changed, redactors, track: given })
  const { id, track, createdAt: time, nextCommand } = checkpoint
  const setCurrent = currentTrack === undefined || item.checkpoint.track === currentTrack
  const notes = [
    foreign && !foreign.createdAt && 'it has no time, so it gets that of the last change of its file',
    foreign?.nextCommand && !nextCommand && 'its next command is not one line, so it is kept in the note',
    ...(foreign?.left ?? []).map((text) => `kept in the note: ${text}`),
  ].flatMap((note) => note || [])
  const save = () => checkpointStore(store.storage).save(checkpoint, { setCurrent, signal })
  return { key: id, id, track, time, notes, save }
}
