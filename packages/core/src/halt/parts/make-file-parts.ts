import type { Redaction } from '../../redact/redaction.ts'
import { encodeJson } from '../../storage/stored-json.ts'
import { type FileContent, readContent } from '../collect/collect-files.ts'
import { type CollectedFiles, changesBySection } from '../collect/collect-halt.ts'
import { isGone, readLink, sha256Of } from '../collect/file-digests.ts'
import { hiddenText, isBinary, textOfBytes } from '../collect/hidden-secrets.ts'
import { textsOfSection } from '../collect/patch-sections.ts'
import type { WorktreeDiff } from '../collect/worktree-diff.ts'
import { dumpPaths } from '../dump-keys.ts'
import type {
  DumpMetadata,
  DumpNote,
  FileManifest,
  ManifestSnapshot,
  RedactedPatchFile,
} from '../dump-schema.ts'
import { type FilePath, pathFields } from '../file-path.ts'
import { defaultLimits } from '../halt.ts'

type Make = (path: string, bytes: () => Uint8Array) => Promise<void>

/** Learns the secrets of patch and snapshots. */
export function learnFiles({ sections, binaries, snapshots }: CollectedFiles, redaction: Redaction): void {
  for (const text of sections.flatMap(textsOfSection)) redaction.learn(text)
  for (const { bytes } of [...binaries.values(), ...snapshots]) redaction.learn(textIn(bytes))
}

function textIn(bytes: Buffer): string {
  return isBinary(bytes) ? hiddenText(bytes).text : (textOfBytes(bytes)?.text ?? '')
}

/** The metadata about the files. */
export interface MadeFiles {
  readonly patch: DumpMetadata['patch']
  readonly notes: readonly DumpNote[]
}

/** Makes the patch, the snapshots and the file manifest, which names them all. */
export async function makeFileParts(
  files: CollectedFiles,
  redaction: Redaction,
  make: Make,
): Promise<MadeFiles> {
  const stored = new Map<string, Promise<void>>()
  const snapshots = new Map<string, ManifestSnapshot>()
  const notes = new Map<string, DumpNote>()
  /** False for a file that is not stored. */
  const store = async (file: FileContent): Promise<boolean> => {
    const name = file.path.toString('latin1')
    if (snapshots.has(name)) return true
    const note = noteOf(file, redaction)
    if (note !== undefined) notes.set(name, note)
    if (note?.code === 'snapshot-left-out') return false
    const before = redaction.hits
    const bytes = cleanContent(file.bytes, redaction)
    const redacted = redaction.hits - before
    const part = `${dumpPaths.snapshots}/${sha256Of(bytes)}`
    snapshots.set(name, {
      ...cleanPath(pathFields(file.path), redaction),
      size: file.bytes.length,
      mode: file.mode,
      sha256: file.sha256,
      part,
      ...(redacted > 0 && { redacted }),
    })
    if (!stored.has(part))
      stored.set(
        part,
        make(part, () => bytes),
      )
    await stored.get(part)
    return true
  }
  for (const file of files.snapshots) await store(file)
  const patch = await makePatch(files, redaction, { make, store })
  await make(dumpPaths.files, () => encodeJson(fileManifest(files, [...snapshots.values()], redaction)))
  return { patch, notes: [...notes.values()] }
}

/** Marks would break binary data: with a secret in it, it is not stored. */
function noteOf({ path, bytes }: FileContent, redaction: Redaction): DumpNote | undefined {
  if (!isBinary(bytes)) return undefined
  const { path: name } = cleanPath(pathFields(path), redaction)
  const { text, packed } = hiddenText(bytes)
  if (redaction.leaks(text) > 0)
    return {
      code: 'snapshot-left-out',
      message: `${name} is not stored whole: it is not text and holds a secret`,
    }
  if (!packed) return undefined
  return { code: 'snapshot-not-searched', message: `${name} is packed: it was not searched for secrets` }
}

/**
 * Makes the patch without the files that hold a secret, so that it applies, and without those that do not apply without
 * them. They are stored whole, with marks in place of their secrets.
 */
async function makePatch(
  { diff, sections, binaries }: CollectedFiles,
  redaction: Redaction,
  { make, store }: { readonly make: Make; readonly store: (file: FileContent) => Promise<boolean> },
): Promise<DumpMetadata['patch']> {
  if (diff === undefined) return undefined
  const dropped = new Map<number, number>()
  for (const [index, section] of sections.entries()) {
    const [head, before, after] = textsOfSection(section).map((text) => redaction.leaks(text))
    const binary = binaries.get(index)
    const hidden = binary === undefined ? 0 : redaction.leaks(textIn(binary.bytes))
    const secrets = (head ?? 0) + Math.max(before ?? 0, after ?? 0) + hidden
    if (secrets > 0) dropped.set(index, secrets)
  }
  for (let more = dependants(diff, dropped); more.length > 0; more = dependants(diff, dropped))
    for (const index of more) dropped.set(index, 0)
  await make(dumpPaths.patch, () => Buffer.concat(sections.filter((_, index) => !dropped.has(index))))
  const files = new Map<string, RedactedPatchFile>()
  const changes = changesBySection(diff)
  for (const [index, parts] of dropped) {
    const change = changes[index]
    if (change === undefined) continue
    const name = change.path.toString('latin1')
    const content = change.status === 'deleted' ? undefined : await contentOf(diff.root, change.path)
    const kept = content !== undefined && (await store(content))
    files.set(name, {
      ...cleanPath(pathFields(change.path), redaction),
      parts: parts + (files.get(name)?.parts ?? 0),
      as: kept ? 'snapshot' : 'left-out',
    })
  }
  const redactedFiles = [...files.values()]
  const redacted = redactedFiles.reduce((sum, { parts }) => sum + parts, 0)
  return { files: diff.changes.length, redacted, redactedFiles }
}

/**
 * Sections that do not apply without those that are left out: the other half of a change of type, a file in the place
 * of a folder whose files would remain, a folder in the place of a file.
 */
function dependants(diff: WorktreeDiff, dropped: ReadonlyMap<number, unknown>): number[] {
  const changes = changesBySection(diff)
  const gone = new Set([...dropped.keys()].map((index) => changes[index]))
  const paths = new Set([...gone].flatMap((change) => (change === undefined ? [] : pathsOf(change))))
  const above = new Set([...paths].flatMap(foldersOf))
  return changes.flatMap((change, index) => {
    if (dropped.has(index)) return []
    const meets = pathsOf(change).some(
      (path) => above.has(path) || paths.has(path) || foldersOf(path).some((folder) => paths.has(folder)),
    )
    return gone.has(change) || meets ? [index] : []
  })
}

function pathsOf({ path, from }: WorktreeDiff['changes'][number]): string[] {
  return [path, ...(from === undefined ? [] : [from])].map((bytes) => bytes.toString('latin1'))
}

function foldersOf(path: string): string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
}

async function contentOf(root: string, path: Buffer): Promise<FileContent | undefined> {
  try {
    const link = await readLink(root, path)
    if (link !== undefined) return { path, mode: link.mode, sha256: link.sha256, bytes: link.bytes }
  } catch (error) {
    // Deleted in the meantime: it is left out.
    if (!isGone(error)) throw error
  }
  return await readContent(root, path, defaultLimits.snapshotFile, () => {})
}

/** A text with marks in place of its secrets; other bytes unchanged. */
function cleanContent(bytes: Buffer, redaction: Redaction): Buffer {
  const read = isBinary(bytes) ? undefined : textOfBytes(bytes)
  if (read === undefined) return bytes
  const clean = redaction.redact(read.text, { keepLines: true })
  return clean === read.text ? bytes : Buffer.from(clean, read.encoding)
}

/** A name with a secret in it is redacted: its file is then not restored. */
function cleanPath<T extends FilePath>(entry: T, redaction: Redaction): T {
  const path = redaction.redact(entry.path)
  if (path === entry.path) return entry
  const { pathBytes, ...rest } = entry
  return { ...rest, path } as T
}

function fileManifest(
  { root, diff, listed }: CollectedFiles,
  snapshots: readonly ManifestSnapshot[],
  redaction: Redaction,
): FileManifest {
  const clean = <T extends FilePath>(entry: T): T => cleanPath(entry, redaction)
  const deleted = (diff?.changes ?? []).flatMap(({ status, path, from }) =>
    status === 'deleted' ? [path] : from === undefined ? [] : [from],
  )
  return {
    schemaVersion: 1,
    root: redaction.redact(root),
    repository: diff !== undefined,
    ...(diff?.head !== undefined && { head: diff.head }),
    complete: listed.complete,
    files: listed.files.map(clean),
    deleted: deleted.map((path) => clean(pathFields(path))),
    omitted: (diff?.omitted ?? []).map(clean),
    submodules: (diff?.submodules ?? []).map(({ path, commit }) => ({ ...clean(pathFields(path)), commit })),
    snapshots: [...snapshots],
  }
}
