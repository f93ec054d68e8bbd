import { z } from 'zod'
import { cleanLine, isCleanText } from '../session/clean-text.ts'

/** One line of clean text, not empty. */
export const line = z
  .string()
  .min(1)
  .refine((text) => cleanLine(text) === text, 'expected one trimmed line without control characters')

/** Clean text of any number of lines, without white space at its ends; may be empty. */
export const text = z
  .string()
  .refine(
    (value) => isCleanText(value) && value.trim() === value,
    'expected trimmed text without control characters',
  )

export const eventId = z.templateLiteral(['e', z.number().int().positive()])

const count = z.number().int().nonnegative()

/** Events of the log that support a statement. */
const evidence = z.array(eventId)

/** Set by grounding: an identifier, path, command or quote in it does not occur in the log. */
const unverified = z.literal(true).optional()

const itemSchema = z.strictObject({ text: line, evidence, unverified })

/** A step of a plan; one without `done` is open. */
const stepSchema = itemSchema.extend({ done: z.literal(true).optional() })

const decisionSchema = z.strictObject({
  topic: line.optional(),
  choice: line,
  rationale: line.optional(),
  alternatives: z.array(line),
  by: z.enum(['user', 'agent']),
  at: z.iso.datetime().optional(),
  evidence,
  unverified,
})

const nextStepSchema = z.strictObject({
  action: line,
  /** Proposed by a turn of the user or the agent and not run since, or the check that still fails; shown, never run. */
  command: line.optional(),
  evidence,
  unverified,
})

const workflowSchema = z.strictObject({
  phase: line.optional(),
  currentTask: line.optional(),
  tasksCompleted: z.array(itemSchema),
  tasksRemaining: z.array(itemSchema),
  blockers: z.array(itemSchema),
})

const sections = {
  plan: z.strictObject({ approach: text, steps: z.array(stepSchema), risks: z.array(itemSchema) }),
  progress: z.strictObject({
    currentState: text,
    completed: z.array(itemSchema),
    inProgress: z.array(itemSchema),
    remaining: z.array(itemSchema),
    /** Number of steps, also of those that the budget left out of the lists. */
    steps: z.strictObject({ done: count, total: count }).optional(),
  }),
  research: z.strictObject({ decision: text }),
}

/**
 * A summarizer's result for a session: statements, each with its evidence events. Sections of a kind are under its
 * name.
 */
export const sessionSummarySchema = z.strictObject({
  overview: text,
  workflow: workflowSchema,
  findings: z.array(itemSchema),
  decisions: z.array(decisionSchema),
  /** The user's constraints, verbatim. */
  constraints: z.array(itemSchema),
  /**
   * Rules of the project that hold for the work, verbatim: those of the facts, and others that a file, an issue or a hook
   * showed. A bundle has only those of which the log confirms that.
   */
  projectRules: z.array(itemSchema).optional(),
  openQuestions: z.array(itemSchema),
  nextSteps: z.array(nextStepSchema),
  resumeInstructions: text,
  /** Why a file was touched, by path. */
  fileReasons: z.array(z.strictObject({ path: line, reason: line })),
  plan: sections.plan.optional(),
  progress: sections.progress.optional(),
  research: sections.research.optional(),
})

/** What a summarizer returns. */
export interface SessionSummary extends z.infer<typeof sessionSummarySchema> {}
/** A statement, and the events that support it. */
export interface SummaryItem extends z.infer<typeof itemSchema> {}
/** What was chosen, why, and by whom. */
export interface Decision extends z.infer<typeof decisionSchema> {}
/** What to do next, and the command to begin with. */
export interface NextStep extends z.infer<typeof nextStepSchema> {}
