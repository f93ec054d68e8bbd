import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { packTar, unpackTar } from 'modern-tar'
import { createdAtOf } from '../bundle/bundle-id.ts'
import { dumpPaths } from './dump-keys.ts'

/** Content of the parts of a dump, by path. */
export type DumpParts = ReadonlyMap<string, Uint8Array>

/** Most bytes of all parts: they are in memory at once. */
export const maxDumpBytes = 2 ** 30
/** Headers and padding of many small parts. */
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

/** Returns the parts in an archive; empty if it holds no dump. Throws an error that says what is wrong with it. */
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
  ERR_BUFFER_TOO_LARGE: 'it is too large to be unpacked in memory',
  Z_DATA_ERROR: 'it is not a .tar.gz file, or it is broken',
  Z_BUF_ERROR: 'it is cut off',
}
