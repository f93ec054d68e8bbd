import { z } from 'zod'
import { bundleSchema, createdAtOf, idPattern } from '../bundle/schema.ts'
import { line, text } from '../bundle/session-summary.ts'
import { TenfoldError } from '../errors.ts'
import { cleanCommand } from './clean-command.ts'

export const validations = ['green', 'pending', 'failed'] as const
export type CheckpointValidation = (typeof validations)[number]

const count = z.number().int().nonnegative()
/** Exactly as in the file system or git: code that shows it must make it safe. */
const name = z
  .string()
  .min(1)
  .max(4096)
  .refine((value) => value.isWellFormed(), 'expected text without lone surrogates')
const digest = z.string().regex(/^[0-9a-f]{16}$/)

/** The next command: one line without invisible characters. Shown, never run. */
const command = z
  .string()
  .max(4000)
  .refine((value) => cleanCommand(value) === value, 'expected a command on one clean line')

const gitSchema = z.strictObject({
  branch: name.optional(),
  /** Abbreviated only in checkpoints of other tools. */
  head: z
    .string()
    .regex(/^[0-9a-f]{7,64}$/)
    .optional(),
  detached: z.literal(true).optional(),
  worktree: z.literal(true).optional(),
  /** Absent if git was too slow to answer. */
  dirty: z.boolean().optional(),
  upstream: name.optional(),
  ahead: count.optional(),
  behind: count.optional(),
  root: name.optional(),
  /** The first of the files that differ from the head, paths from the root; `changed` is the number of all. */
  files: z.array(
    z.strictObject({
      path: name,
      status: z.enum(['created', 'modified', 'deleted', 'renamed', 'conflict', 'untracked']),
      digest: digest.optional(),
    }),
  ),
  changed: count,
})

const extraKey = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, 'expected a key of A-Z, a-z, 0-9, ".", "_" and "-"')
const extraSchema = z
  .record(extraKey, z.union([z.string().max(4000).and(text), z.number(), z.boolean()]))
  .refine((extra) => Object.keys(extra).length <= 64, 'expected at most 64 keys')

/** Schema of a checkpoint, version 1. */
export const checkpointSchema = z
  .strictObject({
    schemaVersion: z.literal(1),
    /** Like that of a bundle: time of creation and 9 random digits. */
    id: z.string().regex(idPattern),
    track: bundleSchema.shape.track.refine(
      (track) => !/^latest\.(?:json|md)$/i.test(track),
      'expected a name other than that of the pointer',
    ),
    createdAt: bundleSchema.shape.createdAt,
    task: line.optional(),
    label: line.max(200).optional(),
    /** The current step of the work. */
    step: line.max(1000),
    note: text.max(64_000),
    nextCommand: command.optional(),
    validation: z.enum(validations),
    extra: extraSchema,
    /** Files that the step is about, from the root of the repository, or from `cwd` if there is none. */
    files: z.array(z.strictObject({ path: name, digest: digest.optional() })).max(500),
    /** Absent if there was no repository, or no git. */
    git: gitSchema.optional(),
    cwd: name.optional(),
    /** The newest bundle of the track at that time. */
    bundle: z.string().regex(idPattern).optional(),
  })
  .refine((checkpoint) => createdAtOf(checkpoint.id) === checkpoint.createdAt, {
    path: ['id'],
    error: 'expected the time of createdAt in the id',
  })

/** The state of the work in mid-session, for whoever takes it over. */
export type Checkpoint = z.infer<typeof checkpointSchema>

/**
 * Checks a value against the schema. Throws {@link TenfoldError} `invalid-checkpoint` that names each invalid field.
 */
export function parseCheckpoint(value: unknown): Checkpoint {
  const result = checkpointSchema.safeParse(value)
  // Zod skips the key `__proto__` of a record.
  const hidden = result.success && hasOwnProto((value as { extra: object }).extra)
  if (result.success && !hidden) return result.data
  const issues = result.success
    ? ['extra: expected a key of A-Z, a-z, 0-9, ".", "_" and "-", got "__proto__"']
    : result.error.issues.map((issue) => `${issue.path.join('.') || 'checkpoint'}: ${reasonOf(issue)}`)
  throw new TenfoldError('invalid-checkpoint', `not a valid checkpoint: ${issues.slice(0, 5).join('; ')}`)
}

function hasOwnProto(extra: object): boolean {
  return Object.hasOwn(extra, '__proto__')
}

/** A bad key of a record has the reason in a nested issue. */
function reasonOf(issue: z.core.$ZodIssue): string {
  return issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message
}
