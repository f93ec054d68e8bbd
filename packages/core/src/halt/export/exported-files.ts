import { lstat } from 'node:fs/promises'
import { basename } from 'node:path'
import { createTarDecoder } from 'modern-tar'
import { LogReadError, messageOf, TenfoldError } from '../../errors.ts'
import { unpack } from '../../readers/log/unpack.ts'
import { readRegularFile, regularFileBlocks } from '../../regular-file.ts'
import { walkFolder } from '../collect/walk-folder.ts'
import { placeOf } from '../file-path.ts'

/** A file of an exported dump. */
interface ExportedFile {
  readonly size: number
  read(): Promise<Uint8Array>
}

/** The files of an exported dump, by path from its folder. */
export type ExportedFiles = ReadonlyMap<string, ExportedFile>

const maxFiles = 500_000
/** Most bytes that are unpacked into memory. */
const maxBytes = 2 ** 30

/** Lists the files of a folder; links are left out, so that nothing outside of it is read. */
export async function filesOfFolder(root: string): Promise<ExportedFiles> {
  const { files } = await walkFolder(root, { ignore: [], max: maxFiles })
  const found = new Map<string, ExportedFile>()
  for (const { path, link } of files) {
    if (link) continue
    const place = placeOf(root, path)
    const { size } = await lstat(place)
    found.set(path.toString('utf8'), { size, read: () => readRegularFile(place, { links: false, maxBytes }) })
  }
  return found
}

/** Unpacks a `.tar.gz` into memory. Throws {@link TenfoldError} `no-dump` if it is not one with one dump in it. */
export async function filesOfArchive(path: string): Promise<ExportedFiles> {
  const files = new Map<string, ExportedFile>()
  try {
    const file = { name: basename(path), maxBytes, blocks: regularFileBlocks(path) }
    const blocks = unpack(file, 'gzip', (_, message) => {
      throw new Error(message)
    })
    for await (const { header, body } of ReadableStream.from(blocks).pipeThrough(
      createTarDecoder({ strict: true }),
    )) {
      const bytes = new Uint8Array(await new Response(body).arrayBuffer())
      if (header.type === 'file')
        files.set(header.name.replace(/^(?:\.\/)+/, ''), { size: bytes.byteLength, read: async () => bytes })
    }
  } catch (cause) {
    const message = `${path} cannot be read as an exported halt dump: ${reasonOf(cause)}.`
    throw new TenfoldError('no-dump', message, { cause })
  }
  return ofOneFolder(path, files)
}

function reasonOf(cause: unknown): string {
  if (LogReadError.isInstance(cause) && cause.code === 'log-too-large')
    return 'it is too large to be unpacked in memory. If you trust it, unpack it with tar -xzf and give the folder'
  const message = messageOf(cause)
  // What zlib says of a file that does not begin as gzip does.
  return message.includes('incorrect header check') ? 'it is not a .tar.gz file' : message
}

/** The files of the only folder with a dump in it, by path from there. */
function ofOneFolder(archive: string, files: ExportedFiles): ExportedFiles {
  const heads = [...files.keys()].filter((path) => /^(?:[^/]+\/)?(?:manifest|metadata)\.json$/.test(path))
  const [folder = '', ...others] = new Set(heads.map((path) => path.slice(0, path.lastIndexOf('/') + 1)))
  if (others.length > 0)
    throw new TenfoldError(
      'no-dump',
      `${archive} holds ${others.length + 1} halt dumps. Unpack it with tar -xzf and give the folder of one.`,
    )
  const inside = [...files].filter(([path]) => path.startsWith(folder))
  return new Map(inside.map(([path, file]) => [path.slice(folder.length), file]))
}
