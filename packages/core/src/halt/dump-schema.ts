import * as z from 'zod/mini'
import { lazySchema } from '../session/lazy-schema.ts'
import { haltIdPattern } from './dump-keys.ts'

const count = lazySchema(() => z.int().check(z.nonnegative()))
const text = lazySchema(() => z.optional(z.string()))
const path = lazySchema(() => z.string().check(z.minLength(1)))
const sha256 = lazySchema(() => z.string().check(z.regex(/^[0-9a-f]{64}$/)))
const note = lazySchema(() => z.object({ code: z.string(), message: z.string() }))

/** Why a part is not in a dump. `not-given`: nobody gave it; `none`: there is none, as outside of a repository. */
const missingPart = lazySchema(() =>
  z.object({
    path: z.string(),
    code: z.enum(['not-given', 'none', 'failed', 'too-large']),
    reason: z.string(),
  }),
)

/** `redacted`: number of parts of its text that marks replaced. */
const dumpPart = lazySchema(() => z.object({ path, size: count, redacted: z.optional(count) }))

/** Files with secrets are left out of the patch; `snapshot`: stored whole, with marks. */
const redactedFile = lazySchema(() => z.object({ path, parts: count, as: z.enum(['snapshot', 'left-out']) }))

/** Schema of `metadata.json`. It is stored with the state `writing` before anything else: a dump that is cut off says what it was about. */
export const dumpMetadataSchema = lazySchema(() =>
  z.object({
    schemaVersion: z.literal(1),
    haltId: z.string().check(z.regex(haltIdPattern)),
    createdAt: z.iso.datetime({ precision: 3 }),
    state: z.enum(['writing', 'complete', 'partial']),
    reason: z.string(),
    details: z.optional(z.unknown()),
    taskId: text,
    iteration: z.optional(z.number()),
    projectId: text,
    sandboxRoot: text,
    agent: z.optional(z.object({ name: text, model: text, sessionId: text, mode: text })),
    /** Key of the live state in the state store. */
    stateKey: text,
    /** Shown to whoever continues, never run. */
    nextCommand: text,
    git: z.optional(
      z.object({
        root: text,
        branch: text,
        head: z.optional(z.string().check(z.regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/))),
        upstream: text,
        ahead: z.optional(count),
        behind: z.optional(count),
        dirty: z.optional(z.boolean()),
        changed: count,
        files: z.array(
          z.object({
            path: z.string(),
            status: z.enum(['created', 'modified', 'deleted', 'renamed', 'conflict', 'untracked']),
          }),
        ),
      }),
    ),
    patch: z.optional(z.object({ files: count, redacted: count, redactedFiles: z.array(redactedFile) })),
    /** Number of distinct secrets, and of each type. */
    redaction: z.optional(z.object({ secrets: count, types: z.array(z.tuple([z.string(), count])) })),
    /** All parts but this one. */
    parts: z.array(dumpPart),
    missing: z.array(missingPart),
    notes: z.array(note),
    /** Only beside the archive, once that is stored. */
    archive: z.optional(z.object({ size: count, sha256 })),
  }),
)

/** As git has it; the digest of a link, 120000, is that of its target. */
const mode = lazySchema(() => z.enum(['100644', '100755', '120000']))

const fileEntry = lazySchema(() =>
  z.object({
    path,
    size: count,
    mode,
    /** Absent if it could not be read. */
    sha256: z.optional(sha256),
    /** Compared with the head; absent if it is the same. */
    status: z.optional(z.enum(['added', 'modified'])),
  }),
)

/** A file that is stored whole: its original size and digest, and the part that holds it. */
const snapshotEntry = lazySchema(() =>
  z.object({ path, size: count, mode, sha256, part: path, redacted: z.optional(count) }),
)

/** Schema of `filesystem/file-manifest.json`; its paths are `/`-joined. */
export const fileManifestSchema = lazySchema(() =>
  z.object({
    schemaVersion: z.literal(1),
    /** Base folder of the paths: the root of the repository, or the sandbox if there is none. */
    root: z.string(),
    repository: z.boolean(),
    /** Commit that the patch applies to; absent before the first one. */
    head: text,
    /** False if there were more files than are listed. */
    complete: z.boolean(),
    files: z.array(fileEntry),
    /** Files of the head that were deleted. */
    deleted: z.array(path),
    /** Untracked files that the patch leaves out, and why. */
    omitted: z.array(z.object({ path, size: z.optional(count), reason: z.string() })),
    snapshots: z.array(snapshotEntry),
  }),
)

/** A part that is not in a dump, and why. */
export type MissingPart = z.infer<typeof missingPart>
/** A part of a dump, by its path in it. */
export type DumpPart = z.infer<typeof dumpPart>
/** Content of `metadata.json`. */
export type DumpMetadata = z.infer<typeof dumpMetadataSchema>
/** A problem that occurred while a dump was made. */
export type DumpNote = z.infer<typeof note>
/** A file of the patch that holds secrets, and how it is kept. */
export type RedactedPatchFile = z.infer<typeof redactedFile>
/** Content of `filesystem/file-manifest.json`. */
export type FileManifest = z.infer<typeof fileManifestSchema>
/** A file as it was in the sandbox. */
export type ManifestFile = z.infer<typeof fileEntry>
/** A file that is stored whole. */
export type ManifestSnapshot = z.infer<typeof snapshotEntry>
