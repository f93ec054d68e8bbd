import { idPattern } from '../bundle/schema.ts'
import { TenfoldError } from '../errors.ts'
import { assertStorageKey } from '../storage/storage-key.ts'

/** Where the dumps of a storage lie. */
export interface DumpPlace {
  /** Put before every key. @default 'dumps' */
  readonly prefix?: string
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

/** True for what may be the id of a dump: time of the halt and 9 random digits, as that of a bundle. */
export function isHaltId(text: string): boolean {
  return idPattern.test(text)
}

/** Prefix of all keys of dumps, with a slash at its end. Throws StorageError where it is no storage key. */
export function dumpsPrefix({ prefix = 'dumps' }: DumpPlace): string {
  assertStorageKey(prefix)
  return `${prefix}/`
}

/** Key of a part of a dump. Throws TenfoldError `no-dump` for what is no id of a dump. */
export function dumpKey(place: DumpPlace, haltId: string, path: string): string {
  if (!isHaltId(haltId))
    throw new TenfoldError(
      'no-dump',
      `${JSON.stringify(String(haltId).slice(0, 80))} is no id of a halt dump; list them with tenfold dump list.`,
    )
  return `${dumpsPrefix(place)}${haltId}/${path}`
}
