import { type BundleStore, bundleStore, cleanText } from '@tenfold/core'
import type { FileStorageOptions } from '@tenfold/storage-fs'
import type { Terminal } from '../terminal/terminal.ts'
import { openStorage, rememberMade } from './open-storage.ts'

/** Opens the bundle store in a folder or a bucket. Damaged entries of its history are reported and left out. */
export async function openStore(
  place: string,
  terminal: Terminal,
  options?: FileStorageOptions,
): Promise<BundleStore> {
  return bundleStore(await openStorage(place, options), warnOfDamage(terminal))
}

/** Warns of each damaged entry of a store; the others are used. */
export function warnOfDamage(terminal: Terminal): { readonly onDamaged: (error: Error) => void } {
  return { onDamaged: (error) => terminal.warn(`warning: ${cleanText(error.message)}`) }
}

/** `openStore`, for commands that save. */
export async function openStoreToWrite(place: string, terminal: Terminal): Promise<BundleStore> {
  rememberMade(place, terminal)
  return await openStore(place, terminal)
}
