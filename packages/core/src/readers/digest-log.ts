import { createHash } from 'node:crypto'
import { logDigest } from '../session/log-digest.ts'
import { defaultReaders } from './default-readers.ts'
import type { OpenLog } from './open-log.ts'
import { checkLogSize, type ReadSessionOptions, readSession } from './read-session.ts'
import { framingOf, pickReader } from './reader/detect.ts'

/**
 * Returns the `source.sha256` that reading this log gives, without reading more than needed: the digest of its files,
 * or for a session of a database that of its events. Throws `LogReadError`.
 */
export async function digestLog(open: OpenLog, options: ReadSessionOptions = {}): Promise<string> {
  const { readers = defaultReaders, format, signal } = options
  const reader = pickReader(open.head, readers, format)
  if (framingOf(reader, open.head) === 'rows') return (await readSession(open, options)).source.sha256
  await checkLogSize(open.files)
  const files: { name: string; sha256: string }[] = []
  for (const { name, blocks } of open.files) {
    const hash = createHash('sha256')
    for await (const block of blocks()) {
      signal?.throwIfAborted()
      hash.update(block)
    }
    files.push({ name, sha256: hash.digest('hex') })
  }
  return logDigest(files)
}
