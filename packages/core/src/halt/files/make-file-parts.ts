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
import { type FileContent, isNoText, pathFault, readContent, sha256Of } from './found-file.ts'
import { isBinary, searchedText, textOfBytes, textsOfSection } from './searched-text.ts'
import type { FileChange, PatchSection } from './worktree-diff.ts'

/** Adds a part to a dump. */
export type MakePart = (path: string, bytes: () => Uint8Array | Promise<Uint8Array>) => Promise<void>

/** The metadata about the files. */
export interface MadeFiles {
  readonly patch: DumpMetadata['patch']
  readonly notes: readonly DumpNote[]
}

/**
 * Makes the patch, the files that are stored whole, and the file manifest, which names them all. A name with a secret in
 * it is redacted: its file is then not restored.
 */
export async function makeFileParts(
  files: CollectedFiles,
  redaction: Redaction,
  make: MakePart,
): Promise<MadeFiles> {
  const snapshots = new Map<string, ManifestSnapshot>()
  const notes = new Map<string, DumpNote>()
  const taken = new Set<string>()
  /** False for a file that is not stored. */
  const store = async (file: FileContent): Promise<boolean> => {
    if (snapshots.has(file.path)) return true
    const { path: original, bytes: content, size, mode, sha256 } = file
    const path = redaction.redact(original)
    const note = noteOf(path, content, redaction)
    if (note !== undefined) notes.set(original, note)
    if (note?.code === 'snapshot-left-out') return false
    const before = redaction.hits
    const bytes = cleanContent(content, redaction)
    const redacted = redaction.hits - before
    // Names that may lead elsewhere, or are equal once secrets are redacted, would not survive in an archive.
    const isPlain = pathFault(path) === undefined && !isNoText(path) && !taken.has(path)
    const part = `${dumpPaths.snapshots}/${isPlain ? path : sha256Of(Buffer.from(original))}`
    taken.add(path)
    snapshots.set(original, { path, size, mode, sha256, part, ...(redacted > 0 && { redacted }) })
    await make(part, () => bytes)
    return true
  }
  for (const file of files.snapshots) await store(file)
  const patch = await makePatch(files, redaction, make, store)
  await make(dumpPaths.files, () => encodeJson(fileManifest(files, [...snapshots.values()], redaction)))
  return { patch, notes: [...notes.values()] }
}

/** Marks would break binary data: with a secret in it, it is not stored. */
function noteOf(path: string, bytes: Buffer, redaction: Redaction): DumpNote | undefined {
  if (!isBinary(bytes)) return undefined
  const { text, packed } = searchedText(bytes)
  if (secretsIn(text, redaction) > 0)
    return {
      code: 'snapshot-left-out',
      message: `${path} is not stored whole: it is not text and holds a secret`,
    }
  if (!packed) return undefined
  return { code: 'snapshot-not-searched', message: `${path} is packed: it was not searched for secrets` }
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
    const texts = textsOfSection(section.bytes)
    const [head = 0, before = 0, after = 0] = [texts.head, texts.before, texts.after].map((text) =>
      secretsIn(text, redaction),
    )
    // Attributes can make git treat a text as binary: its secrets are compressed in the patch.
    const content = texts.isBinary ? await contentOf(section.change) : undefined
    const hidden = content === undefined ? 0 : secretsIn(searchedText(content.bytes).text, redaction)
    const secrets = head + Math.max(before, after) + hidden
    if (secrets > 0) dropped.set(section, secrets)
  }
  const kept = withoutDependants(diff.sections, dropped)
  await make(dumpPaths.patch, () => Buffer.concat(kept.map(({ bytes }) => bytes)))
  const redactedFiles = new Map<string, RedactedPatchFile>()
  let redacted = 0
  for (const [{ change }, secrets] of dropped) {
    redacted += secrets
    const content = await contentOf(change)
    const isStored = content !== undefined && (await store(content))
    redactedFiles.set(change.path, {
      path: redaction.redact(change.path),
      parts: secrets + (redactedFiles.get(change.path)?.parts ?? 0),
      as: isStored ? 'snapshot' : 'left-out',
    })
  }
  return { files: diff.changes.length, redacted, redactedFiles: [...redactedFiles.values()] }
}

/**
 * Drops the sections that do not apply without those that are dropped: the other half of a change of type, a file in the
 * place of a folder whose files would remain, a folder in the place of a file. Returns those that are kept.
 */
function withoutDependants(
  sections: readonly PatchSection[],
  dropped: Map<PatchSection, number>,
): readonly PatchSection[] {
  for (;;) {
    const gone = new Set([...dropped.keys()].flatMap(({ change }) => pathsOf(change)))
    const above = new Set([...gone].flatMap(foldersOf))
    const depends = ({ change }: PatchSection) =>
      pathsOf(change).some(
        (path) => above.has(path) || [path, ...foldersOf(path)].some((each) => gone.has(each)),
      )
    const kept = sections.filter((section) => !dropped.has(section))
    const more = kept.filter(depends)
    if (more.length === 0) return kept
    for (const section of more) dropped.set(section, 0)
  }
}

function pathsOf({ path, from }: FileChange): string[] {
  return from === undefined ? [path] : [path, from]
}

/** The folders of a path, the outermost first. */
export function foldersOf(path: string): string[] {
  const names = path.split('/')
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'))
}

/** A text with marks in place of its secrets; other bytes unchanged. */
function cleanContent(bytes: Buffer, redaction: Redaction): Buffer {
  const read = isBinary(bytes) ? undefined : textOfBytes(bytes)
  if (read === undefined) return bytes
  const clean = redaction.redact(read.text, { keepLines: true })
  return clean === read.text ? bytes : Buffer.from(clean, read.encoding)
}

function fileManifest(
  { root, diff, listed, complete }: CollectedFiles,
  snapshots: readonly ManifestSnapshot[],
  redaction: Redaction,
): FileManifest {
  const clean = (path: string): string => redaction.redact(path)
  const cleanAll = <T extends { readonly path: string }>(entries: readonly T[]): T[] =>
    entries.map((entry) => ({ ...entry, path: clean(entry.path) }))
  return {
    schemaVersion: 1,
    root: clean(root),
    repository: diff !== undefined,
    ...(diff?.head !== undefined && { head: diff.head }),
    complete,
    files: cleanAll(listed),
    deleted: (diff?.changes ?? [])
      .flatMap(({ status, path, from }) => (status === 'deleted' ? [path] : from === undefined ? [] : [from]))
      .map(clean),
    omitted: cleanAll(diff?.omitted ?? []),
    snapshots: [...snapshots],
  }
}
