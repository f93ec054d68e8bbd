import type { Redaction } from '@tenfold/redact'
import { errorCode } from '../../errors.ts'
import { encodeJson } from '../../storage/stored-json.ts'
import { dumpPaths } from '../dump-keys.ts'
import type {
  DumpMetadata,
  DumpNote,
  FileManifest,
  ManifestSnapshot,
  RedactedPatchFile,
} from '../dump-schema.ts'
import type { CollectedFiles } from './collect-files.ts'
import { type FilePath, pathFields } from './file-path.ts'
import { type FileContent, readContent, sha256Of } from './found-file.ts'
import { isBinary, searchedText, textOfBytes, textsOfSection } from './searched-text.ts'
import type { FileChange, PatchSection } from './worktree-diff.ts'

/** A part of a dump before it is stored. */
export type MakePart = (path: string, bytes: () => Uint8Array | Promise<Uint8Array>) => Promise<void>

/** The metadata about the files. */
export interface MadeFiles {
  readonly patch: DumpMetadata['patch']
  readonly notes: readonly DumpNote[]
}

/** Makes the patch, the files that are stored whole, and the file manifest, which names them all. */
export async function makeFileParts(
  files: CollectedFiles,
  redaction: Redaction,
  make: MakePart,
): Promise<MadeFiles> {
  const stored = new Set<string>()
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
    if (!stored.has(part)) await make(part, () => bytes)
    stored.add(part)
    return true
  }
  for (const file of files.snapshots) await store(file)
  const patch = await makePatch(files, redaction, make, store)
  await make(dumpPaths.files, () => encodeJson(fileManifest(files, [...snapshots.values()], redaction)))
  return { patch, notes: [...notes.values()] }
}

/** Marks would break binary data: with a secret in it, it is not stored. */
function noteOf({ path, bytes }: FileContent, redaction: Redaction): DumpNote | undefined {
  if (!isBinary(bytes)) return undefined
  const { path: name } = cleanPath(pathFields(path), redaction)
  const { text, packed } = searchedText(bytes)
  if (secretsIn(text, redaction) > 0)
    return {
      code: 'snapshot-left-out',
      message: `${name} is not stored whole: it is not text and holds a secret`,
    }
  if (!packed) return undefined
  return { code: 'snapshot-not-searched', message: `${name} is packed: it was not searched for secrets` }
}

function secretsIn(text: string, redaction: Redaction): number {
  redaction.learn(text)
  return redaction.leaks(text)
}

/**
 * Makes the patch without the files that hold a secret, so that it applies, and without those that do not apply without
 * them. They are stored whole, with marks in place of their secrets.
 */
async function makePatch(
  { diff, maxFileBytes }: CollectedFiles,
  redaction: Redaction,
  make: MakePart,
  store: (file: FileContent) => Promise<boolean>,
): Promise<DumpMetadata['patch']> {
  if (diff === undefined) return undefined
  const contentOf = async ({ path, status }: FileChange): Promise<FileContent | undefined> => {
    if (status === 'deleted') return undefined
    try {
      return await readContent(diff.root, path, maxFileBytes)
    } catch (error) {
      // It cannot be read any more: it is left out.
      if (errorCode(error) === undefined) throw error
      return undefined
    }
  }
  const dropped = new Map<PatchSection, number>()
  for (const section of diff.sections) {
    const { head, before, after, isBinary: isPacked } = textsOfSection(section.bytes)
    const [inHead = 0, inBefore = 0, inAfter = 0] = [head, before, after].map((text) =>
      secretsIn(text, redaction),
    )
    // Attributes can make git treat a text as binary: its secrets are compressed in the patch.
    const content = isPacked ? await contentOf(section.change) : undefined
    const hidden = content === undefined ? 0 : secretsIn(searchedText(content.bytes).text, redaction)
    const secrets = inHead + Math.max(inBefore, inAfter) + hidden
    if (secrets > 0) dropped.set(section, secrets)
  }
  const kept = withDependants(diff.sections, dropped)
  await make(dumpPaths.patch, () => Buffer.concat(kept.map(({ bytes }) => bytes)))
  const redactedFiles = new Map<string, RedactedPatchFile>()
  for (const [{ change }, parts] of dropped) {
    const name = change.path.toString('latin1')
    const content = await contentOf(change)
    const isStored = content !== undefined && (await store(content))
    redactedFiles.set(name, {
      ...cleanPath(pathFields(change.path), redaction),
      parts: parts + (redactedFiles.get(name)?.parts ?? 0),
      as: isStored ? 'snapshot' : 'left-out',
    })
  }
  const redacted = [...dropped.values()].reduce((sum, parts) => sum + parts, 0)
  return { files: diff.changes.length, redacted, redactedFiles: [...redactedFiles.values()] }
}

/**
 * Drops the sections that do not apply without those that are dropped: the other half of a change of type, a file in the
 * place of a folder whose files would remain, a folder in the place of a file. Returns those that are kept.
 */
function withDependants(
  sections: readonly PatchSection[],
  dropped: Map<PatchSection, number>,
): readonly PatchSection[] {
  for (;;) {
    const gone = new Set([...dropped.keys()].flatMap(({ change }) => pathsOf(change)))
    const above = new Set([...gone].flatMap(foldersOf))
    const kept = sections.filter((section) => !dropped.has(section))
    const more = kept.filter(({ change }) =>
      pathsOf(change).some(
        (path) => gone.has(path) || above.has(path) || foldersOf(path).some((folder) => gone.has(folder)),
      ),
    )
    if (more.length === 0) return kept
    for (const section of more) dropped.set(section, 0)
  }
}

function pathsOf({ path, from }: FileChange): string[] {
  return [path, ...(from === undefined ? [] : [from])].map((bytes) => bytes.toString('latin1'))
}

function foldersOf(path: string): string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
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
  { root, diff, listed, complete }: CollectedFiles,
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
    complete,
    files: listed.map(clean),
    deleted: deleted.map((path) => clean(pathFields(path))),
    omitted: (diff?.omitted ?? []).map(clean),
    submodules: (diff?.submodules ?? []).map(({ path, commit }) => ({ ...clean(pathFields(path)), commit })),
    snapshots: [...snapshots],
  }
}
