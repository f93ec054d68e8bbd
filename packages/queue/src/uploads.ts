import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { LogReadError, type Storage, StorageError } from '@tenfold/core'
import { decodeLog, defaultMaxLogBytes, putIfAbsent } from '@tenfold/core/internal'
import type { OpenLog } from '@tenfold/core/readers'
import type { QueuedLog, UploadedFile } from './job.ts'

const pack = promisify(gzip)

/** Parent folders to keep in uploaded paths, because some readers use a log's folder and the one above. */
const parentsKept = 2

type LogFile = OpenLog['files'][number]

/** Uploads the files of a log to the store, for the worker that gets job `id`. */
export async function uploadLog(log: OpenLog, storage: Storage, id: string): Promise<UploadedFile[]> {
  const root = rootOf(log.files)
  const uploaded: UploadedFile[] = []
  for (const file of log.files) {
    const bytes = await buffer(file.blocks())
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const key = `queue/${id}-${sha256.slice(0, 16)}.gz`
    await putIfAbsent(storage, key, await pack(bytes))
    uploaded.push({ path: pathBelow(root, file), sha256, key })
  }
  return uploaded
}

export async function removeUploads({ files = [] }: QueuedLog, storage: Storage): Promise<void> {
  for (const { key } of files) await storage.delete(key)
}

/** The common folder of a log's files, extended by `parentsKept` parents. */
function rootOf(files: readonly LogFile[]): string {
  const folders = files.flatMap(({ path }) => (path === undefined ? [] : [dirname(resolve(path))]))
  let root = folders[0] ?? sep
  while (!folders.every((folder) => folder === root || folder.startsWith(join(root, sep))))
    root = dirname(root)
  for (let up = 0; up < parentsKept; up++) root = dirname(root)
  return root
}

function pathBelow(root: string, { path, name }: LogFile): string {
  return path === undefined ? basename(name) : relative(root, resolve(path)).split(sep).join('/')
}

/** Downloads a job's log, unless it can be read in place. Its files may have `maxLogBytes` in total. */
export async function fetchLog(
  log: QueuedLog,
  storage: Storage,
  maxLogBytes = defaultMaxLogBytes,
): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const session = log.sessionId === undefined ? '' : `#${log.sessionId}`
  const [main] = log.files ?? []
  if (log.files === undefined || main === undefined)
    return { path: `${log.path ?? log.name}${session}`, remove: async () => {} }
  const folder = await mkdtemp(join(tmpdir(), 'tenfold-queue-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    let left = maxLogBytes
    for (const file of log.files) left -= await fetchFile(file, log.name, folder, storage, left)
  } catch (error) {
    await remove()
    throw error
  }
  return { path: `${join(folder, main.path)}${session}`, remove }
}

async function fetchFile(
  { path, sha256, key }: UploadedFile,
  log: string,
  folder: string,
  storage: Storage,
  maxBytes: number,
): Promise<number> {
  const stored = await storage.get(key)
  if (stored === undefined)
    throw new LogReadError(
      'log-missing',
      `${log}: ${storage.name} no longer has ${key}; queue the log again.`,
    )
  const target = join(folder, path)
  await mkdir(dirname(target), { recursive: true })
  const packed = { name: log, maxBytes, blocks: () => Readable.from([stored.bytes]) }
  const hash = createHash('sha256')
  let size = 0
  const written = await open(target, 'wx', 0o600)
  try {
    for await (const block of decodeLog(packed, () => {})) {
      hash.update(block)
      size += block.byteLength
      await written.appendFile(block)
    }
  } finally {
    await written.close()
  }
  if (hash.digest('hex') !== sha256)
    throw new StorageError(key, `${storage.name}: ${key} does not contain the bytes that were uploaded`)
  return size
}
