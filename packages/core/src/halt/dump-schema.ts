import * as z from 'zod/mini'
import { lazySchema } from '../session/lazy-schema.ts'
import { haltIdPattern } from './dump-keys.ts'

const count = lazySchema(() => z.int().check(z.nonnegative()))
const text = lazySchema(() => z.optional(z.string()))
const path = lazySchema(() => z.string().check(z.minLength(1)))

/** Schema of `metadata.json`, which is also beside the archive, for listings. */
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
    /** Number of distinct secrets, and of each type. */
    redaction: z.optional(z.object({ secrets: count, types: z.array(z.tuple([z.string(), count])) })),
    /** All parts but this one; `redacted`: number of parts of its text that marks replaced. */
    parts: z.array(z.object({ path, size: count, redacted: z.optional(count) })),
    /** `not-given`: nobody gave it; `none`: there is none, as outside of a repository. */
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

/** Schema of `filesystem/file-manifest.json`; its paths are `/`-joined. */
export const fileManifestSchema = lazySchema(() =>
  z.object({
    schemaVersion: z.literal(1),
    /** Base folder of the paths: the root of the repository, or the sandbox if there is none. */
    root: z.string(),
    /** Commit that the files are compared with; absent before the first one. */
    head: text,
    /** False if there were more files than are listed. */
    complete: z.boolean(),
    /** One that was stored, whole, has a part, and its size, mode and digest before redaction; any other has a reason. */
    files: z.array(
      z.object({
        path,
        /** Compared with the head; absent if it is the same, or if there is none. */
        status: z.optional(z.enum(['added', 'modified', 'deleted'])),
        size: z.optional(count),
        /** As git has it; the content of a link, 120000, is its target. */
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
/** A part that is not in a dump, and why. */
export type MissingPart = DumpMetadata['missing'][number]
/** A part of a dump, by its path in it. */
export type DumpPart = DumpMetadata['parts'][number]
/** A problem that occurred while a dump was made. */
export type DumpNote = DumpMetadata['notes'][number]
/** Content of `filesystem/file-manifest.json`. */
export type FileManifest = z.infer<typeof fileManifestSchema>
export type ManifestFile = FileManifest['files'][number]
