import type { BundleKind } from '@tenfold/core/summarizer'
import * as z from 'zod/mini'

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

const nextStep = z.object({ action: z.string(), command: z.nullable(z.string()), evidence })

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

/** What the short instructions do not ask for. */
const onlyLong = { blockers: true, rules: true, otherRules: true, fileReasons: true } as const

const ofKind = {
  context: {},
  plan: { approach: z.string(), steps: items, risks: items },
  progress: { currentState: z.string(), inProgress: items },
  research: { researchDecision: z.string() },
} satisfies Record<BundleKind, z.core.$ZodShape>

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

export interface WireForm {
  /** The answer says what is new in a session, beside an earlier summary. @default false */
  readonly updates?: boolean | undefined
  /** The request shows what earlier sessions left. @default false */
  readonly carries?: boolean | undefined
  /** The form for few source tokens. @default false */
  readonly short?: boolean | undefined
}

/** Schema of a model's answer. */
export function wireSchema(kind: BundleKind, { updates, carries, short }: WireForm = {}): z.ZodMiniObject {
  const schema = z.object({
    ...common,
    ...ofKind[kind],
    ...(updates === true ? update : {}),
    ...(carries === true ? aboutCarried : {}),
    ...whole,
  })
  return short === true ? z.omit(schema, onlyLong) : schema
}

/** `wireSchema` as plain JSON Schema (draft 7) without `$schema` and references. */
export function wireJsonSchema(kind: BundleKind, form: WireForm = {}): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(wireSchema(kind, form), { target: 'draft-7' })
  return schema
}

/**
 * Root of an answer as it is parsed: entries are checked one by one, so that a bad one does not cost the others. A
 * missing `settled` settles nothing; what the short form does not ask for may come all the same.
 */
export function looseWireSchema(kind: BundleKind, { updates, short }: WireForm = {}): z.ZodMiniObject {
  const lenient = Object.entries(wireSchema(kind, { updates }).shape).map(([name, field]) => {
    const loose = field instanceof z.ZodMiniArray ? z.array(z.unknown()) : z.nullable(z.string())
    return [name, short === true && name in onlyLong ? z.optional(loose) : loose]
  })
  return z.object({
    ...Object.fromEntries(lenient),
    settled: z.catch(z.optional(z.array(z.unknown())), undefined),
  })
}
