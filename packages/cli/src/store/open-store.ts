import { statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { type BundleStore, bundleStore, type Storage, TenfoldError } from '@tenfold/core'
import { cleanLine, cleanText } from '@tenfold/core/internal'
import type { CheckpointStore } from '@tenfold/core/store'
import { type FileStorageOptions, fileStorage } from '@tenfold/storage-fs'
import { holdsStore, isRemoteStore, rememberSaved, savedLine, stateFolder, trust } from '../state/trust.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { errorCode, messageOf, unlessRefused } from '../terminal/thrown.ts'

export async function openStore(place: string, terminal: Terminal, options?: FileStorageOptions) {
  return bundleStore(await openStorage(place, options), warnOfDamage(terminal))
}

/** Warns of damaged entries and uses the others. */
export function warnOfDamage(terminal: Terminal): { readonly onDamaged: (error: Error) => void } {
  return { onDamaged: (error) => terminal.warn(`warning: ${cleanText(error.message)}`) }
}

export async function openCheckpoints(place: string, terminal: Terminal): Promise<CheckpointStore> {
  // Loaded here, because most commands use no checkpoints.
  const { checkpointStore } = await import('@tenfold/core/store')
  return checkpointStore(await openStorage(place, { blocking: true }), warnOfDamage(terminal))
}

export async function openStoreToWrite(place: string, terminal: Terminal): Promise<BundleStore> {
  rememberMade(place, terminal)
  return await openStore(place, terminal)
}

/**
 * Call before saving to a store. A store that is created here is trusted, so hooks may give its briefs to an agent,
 * unlike those of a store that came with a repository.
 */
export function rememberMade(place: string, terminal: Terminal): void {
  if (isRemoteStore(place) || holdsStore(place)) return
  try {
    trust(place, 'made')
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    // What is saved now is not lost; only hooks will not use it.
    const why = `${stateFolder()} cannot be written: ${messageOf(error)}.`
    const loss = `So hooks will not use ${place}: set TENFOLD_HOME to a folder that you can write to, then run: tenfold trust ${place}`
    terminal.warn(`warning: ${cleanText(`${why} ${loss}`)}`)
  }
}

/** `blocking` is for commands that end after a few calls, which Ctrl-C waits for. */
export async function openStorage(place: string, options: FileStorageOptions = {}): Promise<Storage> {
  if (!/^s3:\/\//i.test(place)) {
    // A missing folder is an empty store. Other faults of the path are reported when the store is used.
    if (unlessRefused(() => !statSync(place).isDirectory(), false))
      throw new TenfoldError('store-failed', `${cleanLine(place)} is a file, but a store is a folder.`)
    return rememberingStorage(fileStorage(place, options), place)
  }
  // The SDK is slow to load, and most stores are folders.
  const { s3StorageFromUrl } = await import('@tenfold/storage-s3')
  return s3StorageFromUrl(place)
}

function rememberingStorage(storage: Storage, place: string): Storage {
  return {
    ...storage,
    async put(key, bytes, condition) {
      const put = await storage.put(key, bytes, condition)
      if (/^(?:bundles|checkpoints)\/.*\d\.json$/.test(key))
        // The user was already warned if the state folder cannot be written.
        unlessRefused(() => rememberSaved(place, [savedLine(key, bytes)]), undefined)
      return put
    },
  }
}

export function assertLocalStore(store: string, advice: { remote: string; missing?: string }): void {
  const shown = cleanLine(store)
  if (isRemoteStore(store))
    throw new TenfoldError('not-a-folder', `${shown} is not a folder: ${advice.remote}.`)
  if (!holdsStore(store))
    throw new TenfoldError('no-store', `There is no store in ${shown}.${advice.missing ?? ''}`)
}

/** Where an object is stored, for the user: its path, or its URL without the store's options. */
export function storedPath(store: string, key: string): string {
  if (!/^s3:\/\//i.test(store)) return join(store, key)
  return `${store.replace(/\?.*$/, '').replace(/\/+$/, '')}/${key}`
}

/**
 * The track to use if none is named and main has no bundle: the only track, otherwise the track of the newest session
 * that ran in this folder, or, with `otherwise`, of the newest session of all. Undefined means main.
 */
export async function usualTrack(store: BundleStore, { otherwise }: { readonly otherwise: boolean }) {
  const folder = process.cwd()
  const tracks = (await store.tracks()).filter((track) => !track.startsWith('subagent-'))
  if (tracks.includes('main') || tracks.length < 2) return tracks.includes('main') ? undefined : tracks[0]
  const isOf = (cwd: string): boolean => `${cwd}${sep}`.startsWith(`${folder}${sep}`)
  const entries = (await store.list()).filter(({ track }) => tracks.includes(track))
  const ofFolder = entries.filter(({ cwd }) => cwd && isOf(cwd))
  return (ofFolder.length > 0 || !otherwise ? ofFolder : entries)
    .sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
    .at(-1)?.track
}
