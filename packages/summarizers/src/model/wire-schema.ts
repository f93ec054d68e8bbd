import { itemForm, type StatementKey, type WrittenForm } from '@tenfold/core/internal/summarizer'
import type { BundleKind } from '@tenfold/core/summarizer'
import * as z from 'zod/mini'

// The subset of JSON Schema that all providers take: one closed root object, every field required, nullable instead of
// optional and only where '' would not do, no records, tuples, unions or limits of length, no references.

const text = z.string()
const ids = z.array(text)

/** A statement of a list of the bundle, in the form of its schema. */
function statement(key: StatementKey): z.ZodMiniType {
  const { of } = itemForm(key)
  const fields = Object.entries(of).filter(([, { holds }]) => holds !== 'time' && holds !== 'flag')
  const shape = fields.map(([name, form]) => [name, name === 'command' ? z.nullable(text) : fieldOf(form)])
  return z.object({ ...Object.fromEntries(shape), evidence: ids })
}

function fieldOf(form: WrittenForm): z.ZodMiniType {
  if (form.holds === 'choice') return z.enum(form.of)
  return form.holds === 'list' ? z.array(fieldOf(form.of)) : text
}

/** Lists of the bundle. */
function lists(...keys: readonly StatementKey[]): Record<string, z.ZodMiniType> {
  return Object.fromEntries(keys.map((key) => [key, z.array(statement(key))]))
}

/** What the short instructions do not ask for. */
const onlyLong: ReadonlySet<string> = new Set(['blockers', 'rules', 'otherRules', 'fileReasons'])

const ofKind: Readonly<Record<BundleKind, () => Record<string, z.ZodMiniType>>> = {
  context: () => ({}),
  plan: () => ({ approach: text, ...lists('steps', 'risks') }),
  progress: () => ({ currentState: text, ...lists('inProgress') }),
  research: () => ({ researchDecision: text }),
}

export interface WireForm {
  /** The answer says what is new in a session, beside an earlier summary. @default false */
  readonly updates?: boolean | undefined
  /** The request shows what earlier sessions left. @default false */
  readonly carries?: boolean | undefined
  /** The form for few source tokens. @default false */
  readonly short?: boolean | undefined
}

/** Schema of a model's answer: the lists first, because the overview rests on them. */
export function wireSchema(kind: BundleKind, { updates, carries, short }: WireForm = {}): z.ZodMiniObject {
  const evidence = ids
  const shape: Record<string, z.ZodMiniType> = {
    ...lists('tasksCompleted', 'tasksRemaining', 'blockers', 'findings', 'decisions', 'constraints'),
    rules: ids,
    otherRules: z.array(z.object({ text, evidence })),
    ...lists('openQuestions'),
    fileReasons: z.array(z.object({ path: text, reason: text })),
    ...ofKind[kind](),
    ...(updates === true && {
      changed: z.array(z.object({ id: text, text, evidence })),
      resolved: ids,
      obsolete: ids,
    }),
    ...(carries === true && { settled: z.array(z.object({ id: text, event: text })) }),
    ...lists('nextSteps'),
    summary: text,
    currentTask: text,
    phase: text,
    resumeInstructions: text,
  }
  const asked = Object.entries(shape).filter(([name]) => short !== true || !onlyLong.has(name))
  return z.object(Object.fromEntries(asked))
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
    return [name, short === true && onlyLong.has(name) ? z.optional(loose) : loose]
  })
  return z.object({
    ...Object.fromEntries(lenient),
    settled: z.catch(z.optional(z.array(z.unknown())), undefined),
  })
}
