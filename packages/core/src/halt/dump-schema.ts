import * as z from 'zod/mini'
import { lazySchema } from '../session/lazy-schema.ts'
import { haltIdPattern } from './dump-keys.ts'

const count = lazySchema(() => z.int().check(z.nonnegative()))
const text = lazySchema(() => z.optional(z.string()))
const path = lazySchema(() => z.string().check(z.minLength(1)))

/** Schema of `metadata.json`, which is also stored next to the archive, for listings. */
export const dumpMetadataSchema = lazySchema(() =>
  z.object({
    schemaVersion: z.literal(1),
    haltId: z.string().check(z.regex(haltIdPattern)),
    createdAt: z.iso.datetime({ precision: 3 }),
    state: z.enum(['complete', 'partial']),
    reason: z.string(),
    details: z.optional(z.unknown()),
    taskId: text,
    iteration: z.optional(z.number()),
    projectId: text,
    sandboxRoot: text,
    agent: z.optional(z.object({ name: text, model: text, sessionId: text, mode: text })),
    stateKey: text,
    /** For whoever continues; never run. */
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
    /** Number of distinct secrets, in total and by type. */
    redaction: z.optional(z.object({ secrets: count, types: z.array(z.tuple([z.string(), count])) })),
    /** All parts except this one; `redacted` is the number of marks in the part. */
    parts: z.array(z.object({ path, size: count, redacted: z.optional(count) })),
    /** `not-given`: the caller did not provide it; `none`: it does not exist, such as Git data outside of a repository. */
    missing: z.array(
      z.object({
        path: z.string(),
        code: z.enum(['not-given', 'none', 'failed', 'too-large']),
        reason: z.string(),
      }),
    ),
    notes: z.array(z.object({ code: z.string(), message: z.string() })),
  }),
)

/** Schema of `filesystem/file-manifest.json`. Paths are joined by `/`. */
export const fileManifestSchema = lazySchema(() =>
  z.object({
    schemaVersion: z.literal(1),
    /** Folder of the paths: the root of the repository, or the sandbox if there is none. */
    root: z.string(),
    /** Commit that the files are compared with; absent before the first commit. */
    head: text,
    /** False if there are more files than listed. */
    complete: z.boolean(),
    /** A stored file has `part`, and its size, mode and digest before redaction; any other has a `reason`. */
    files: z.array(
      z.object({
        path,
        /** Difference from the head; absent if there is none, or if there is no head. */
        status: z.optional(z.enum(['added', 'modified', 'deleted'])),
        size: z.optional(count),
        /** Git's mode; the content of a link, 120000, is its target. */
        mode: z.optional(z.enum(['100644', '100755', '120000'])),
        sha256: z.optional(z.string().check(z.regex(/^[0-9a-f]{64}$/))),
        part: z.optional(path),
        redacted: z.optional(count),
        reason: text,
      }),
    ),
  }),
)

/** Content of `metadata.json`. */
export type DumpMetadata = z.infer<typeof dumpMetadataSchema>
export type MissingPart = DumpMetadata['missing'][number]
export type DumpPart = DumpMetadata['parts'][number]
export type DumpNote = DumpMetadata['notes'][number]
/** Content of `filesystem/file-manifest.json`. */
export type FileManifest = z.infer<typeof fileManifestSchema>
export type ManifestFile = FileManifest['files'][number]
