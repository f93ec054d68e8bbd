import * as z from 'zod/mini'
import { lazySchema } from '../session/lazy-schema.ts'
import { storageKeyFault } from '../storage/storage-key.ts'
import { haltIdPattern } from './dump-keys.ts'

const count = lazySchema(() => z.int().check(z.nonnegative()))
const haltId = lazySchema(() => z.string().check(z.regex(haltIdPattern)))
const sha256 = lazySchema(() => z.string().check(z.regex(/^[0-9a-f]{64}$/)))
const time = lazySchema(() => z.iso.datetime({ precision: 3 }))
const key = lazySchema(() =>
  z.string().check(z.refine((text) => storageKeyFault(text) === undefined, 'expected a storage key')),
)
const note = lazySchema(() => z.object({ code: z.string(), message: z.string() }))

/** Why a part is not in a dump. `not-given`: nobody gave it; `none`: there is none, as outside of a repository. */
const missingPart = lazySchema(() =>
  z.object({
    path: z.string(),
    code: z.enum(['not-given', 'none', 'failed', 'too-large']),
    reason: z.string(),
  }),
)

const dumpPart = lazySchema(() =>
  z.object({
    path: key,
    size: count,
    sha256,
    /** Number of parts of its text that marks replaced. */
    redacted: z.optional(count),
    /** In an export: the files that hold the bytes, if they are not at `path`. */
    files: z.optional(z.array(z.string().check(z.minLength(1))).check(z.minLength(1))),
  }),
)

/** Schema of `manifest.json`, which is written last: a dump without it was cut off. */
export const dumpManifestSchema = lazySchema(() =>
  z.object({
    schemaVersion: z.literal(1),
    haltId,
    createdAt: time,
    state: z.enum(['complete', 'partial']),
    /** All parts except the manifest itself, by path. */
    parts: z.array(dumpPart),
    missing: z.array(missingPart),
  }),
)

/** A path from the root of the sandbox, `/`-joined. */
const filePathSchema = lazySchema(() =>
  z.object({
    path: z.string().check(z.minLength(1)),
    /** Base64 of its bytes, if they are not UTF-8. */
    pathBytes: z.optional(z.base64()),
  }),
)

const redactedFile = lazySchema(() =>
  z.extend(filePathSchema, {
    parts: count,
    /** Files with secrets are left out of the patch; `snapshot`: stored whole; `marked`: older dumps kept it in the patch. */
    as: z.enum(['marked', 'snapshot', 'left-out']),
  }),
)

/** Schema of `metadata.json`. Written first with the state `writing`, and again once everything else is stored. */
export const dumpMetadataSchema = lazySchema(() =>
  z.object({
    schemaVersion: z.literal(1),
    haltId,
    createdAt: time,
    state: z.enum(['writing', 'complete', 'partial']),
    reason: z.string(),
    details: z.optional(z.unknown()),
    taskId: z.optional(z.string()),
    iteration: z.optional(z.number()),
    projectId: z.optional(z.string()),
    sandboxRoot: z.optional(z.string()),
    agent: z.optional(
      z.object({
        name: z.optional(z.string()),
        model: z.optional(z.string()),
        sessionId: z.optional(z.string()),
        mode: z.optional(z.string()),
      }),
    ),
    /** Key of the live state in the state store. */
    stateKey: z.optional(z.string()),
    /** Shown to whoever continues, never run. */
    nextCommand: z.optional(z.string()),
    git: z.optional(
      z.object({
        root: z.optional(z.string()),
        branch: z.optional(z.string()),
        head: z.optional(z.string().check(z.regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/))),
        upstream: z.optional(z.string()),
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
    missing: z.array(missingPart),
    notes: z.array(note),
  }),
)

const fileEntry = lazySchema(() =>
  z.extend(filePathSchema, {
    size: count,
    /** As git has it: 100644, 100755, 120000 for a link, whose digest is that of its target. */
    mode: z.enum(['100644', '100755', '120000']),
    /** Absent if it could not be read. */
    sha256: z.optional(sha256),
    /** Compared with the head; absent if it is the same. */
    status: z.optional(z.enum(['added', 'modified'])),
  }),
)

const snapshotEntry = lazySchema(() =>
  z.extend(filePathSchema, {
    /** Size of the original file. */
    size: count,
    mode: z.enum(['100644', '100755', '120000']),
    sha256,
    /** The part that holds its content. */
    part: key,
    redacted: z.optional(count),
  }),
)

/** Schema of `filesystem/file-manifest.json`. */
export const fileManifestSchema = lazySchema(() =>
  z.object({
    schemaVersion: z.literal(1),
    /** Base folder of the paths: the root of the repository, or the sandbox if there is none. */
    root: z.string(),
    repository: z.boolean(),
    /** Commit that the patch applies to; absent before the first one. */
    head: z.optional(z.string()),
    /** False if there were more files than are listed. */
    complete: z.boolean(),
    files: z.array(fileEntry),
    /** Files of the head that were deleted. */
    deleted: z.array(filePathSchema),
    /** Untracked files that the patch leaves out, and why. */
    omitted: z.array(z.extend(filePathSchema, { size: z.optional(count), reason: z.string() })),
    submodules: z.array(z.extend(filePathSchema, { commit: z.string() })),
    snapshots: z.array(snapshotEntry),
  }),
)

/** A part that is not in a dump, and why. */
export type MissingPart = z.infer<typeof missingPart>
/** A part of a dump, by its path in it. */
export type DumpPart = z.infer<typeof dumpPart>
/** Content of `manifest.json`. */
export type DumpManifest = z.infer<typeof dumpManifestSchema>
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
