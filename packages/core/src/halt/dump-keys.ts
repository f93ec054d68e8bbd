import { newBundleId } from '../bundle/bundle-id.ts'
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

/** Pattern of a dump's id: time of the halt and 9 random digits, like the id of a bundle, then the task if it has one. */
export const haltIdPattern = /^\d{8}T\d{9}Z-\d{9}(?:-[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_])?)?$/

/** Whether a text has the form of a dump's id. */
export function isHaltId(text: string): boolean {
  return haltIdPattern.test(text)
}

/** Makes the id of a dump, so that its folder shows the task: `20260304T050607089Z-123456789-T-12`. */
export function newHaltId(createdAt: Date, taskId: string | undefined): string {
  return newBundleId(createdAt) + taskSuffix(taskId)
}

/** Whether a dump may be of a task, by its id alone. An id without a task may be of any: not every name can be in a key. */
export function mayBeOfTask(haltId: string, taskId: string): boolean {
  const suffix = haltId.slice(idLength)
  return suffix === '' || suffix === taskSuffix(taskId)
}

const idLength = '20260304T050607089Z-123456789'.length

/** What of a task's name can be in a storage key. */
function taskSuffix(taskId = ''): string {
  const name = taskId
    .slice(0, 64)
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+/, '')
    .replace(/[.-]+$/, '')
  return name === '' ? '' : `-${name}`
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
