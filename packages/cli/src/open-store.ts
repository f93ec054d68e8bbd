import { type BundleStore, bundleStore, cleanText } from '@tenfold/core'
import { fileStorage } from '@tenfold/storage-fs'
import type { Terminal } from './terminal.ts'

/** The bundle store in a folder. Damaged entries of its history are told and left out. */
export function openStore(folder: string, terminal: Terminal): BundleStore {
  return bundleStore(fileStorage(folder), {
    onDamaged: (error) => terminal.warn(`warning: ${cleanText(error.message)}`),
  })
}
