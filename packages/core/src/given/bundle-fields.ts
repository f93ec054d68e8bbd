import * as z from 'zod/mini'
import { bundleKinds } from '../bundle/bundle-names.ts'
import { trackName } from '../bundle/fields.ts'
import { InvalidBundleError } from '../errors.ts'
import { lazySchema } from '../session/lazy-schema.ts'

const words = lazySchema(() => z.string().check(z.maxLength(100_000)))
const time = lazySchema(() => z.iso.datetime({ offset: true }))

/** A statement: its text alone, or with more. */
const statement = lazySchema(() => z.union([words, z.strictObject({ text: words })]))
const statements = lazySchema(() => z.array(statement).check(z.maxLength(1000)))

const step = lazySchema(() =>
  z.union([words, z.strictObject({ text: words, done: z.optional(z.boolean()) })]),
)

const decision = lazySchema(() =>
  z.union([
    words,
    z.strictObject({
      choice: words,
      topic: z.optional(words),
      rationale: z.optional(words),
      alternatives: z.optional(z.array(words)),
      /** @default 'agent' */
      by: z.optional(z.enum(['user', 'agent'])),
      at: z.optional(time),
    }),
  ]),
)

const nextStep = lazySchema(() =>
  z.union([words, z.strictObject({ action: words, command: z.optional(words) })]),
)

const file = lazySchema(() =>
  z.union([
    words,
    z.strictObject({
      path: words,
      /** @default 'read' */
      status: z.optional(z.enum(['created', 'modified', 'deleted', 'renamed', 'read', 'named'])),
      reason: z.optional(words),
      /** The parts that were read. */
      sections: z.optional(z.array(words)),
    }),
  ]),
)

/** Schema of a bundle that is given by hand: all fields are optional, and completed by `completeBundle`. */
export const bundleFieldsSchema = lazySchema(() =>
  z.strictObject({
    /** @default 'context' */
    kind: z.optional(z.enum(bundleKinds)),
    /** @default 'main' */
    track: z.optional(trackName),
    task: z.optional(words),
    title: z.optional(words),
    sessionId: z.optional(words),
    /** When the work ended. @default now */
    createdAt: z.optional(time),
    cwd: z.optional(words),
    summary: z.optional(words),
    phase: z.optional(words),
    currentTask: z.optional(words),
    tasksCompleted: z.optional(statements),
    tasksRemaining: z.optional(statements),
    blockers: z.optional(statements),
    findings: z.optional(statements),
    decisions: z.optional(z.array(decision).check(z.maxLength(1000))),
    constraints: z.optional(statements),
    openQuestions: z.optional(statements),
    /** The first one is the resume point. */
    nextSteps: z.optional(z.array(nextStep).check(z.maxLength(1000))),
    resumeInstructions: z.optional(words),
    files: z.optional(z.array(file).check(z.maxLength(5000))),
    validation: z.optional(
      z.strictObject({
        status: z.enum(['green', 'failed', 'unknown', 'pending']),
        command: z.optional(words),
      }),
    ),
    /** @default the state of the repository in `cwd` */
    git: z.optional(
      z.strictObject({ branch: z.optional(words), head: z.optional(words), dirty: z.optional(z.boolean()) }),
    ),
    plan: z.optional(
      z.strictObject({
        approach: z.optional(words),
        steps: z.optional(z.array(step).check(z.maxLength(1000))),
        risks: z.optional(statements),
      }),
    ),
    progress: z.optional(
      z.strictObject({
        currentState: z.optional(words),
        completed: z.optional(statements),
        inProgress: z.optional(statements),
        remaining: z.optional(statements),
        steps: z.optional(
          z.strictObject({ done: z.int().check(z.nonnegative()), total: z.int().check(z.nonnegative()) }),
        ),
      }),
    ),
    research: z.optional(z.strictObject({ decision: z.optional(words) })),
  }),
)

/** What somebody says about a session without a log: summary, decisions, next steps, files. */
export type BundleFields = z.infer<typeof bundleFieldsSchema>

/** Checks fields against the schema. Throws {@link InvalidBundleError} that names each invalid field. */
export function parseBundleFields(value: unknown): BundleFields {
  const result = bundleFieldsSchema.safeParse(value)
  if (result.success) return result.data
  const issues = result.error.issues.map((issue) => `${issue.path.join('.') || 'fields'}: ${issue.message}`)
  throw new InvalidBundleError(`not the fields of a bundle: ${issues.slice(0, 5).join('; ')}`, issues)
}
