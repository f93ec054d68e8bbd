import * as z from 'zod/mini'
import { createdAtOf } from '../bundle/bundle-id.ts'
import { bundleId, count, idTime, line, text, trackName } from '../bundle/fields.ts'
import { TenfoldError } from '../errors.ts'
import { lazySchema } from '../session/lazy-schema.ts'
import { cleanCommand } from './clean-command.ts'

export const validations = ['green', 'pending', 'failed'] as const
/** Result of the last check at the time of a checkpoint. */
export type CheckpointValidation = (typeof validations)[number]

/** Exactly as in the file system or in git: code that shows it must make it safe. */
const name = lazySchema(() =>
  z.string().check(
    z.minLength(1),
    z.maxLength(4096),
    z.refine((value) => value.isWellFormed(), 'expected text without lone surrogates'),
  ),
)
const digest = lazySchema(() => z.string().check(z.regex(/^[0-9a-f]{16}$/)))

/** The next command: one line without invisible characters. Shown, never run. */
const command = lazySchema(() =>
  z.string().check(
    z.maxLength(4000),
    z.refine((value) => cleanCommand(value) === value, 'expected a command on one clean line'),
  ),
)

const gitSchema = lazySchema(() =>
  z.strictObject({
    branch: z.optional(name),
    /** Abbreviated only in checkpoints of other tools. */
    head: z.optional(z.string().check(z.regex(/^[0-9a-f]{7,64}$/))),
    detached: z.optional(z.literal(true)),
    worktree: z.optional(z.literal(true)),
    /** Absent if git took too long. */
    dirty: z.optional(z.boolean()),
    upstream: z.optional(name),
    ahead: z.optional(count),
    behind: z.optional(count),
    root: z.optional(name),
    /** The first of the files that differ from the head, with paths from the root; `changed` counts all of them. */
    files: z.array(
      z.strictObject({
        path: name,
        status: z.enum(['created', 'modified', 'deleted', 'renamed', 'conflict', 'untracked']),
        digest: z.optional(digest),
      }),
    ),
    changed: count,
  }),
)

const extraKey = lazySchema(() =>
  z
    .string()
    .check(z.regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, 'expected a key of A-Z, a-z, 0-9, ".", "_" and "-"')),
)
const extraSchema = lazySchema(() =>
  z
    .record(
      extraKey,
      z.union([z.intersection(z.string().check(z.maxLength(4000)), text), z.number(), z.boolean()]),
    )
    .check(z.refine((extra) => Object.keys(extra).length <= 64, 'expected at most 64 keys')),
)

export const checkpointSchema = lazySchema(() =>
  z
    .strictObject({
      schemaVersion: z.literal(1),
      /** Like a bundle's id: time of creation and 9 random digits. */
      id: bundleId,
      track: trackName.check(
        z.refine(
          (track) => !/^latest\.(?:json|md)$/i.test(track),
          'expected a name other than that of the pointer',
        ),
      ),
      createdAt: idTime,
      task: z.optional(line),
      label: z.optional(line.check(z.maxLength(200))),
      step: line.check(z.maxLength(1000)),
      note: text.check(z.maxLength(64_000)),
      nextCommand: z.optional(command),
      validation: z.enum(validations),
      extra: extraSchema,
      /** Files of the step, as paths from the root of the repository, or from `cwd` if there is none. */
      files: z.array(z.strictObject({ path: name, digest: z.optional(digest) })).check(z.maxLength(500)),
      git: z.optional(gitSchema),
      cwd: z.optional(name),
      /** Id of the newest bundle of the track at that time. */
      bundle: z.optional(bundleId),
    })
    .check(
      z.refine((checkpoint) => createdAtOf(checkpoint.id) === checkpoint.createdAt, {
        path: ['id'],
        error: 'expected the time of createdAt in the id',
      }),
    ),
)

/** The state of unfinished work, for whoever takes it over. */
export type Checkpoint = z.infer<typeof checkpointSchema>

/**
 * Checks a value against the schema. Throws {@link TenfoldError} `invalid-checkpoint` that names each invalid field.
 */
export function parseCheckpoint(value: unknown): Checkpoint {
  const result = checkpointSchema.safeParse(value)
  // Zod ignores the key `__proto__` of a record.
  const hidden = result.success && Object.hasOwn((value as { extra: object }).extra, '__proto__')
  if (result.success && !hidden) return result.data
  const issues = result.success
    ? ['extra: expected a key of A-Z, a-z, 0-9, ".", "_" and "-", got "__proto__"']
    : result.error.issues.map((issue) => `${issue.path.join('.') || 'checkpoint'}: ${reasonOf(issue)}`)
  throw new TenfoldError('invalid-checkpoint', `not a valid checkpoint: ${issues.slice(0, 5).join('; ')}`)
}

/** For a bad key of a record, the reason is in a nested issue. */
function reasonOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type' && issue.message.endsWith('received undefined'))
    return `missing, expected ${issue.expected}`
  return issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message
}
