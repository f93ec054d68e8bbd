import { createHash } from 'node:crypto'
import { z } from 'zod'

import { TenfoldError } from '../errors.ts'
import { known } from '../session/known.ts'
import type { NumberedLog } from '../storage/numbered-log.ts'
import type { Storage } from '../storage/storage.ts'
import { damaged, decodeJson, decodeOrFault, parseJson } from '../storage/stored-json.ts'
import { checkpointKey, checkpointLogPrefix } from './checkpoint-keys.ts'
import { type Checkpoint, checkpointSchema, parseCheckpoint } from './schema.ts'

const count = z.number().int().nonnegative()
const { id, track, createdAt, task, label, step, nextCommand, validation } = checkpointSchema.shape
const { branch, head } = checkpointSchema.shape.git.unwrap().shape

/** Schema of an entry, version 1. Fields added by a later version are ignored. */
export const checkpointEntrySchema = z
  .object({
    schemaVersion: z.literal(1),
    /** Number among the checkpoints of the track, from 1, without gaps. */
    sequence: count.min(1),
    ...{ id, track, createdAt, task, label, step, nextCommand, validation, branch, head },
    /** Key of the checkpoint's JSON, with the digest and the length of its bytes. */
    key: z.string(),
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    size: count,
    /** The current track after this save, as far as its writer knew. */
    current: track.optional(),
  })
  .refine((entry) => entry.key === checkpointKey(entry.track, entry.id), {
    path: ['key'],
    error: 'expected the key of the checkpoint',
  })

/** One save among the checkpoints of a track, with the fields that a list of them shows. */
export type CheckpointEntry = z.infer<typeof checkpointEntrySchema>

/** Returns the numbered entries of a track; putting one is the commit point of a save. */
export function checkpointLog(track: string): NumberedLog<CheckpointEntry> {
  return {
    prefix: checkpointLogPrefix(track),
    title: `the checkpoints of track ${track}`,
    decode: (key, bytes, sequence) => {
      const entry = decodeJson(key, bytes, checkpointEntrySchema)
      if (entry.sequence !== sequence || entry.track !== track)
        throw damaged(key, `it says that it is entry ${entry.sequence} of track ${entry.track}`)
      return entry
    },
  }
}

/** Makes the entry of a checkpoint stored as `json`. */
export function checkpointEntryOf(
  checkpoint: Checkpoint,
  json: Uint8Array,
  place: { readonly sequence: number; readonly current: string | undefined },
): CheckpointEntry {
  const { id, track, createdAt, task, label, step, nextCommand, validation, git } = checkpoint
  return {
    schemaVersion: 1,
    sequence: place.sequence,
    ...{ id, track, createdAt, step, validation },
    ...known({ task, label, nextCommand, branch: git?.branch, head: git?.head, current: place.current }),
    key: checkpointKey(track, id),
    sha256: createHash('sha256').update(json).digest('hex'),
    size: json.byteLength,
  }
}

/**
 * Returns the checkpoint of an entry if its bytes are exactly what was saved, otherwise a text that says what is wrong
 * with it. Throws only if the storage fails.
 */
export async function verifyCheckpoint(
  storage: Storage,
  entry: CheckpointEntry,
): Promise<Checkpoint | string> {
  const stored = await storage.get(entry.key)
  if (stored === undefined) return `${entry.key} is missing`
  const { bytes } = stored
  if (createHash('sha256').update(bytes).digest('hex') !== entry.sha256)
    return `${entry.key} holds other bytes than were saved`
  const checkpoint = decodeCheckpoint(entry.key, bytes)
  return checkpoint instanceof Error ? checkpoint.message : checkpoint
}

/** Decodes a stored checkpoint, or returns the error that says how it is damaged. */
export function decodeCheckpoint(key: string, bytes: Uint8Array): Checkpoint | TenfoldError {
  return decodeOrFault(() => {
    const value = parseJson(key, bytes)
    try {
      return parseCheckpoint(value)
    } catch (error) {
      if (!TenfoldError.isInstance(error)) throw error
      throw damaged(key, error.message, { cause: error })
    }
  })
}
