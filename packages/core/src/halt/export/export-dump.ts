import { pipeline, Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { createGzip } from 'node:zlib'
import { createTarPacker } from 'modern-tar'
import { createdAtOf } from '../../bundle/bundle-id.ts'
import type { AbortableOptions } from '../../session/abortable-options.ts'
import { appendTo } from '../../session/append-to.ts'
import type { Storage } from '../../storage/storage.ts'
import { encodeJson } from '../../storage/stored-json.ts'
import { type DumpPlace, dumpPaths } from '../dump-keys.ts'
import type { DumpManifest } from '../dump-schema.ts'
import { pathBytes, pathFault } from '../file-path.ts'
import { type HaltDump, loadDump, readFileManifest } from '../read-dump.ts'

/** Options of {@link exportDump}. */
export interface ExportDumpOptions extends AbortableOptions, DumpPlace {}

/**
 * Packs a dump as a `.tar.gz`: one folder, named after the id, with all parts, and files that are stored whole at `filesystem/file-snapshots/{path}`. `openExportedDump` reads it, packed or unpacked. Throws
 * {@link TenfoldError} `no-dump`; the blocks throw {@link StorageError} if a part is missing or damaged.
 */
export async function exportDump(
  storage: Storage,
  haltId: string,
  options: ExportDumpOptions = {},
): Promise<AsyncIterable<Uint8Array>> {
  const dump = await loadDump(storage, haltId, options)
  const { readable, controller } = createTarPacker()
  const mtime = new Date(createdAtOf(haltId))
  const pack = async (): Promise<void> => {
    for await (const { path, bytes } of filesOf(dump)) {
      options.signal?.throwIfAborted()
      const file = controller.add({ name: `${haltId}/${path}`, size: bytes.byteLength, mtime }).getWriter()
      await file.write(bytes)
      await file.close()
    }
    controller.finalize()
  }
  // The error reaches the loop over the blocks.
  pack().catch((error: unknown) => controller.error(error))
  const gzip = createGzip()
  pipeline(Readable.fromWeb(readable as ReadableStream<Uint8Array>), gzip, () => {})
  return gzip
}

async function* filesOf(dump: HaltDump): AsyncGenerator<{ path: string; bytes: Uint8Array }> {
  const manifest = dump.manifest && (await exportedManifest(dump, dump.manifest))
  if (manifest !== undefined) yield { path: dumpPaths.manifest, bytes: encodeJson(manifest) }
  const parts = manifest?.parts ?? dump.paths.map((path) => ({ path, files: undefined }))
  for (const { path, files = [path] } of parts) {
    const bytes = await dump.read(path)
    if (bytes !== undefined) for (const file of files) yield { path: file, bytes }
  }
}

/** The manifest of the export, in which snapshots have their paths. */
async function exportedManifest(dump: HaltDump, manifest: DumpManifest): Promise<DumpManifest> {
  const files = new Map<string, string[]>()
  const taken = new Set<string>()
  for (const entry of (await readFileManifest(dump))?.snapshots ?? []) {
    // Names that are not text or may lead elsewhere, and equal names once secrets are redacted, keep the digest.
    if (entry.pathBytes !== undefined || pathFault(pathBytes(entry)) !== undefined || taken.has(entry.path))
      continue
    taken.add(entry.path)
    appendTo(files, entry.part, `${dumpPaths.snapshots}/${entry.path}`)
  }
  const parts = manifest.parts.map((part) => {
    const found = files.get(part.path)
    return found === undefined ? part : { ...part, files: found }
  })
  return { ...manifest, parts }
}
