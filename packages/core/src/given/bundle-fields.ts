import { z } from 'zod'
import { bundleKinds, bundleSchema } from '../bundle/schema.ts'
import { InvalidBundleError } from '../errors.ts'

const words = z.string().max(100_000)
const time = z.iso.datetime({ offset: true })

/** A statement: its text alone, or with more. */
const statement = z.union([words, z.strictObject({ text: words })])
const statements = z.array(statement).max(1000)

const step = z.union([words, z.strictObject({ text: words, done: z.boolean().optional() })])

const decision = z.union([
  words,
  z.strictObject({
    choice: words,
    topic: words.optional(),
    rationale: words.optional(),
    alternatives: z.array(words).optional(),
    /** @default 'agent' */
    by: z.enum(['user', 'agent']).optional(),
    at: time.optional(),
  }),
])

const nextStep = z.union([words, z.strictObject({ action: words, command: words.optional() })])

const file = z.union([
  words,
  z.strictObject({
    path: words,
    /** @default 'read' */
    status: z.enum(['created', 'modified', 'deleted', 'renamed', 'read', 'named']).optional(),
    reason: words.optional(),
    /** The parts that were read. */
    sections: z.array(words).optional(),
  }),
])

/** Schema of a bundle that is given by hand: all fields are optional, and completed by `completeBundle`. */
export const bundleFieldsSchema = z.strictObject({
  /** @default 'context' */
  kind: z.enum(bundleKinds).optional(),
  /** @default 'main' */
  track: bundleSchema.shape.track.optional(),
  task: words.optional(),
  title: words.optional(),
  sessionId: words.optional(),
  /** When the work ended. @default now */
  createdAt: time.optional(),
  cwd: words.optional(),
  summary: words.optional(),
  phase: words.optional(),
  currentTask: words.optional(),
  tasksCompleted: statements.optional(),
  tasksRemaining: statements.optional(),
  blockers: statements.optional(),
  findings: statements.optional(),
  decisions: z.array(decision).max(1000).optional(),
  constraints: statements.optional(),
  openQuestions: statements.optional(),
  /** The first one is the resume point. */
  nextSteps: z.array(nextStep).max(1000).optional(),
  resumeInstructions: words.optional(),
  files: z.array(file).max(5000).optional(),
  validation: z
    .strictObject({ status: z.enum(['green', 'failed', 'unknown', 'pending']), command: words.optional() })
    .optional(),
  /** @default the state of the repository in `cwd` */
  git: z
    .strictObject({ branch: words.optional(), head: words.optional(), dirty: z.boolean().optional() })
    .optional(),
  plan: z
    .strictObject({
      approach: words.optional(),
      steps: z.array(step).max(1000).optional(),
      risks: statements.optional(),
    })
    .optional(),
  progress: z
    .strictObject({
      currentState: words.optional(),
      completed: statements.optional(),
      inProgress: statements.optional(),
      remaining: statements.optional(),
      steps: z
        .strictObject({ done: z.number().int().nonnegative(), total: z.number().int().nonnegative() })
        .optional(),
    })
    .optional(),
  research: z.strictObject({ decision: words.optional() }).optional(),
})

/** What somebody says about a session without a log: summary, decisions, next steps, files. */
export type BundleFields = z.infer<typeof bundleFieldsSchema>

/** Checks fields against the schema. Throws {@link InvalidBundleError} that names each invalid field. */
export function parseBundleFields(value: unknown): BundleFields {
  const result = bundleFieldsSchema.safeParse(value)
  if (result.success) return result.data
  const issues = result.error.issues.map((issue) => `${issue.path.join('.') || 'fields'}: ${issue.message}`)
  throw new InvalidBundleError(`not the fields of a bundle: ${issues.slice(0, 5).join('; ')}`, issues)
}
