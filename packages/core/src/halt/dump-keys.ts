import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { packTar, unpackTar } from 'modern-tar'
import { createdAtOf, newBundleId } from '../bundle/bundle-id.ts'
import { TenfoldError } from '../errors.ts'

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

export const dumpsPrefix = 'dumps/'

export const haltIdPattern = /^\d{8}T\d{9}Z-\d{9}(?:-[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_])?)?$/

/** Makes the id of a dump, which includes the task: `20260304T050607089Z-123456789-T-12`. */
export function newHaltId(createdAt: Date, taskId: string | undefined): string {
  return newBundleId(createdAt) + taskSuffix(taskId)
}

/**
 * Whether a dump may belong to a task, by its id alone. An id without a task may belong to any, since not every task
 * name fits into a key.
 */
export function mayBeOfTask(haltId: string, taskId: string): boolean {
  const suffix = haltId.slice('20260304T050607089Z-123456789'.length)
  return suffix === '' || suffix === taskSuffix(taskId)
}

/** Returns the part of a task's name that a storage key can contain. */
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

export function haltIdOfKey(key: string): string | undefined {
  const id = /^dumps\/([^/]+?)\.(?:json|tar\.gz)$/.exec(key)?.[1]
  return id !== undefined && haltIdPattern.test(id) ? id : undefined
}

export type DumpParts = ReadonlyMap<string, Uint8Array>

/** Maximum bytes of all parts, which are in memory together. */
export const maxDumpBytes = 2 ** 30
/** Adds room for the headers and padding of many small parts. */
const maxTarBytes = maxDumpBytes + 2 ** 28

/** Packs the parts as a `.tar.gz` with one folder, named after the dump. Equal parts give equal bytes. */
export async function packDump(haltId: string, parts: DumpParts): Promise<Uint8Array> {
  const mtime = new Date(createdAtOf(haltId))
  const entries = [...parts].map(([path, body]) => ({
    header: { name: `${haltId}/${path}`, size: body.byteLength, mode: 0o600, mtime },
    body,
  }))
  return await promisify(gzip)(await packTar(entries))
}

/** Returns the parts in an archive; none if it holds no dump. Throws an error that describes the damage. */
export async function unpackDump(archive: Uint8Array): Promise<DumpParts> {
  const tar = await promisify(gunzip)(archive, { maxOutputLength: maxTarBytes }).catch((cause: Error) => {
    throw new Error(zlibReasons[(cause as NodeJS.ErrnoException).code ?? ''] ?? cause.message, { cause })
  })
  const entries = await unpackTar(tar, { strict: true })
  const names = entries.map(({ header }) => header.name)
  const head = names.find((name) => /^(?:\.\/)?(?:[^/]+\/)?metadata\.json$/.test(name))
  const folder = head?.slice(0, -dumpPaths.metadata.length)
  const held = entries.flatMap(({ header: { name, type }, data }) =>
    folder !== undefined && type === 'file' && name.startsWith(folder)
      ? [[name.slice(folder.length), data ?? new Uint8Array()] as const]
      : [],
  )
  return new Map(held)
}

const zlibReasons: Readonly<Record<string, string>> = {
  ERR_BUFFER_TOO_LARGE: 'it is too large to be decompressed in memory',
  Z_DATA_ERROR: 'it is not a .tar.gz file, or it is broken',
  Z_BUF_ERROR: 'it is cut off',
}
