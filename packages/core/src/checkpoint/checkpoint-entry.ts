import { createHash } from 'node:crypto'
import * as z from 'zod/mini'
import { TenfoldError } from '../errors.ts'
import { known } from '../session/known.ts'
import { lazySchema } from '../session/lazy-schema.ts'
import { damaged, parseStoredJson } from '../storage/stored-json.ts'
import { checkpointKey, checkpointMarkdownKey } from '../store/keys.ts'
import { checkpointLayout } from '../store/track-places.ts'
import type { TrackKind } from '../store/track-store.ts'
import { type Checkpoint, checkpointSchema, parseCheckpoint } from './schema.ts'

export const checkpointEntrySchema = lazySchema(() => {
  const { id, track, createdAt, task, label, step, nextCommand, validation } = checkpointSchema.shape
  const { branch, head } = checkpointSchema.shape.git.def.innerType.shape
  return z
    .object({
      schemaVersion: z.literal(1),
      ...{ id, track, createdAt, task, label, step, nextCommand, validation, branch, head },
      /** Key of the checkpoint's JSON; `sha256` and `size` are those of its bytes. */
      key: z.string(),
      sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
      size: z.int().check(z.nonnegative()),
    })
    .check(
      z.refine((entry) => entry.key === checkpointKey(entry.track, entry.id), {
        path: ['key'],
        error: 'expected the key of the checkpoint',
      }),
    )
})

/** One save of a checkpoint on a track, with the fields that a list shows. */
export type CheckpointEntry = z.infer<typeof checkpointEntrySchema>

/** Tracks of checkpoints. An entry that is `aside` does not change the current track. */
export const checkpointTracks: TrackKind<Checkpoint, CheckpointEntry> = {
  name: 'checkpoint',
  ...checkpointLayout,
  entrySchema: checkpointEntrySchema,
  objectKey: checkpointKey,
  markdownKey: checkpointMarkdownKey,
  decode: async (key, bytes) => decodeCheckpoint(key, bytes),
  entryOf: checkpointEntryOf,
}

function checkpointEntryOf(checkpoint: Checkpoint, json: Uint8Array): CheckpointEntry {
  const { id, track, createdAt, task, label, step, nextCommand, validation, git } = checkpoint
  return {
    schemaVersion: 1,
    // In the order of the schema, so that a copy has the same bytes whether the entry was read or just saved.
    id,
    track,
    createdAt,
    ...known({ task, label }),
    step,
    ...known({ nextCommand }),
    validation,
    ...known({ branch: git?.branch, head: git?.head }),
    key: checkpointKey(track, id),
    sha256: createHash('sha256').update(json).digest('hex'),
    size: json.byteLength,
  }
}

export function decodeCheckpoint(key: string, bytes: Uint8Array): Checkpoint {
  const value = parseStoredJson(key, bytes)
  try {
    return parseCheckpoint(value)
  } catch (error) {
    if (!TenfoldError.isInstance(error)) throw error
    throw damaged(key, error.message, { cause: error })
  }
}
