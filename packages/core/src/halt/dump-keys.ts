import { newBundleId } from '../bundle/bundle-id.ts'
import { TenfoldError } from '../errors.ts'

/** Paths of the parts of a dump in its archive. */
export const dumpPaths = {
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

/** Where the dumps of a storage are. */
export const dumpsPrefix = 'dumps/'

/** Pattern of a dump's id: time of the halt and 9 random digits, like the id of a bundle, then the task if it has one. */
export const haltIdPattern = /^\d{8}T\d{9}Z-\d{9}(?:-[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_])?)?$/

/** Makes the id of a dump, so that its key shows the task: `20260304T050607089Z-123456789-T-12`. */
export function newHaltId(createdAt: Date, taskId: string | undefined): string {
  return newBundleId(createdAt) + taskSuffix(taskId)
}

/** Whether a dump may be of a task, by its id alone. An id without a task may be of any: not every name can be in a key. */
export function mayBeOfTask(haltId: string, taskId: string): boolean {
  const suffix = haltId.slice('20260304T050607089Z-123456789'.length)
  return suffix === '' || suffix === taskSuffix(taskId)
}

/** What of a task's name can be in a storage key. */
function taskSuffix(taskId = ''): string {
  const name = taskId
    .slice(0, 64)
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+/, '')
    .replace(/[.-]+$/, '')
  return name === '' ? '' : `-${name}`
}

/** Keys of a dump: its archive, and a copy of the metadata for listings. Throws {@link TenfoldError} `no-dump`. */
export function keysOfDump(haltId: string): { readonly archive: string; readonly metadata: string } {
  if (!haltIdPattern.test(haltId))
    throw new TenfoldError(
      'no-dump',
      `${JSON.stringify(String(haltId).slice(0, 80))} is not the id of a halt dump; list them with listDumps.`,
    )
  return { archive: `${dumpsPrefix}${haltId}.tar.gz`, metadata: `${dumpsPrefix}${haltId}.json` }
}

/** The id in a key of a dump; undefined for any other key. */
export function haltIdOfKey(key: string): string | undefined {
  const id = /^dumps\/([^/]+?)\.(?:json|tar\.gz)$/.exec(key)?.[1]
  return id !== undefined && haltIdPattern.test(id) ? id : undefined
}
