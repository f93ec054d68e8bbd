import type { BundleKind } from '@tenfold/core/summarizer'
import { z } from 'zod'

// The subset of JSON Schema that all providers take: one closed root object, every field required, nullable instead of
// optional and only where '' would not do, no records, tuples, unions or limits of length, no references.

const evidence = z.array(z.string())
const item = z.object({ text: z.string(), evidence })
const items = z.array(item)

const decision = z.object({
  topic: z.string(),
  choice: z.string(),
  rationale: z.string(),
  alternatives: z.array(z.string()),
  by: z.enum(['user', 'agent']),
  evidence,
})

const nextStep = z.object({ action: z.string(), command: z.string().nullable(), evidence })

/** Lists first, because the overview rests on them. */
const common = {
  tasksCompleted: items,
  tasksRemaining: items,
  blockers: items,
  findings: items,
  decisions: z.array(decision),
  constraints: items,
  rules: z.array(z.string()),
  otherRules: items,
  openQuestions: items,
  fileReasons: z.array(z.object({ path: z.string(), reason: z.string() })),
}

const ofKind = {
  context: {},
  plan: { approach: z.string(), steps: items, risks: items },
  progress: { currentState: z.string(), inProgress: items },
  research: { researchDecision: z.string() },
} satisfies Record<BundleKind, z.ZodRawShape>

const update = {
  changed: z.array(z.object({ id: z.string(), text: z.string(), evidence })),
  resolved: z.array(z.string()),
  obsolete: z.array(z.string()),
}

const whole = {
  nextSteps: z.array(nextStep),
  summary: z.string(),
  currentTask: z.string(),
  phase: z.string(),
  resumeInstructions: z.string(),
}

const aboutCarried = { settled: z.array(z.object({ id: z.string(), event: z.string() })) }

/**
 * Schema of a model's answer, for a session (`updates` false) or for what is new in it. `carries`: the request shows
 * what earlier sessions left.
 */
export function wireSchema(kind: BundleKind, updates: boolean, carries = false): z.ZodObject {
  return z.object({
    ...common,
    ...ofKind[kind],
    ...(updates ? update : {}),
    ...(carries ? aboutCarried : {}),
    ...whole,
  })
}

/** `wireSchema` as plain JSON Schema (draft 7) without `$schema` and references. */
export function wireJsonSchema(kind: BundleKind, updates: boolean, carries = false): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(wireSchema(kind, updates, carries), { target: 'draft-7' })
  return schema
}

/**
 * Root of an answer as it is parsed: entries are checked one by one, so that a bad one does not cost the others. A
 * missing `settled` settles nothing.
 */
export function looseWireSchema(kind: BundleKind, updates: boolean): z.ZodObject {
  const lenient = Object.entries(wireSchema(kind, updates).shape).map(([name, field]) => [
    name,
    field instanceof z.ZodArray ? z.array(z.unknown()) : z.string().nullable(),
  ])
  return z.object({
    ...Object.fromEntries(lenient),
    settled: z.array(z.unknown()).optional().catch(undefined),
  })
}
