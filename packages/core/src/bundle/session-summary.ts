import * as z from 'zod/mini'
import { lazySchema } from '../session/lazy-schema.ts'
import { count, eventId, line, text } from './fields.ts'

const evidence = lazySchema(() => z.array(eventId))

/** Set by grounding: the statement contains an identifier, path, command or quote that does not occur in the log. */
const unverified = lazySchema(() => z.optional(z.literal(true)))

const itemSchema = lazySchema(() => z.strictObject({ text: line, evidence, unverified }))

/** A step of a plan; open without `done`. */
const stepSchema = lazySchema(() => z.extend(itemSchema, { done: z.optional(z.literal(true)) }))

const decisionSchema = lazySchema(() =>
  z.strictObject({
    topic: z.optional(line),
    choice: line,
    rationale: z.optional(line),
    alternatives: z.array(line),
    by: z.enum(['user', 'agent']),
    at: z.optional(z.iso.datetime()),
    evidence,
    unverified,
  }),
)

const nextStepSchema = lazySchema(() =>
  z.strictObject({
    action: line,
    /**
     * A command that the user or the agent proposed and that was not run since, or the check that still fails; shown,
     * never run.
     */
    command: z.optional(line),
    evidence,
    unverified,
  }),
)

const workflowSchema = lazySchema(() =>
  z.strictObject({
    phase: z.optional(line),
    currentTask: z.optional(line),
    tasksCompleted: z.array(itemSchema),
    tasksRemaining: z.array(itemSchema),
    blockers: z.array(itemSchema),
  }),
)

const sections = {
  plan: z.strictObject({ approach: text, steps: z.array(stepSchema), risks: z.array(itemSchema) }),
  progress: z.strictObject({
    currentState: text,
    completed: z.array(itemSchema),
    inProgress: z.array(itemSchema),
    remaining: z.array(itemSchema),
    /** Number of steps, including those that the budget left out. */
    steps: z.optional(z.strictObject({ done: count, total: count })),
  }),
  research: z.strictObject({ decision: text }),
}

/**
 * A summarizer's result for a session: statements, each with its evidence events. Sections of a kind are under the
 * kind's name.
 */
export const sessionSummarySchema = lazySchema(() =>
  z.strictObject({
    overview: text,
    workflow: workflowSchema,
    findings: z.array(itemSchema),
    decisions: z.array(decisionSchema),
    /** The user's constraints, verbatim. */
    constraints: z.array(itemSchema),
    /**
     * Rules of the project that apply to the work, verbatim: those of the facts, and others that a file, an issue or a
     * hook showed. A bundle keeps only those that the log confirms.
     */
    projectRules: z.optional(z.array(itemSchema)),
    openQuestions: z.array(itemSchema),
    nextSteps: z.array(nextStepSchema),
    resumeInstructions: text,
    /** Why a file was touched, by path. */
    fileReasons: z.array(z.strictObject({ path: line, reason: line })),
    plan: z.optional(sections.plan),
    progress: z.optional(sections.progress),
    research: z.optional(sections.research),
  }),
)

/** What a summarizer returns. */
export interface SessionSummary extends z.infer<typeof sessionSummarySchema> {}
/** A statement with the events that support it. */
export interface SummaryItem extends z.infer<typeof itemSchema> {}
/** What was chosen, why, and by whom. */
export interface Decision extends z.infer<typeof decisionSchema> {}
/** What to do next, and the command to begin with. */
export interface NextStep extends z.infer<typeof nextStepSchema> {}

/** Whether a step of an old bundle or of a model only states that nothing is open, without an exception. */
export const saysNothingOpen = ({ action }: Pick<NextStep, 'action'>): boolean =>
  /^(?:nothing (?:\w+ ){0,2}(?:open|left|remains|to do)|answered)\b(?![^.]*\b(?:but|except)\b)/i.test(action)

/** Precedes a statement that only tools printed, and neither the user nor the agent made. */
export const toolMark = 'Only tool output says:'

/** What the offline summarizer writes before a call at the end of a log that has no result. */
export const rerunHint = 'No result in the log, run it again'
export const checkHint = 'No result in the log, check whether it took effect'

/** Matches words that say to run or use what follows. */
export const toRun = String.raw`(?:(?<!\p{L})(?:run|use|using|install|execute|invoke|call|launch|deploy with|via|npx|sudo|nutze|benutze|verwende|utilise[rz]?|lance[rz]?|exécute[rz]?|usa|ejecuta|esegui|используй(?:те)?|запусти(?:те)?)\s+|使用|运行|執行|执行)`

export const withoutToolMark = (text: string): string => text.replaceAll(`${toolMark} `, '')
