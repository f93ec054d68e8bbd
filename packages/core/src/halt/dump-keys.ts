import { idPattern } from '../bundle/schema.ts'
import { TenfoldError } from '../errors.ts'
import { assertStorageKey } from '../storage/storage-key.ts'

/** Location of the dumps in a storage. */
export interface DumpPlace {
  /** Prefix of every key. @default 'dumps' */
  readonly prefix?: string | undefined
}

/** Paths of the parts of a dump, from its own folder. */
export const dumpPaths = {
  manifest: 'manifest.json',
  metadata: 'metadata.json',
  state: 'supervisor/state-snapshot.json',
  conversation: 'agent/conversation.jsonl',
  execution: 'agent/execution-context.json',
  toolCalls: 'agent/tool-calls.json',
  patch: 'filesystem/git-diff.patch',
  files: 'filesystem/file-manifest.json',
  snapshots: 'filesystem/file-snapshots',
  workingDirectory: 'environment/working-directory.txt',
  environment: 'environment/env-vars.json',
} as const

/** Whether a text has the form of a dump's id: time of the halt and 9 random digits, like that of a bundle. */
export function isHaltId(text: string): boolean {
  return idPattern.test(text)
}

/**
 * Returns the prefix of all keys of dumps, with a slash at its end. Throws {@link StorageError} if it is not a storage
 * key.
 */
export function dumpsPrefix({ prefix = 'dumps' }: DumpPlace): string {
  assertStorageKey(prefix)
  return `${prefix}/`
}

/** Returns the key of a part of a dump. Throws {@link TenfoldError} `no-dump` for an invalid id. */
export function dumpKey(place: DumpPlace, haltId: string, path: string): string {
  if (!isHaltId(haltId))
    throw new TenfoldError(
      'no-dump',
      `${JSON.stringify(String(haltId).slice(0, 80))} is not the id of a halt dump; list them with listDumps.`,
    )
  return `${dumpsPrefix(place)}${haltId}/${path}`
}
