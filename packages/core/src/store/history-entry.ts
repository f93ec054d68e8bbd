import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import { bundleKinds } from '../bundle/bundle-names.ts'
import { bundleId, idTime, trackName } from '../bundle/fields.ts'
import type { ContextBundle } from '../bundle/schema.ts'
import { lazySchema } from '../session/lazy-schema.ts'
import { bundleKey } from './bundle-keys.ts'
import { bundleLayout } from './track-places.ts'
import type { EntryKind } from './track-store.ts'

const count = lazySchema(() => z.int().check(z.nonnegative()))
const sha256 = lazySchema(() => z.string().check(z.regex(/^[0-9a-f]{64}$/)))

/** Schema of a history entry, version 1. Fields added by a later version are ignored. */
export const historyEntrySchema = lazySchema(() =>
  z
    .object({
      schemaVersion: z.literal(1),
      id: bundleId,
      kind: z.enum(bundleKinds),
      track: trackName,
      createdAt: idTime,
      /** Key of the bundle's JSON, with the digest and the length of its bytes. */
      key: z.string(),
      sha256,
      size: count,
      format: z.string(),
      sessionId: z.string(),
      title: z.optional(z.string()),
      cwd: z.optional(z.string()),
      task: z.optional(z.string()),
      previous: z.optional(bundleId),
      sourceTokens: count,
      bundleTokens: count,
      ratio: z.number().check(z.nonnegative()),
      band: z.string(),
      /** Digest of the log that the bundle was made from. */
      sourceSha256: sha256,
      /** State of the session at the end of its log. */
      state: z.optional(z.string()),
      /** Action of the first next step. */
      nextStep: z.optional(z.string()),
    })
    .check(
      z.refine((entry) => entry.key === bundleKey(entry.id), {
        path: ['key'],
        error: 'expected the key of the bundle',
      }),
    ),
)

/** One save in the history of a track, with the fields that a list of bundles shows. */
export type HistoryEntry = z.infer<typeof historyEntrySchema>

/** Entries of bundles. */
export const bundleEntries: EntryKind<HistoryEntry> = {
  name: 'bundle',
  ...bundleLayout,
  entrySchema: historyEntrySchema,
}

export function historyEntryOf(bundle: ContextBundle, json: Uint8Array): HistoryEntry {
  const { source, compression } = bundle
  const [next] = bundle.nextSteps
  return {
    schemaVersion: 1,
    id: bundle.id,
    kind: bundle.kind,
    track: bundle.track,
    createdAt: bundle.createdAt,
    key: bundleKey(bundle.id),
    sha256: createHash('sha256').update(json).digest('hex'),
    size: json.byteLength,
    format: source.format,
    sessionId: source.sessionId,
    ...(source.title !== undefined && { title: source.title }),
    ...(source.cwd !== undefined && { cwd: source.cwd }),
    ...(bundle.task !== undefined && { task: bundle.task }),
    ...(bundle.previous !== undefined && { previous: bundle.previous }),
    sourceTokens: compression.sourceTokens,
    bundleTokens: compression.bundleTokens,
    ratio: compression.ratio,
    band: compression.band,
    sourceSha256: source.sha256,
    ...(bundle.state !== undefined && { state: bundle.state }),
    ...(next !== undefined && { nextStep: next.action }),
  }
}
