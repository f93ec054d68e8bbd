import * as z from 'zod/mini'
import { bundleKinds } from '../bundle/bundle-names.ts'
import { trackName } from '../bundle/fields.ts'
import { fileSchema } from '../bundle/schema.ts'
import { type FieldsForm, type WrittenForm, writtenForm } from '../bundle/section-contents.ts'
import { type SessionSummary, sessionSummarySchema } from '../bundle/session-summary.ts'
import { InvalidBundleError } from '../errors.ts'
import { lazySchema } from '../session/lazy-schema.ts'

const words = lazySchema(() => z.string().check(z.maxLength(100_000)))
const time = lazySchema(() => z.iso.datetime({ offset: true }))

/** A statement given as its text alone, or with more fields; fields that code adds cannot be given. */
type GivenItem<T> =
  | string
  | ({ [K in keyof T & Main]: string } & {
      [K in Exclude<keyof T, Main | 'evidence' | 'unverified'>]?: Given<T[K]> | undefined
    })
type Main = 'text' | 'choice' | 'action' | 'path'
type GivenFields<T> = { [K in keyof T]?: Given<T[K]> | undefined }
type Given<T> = T extends readonly (infer Item)[]
  ? (Item extends { evidence: unknown } ? GivenItem<Item> : Item)[]
  : T extends true
    ? boolean
    : T extends { done: number }
      ? T
      : T extends object
        ? GivenFields<T>
        : T

/** The fields of a summary, with those of `workflow` at the top level. */
type Said = Omit<SessionSummary, 'overview' | 'workflow' | 'fileReasons' | 'projectRules'> &
  SessionSummary['workflow'] & { files: GivenFile[] }
type GivenFile = Pick<z.infer<typeof fileSchema>, 'path' | 'status' | 'reason' | 'sections' | 'evidence'>

/** A description of a session without a log: summary, decisions, next steps, files. */
export type BundleFields = GivenFields<Said> & {
  /** @default 'context' */
  kind?: (typeof bundleKinds)[number] | undefined
  /** @default 'main' */
  track?: string | undefined
  task?: string | undefined
  title?: string | undefined
  sessionId?: string | undefined
  /** When the work ended. @default now */
  createdAt?: string | undefined
  cwd?: string | undefined
  summary?: string | undefined
  validation?:
    | { status: 'green' | 'failed' | 'unknown' | 'pending'; command?: string | undefined }
    | undefined
  /** @default the state of the repository in `cwd` */
  git?: { branch?: string | undefined; head?: string | undefined; dirty?: boolean | undefined } | undefined
}

export function saidForms(): { readonly [K in 'workflow' | 'rest' | 'files']: FieldsForm } {
  const { workflow, ...rest } = z.omit(sessionSummarySchema, {
    overview: true,
    fileReasons: true,
    projectRules: true,
  }).shape
  const file = z.pick(fileSchema, { path: true, status: true, reason: true, sections: true, evidence: true })
  return {
    workflow: writtenForm(workflow) as FieldsForm,
    rest: writtenForm(z.object(rest)) as FieldsForm,
    files: writtenForm(z.object({ files: z.array(file) })) as FieldsForm,
  }
}

export const bundleFieldsSchema = lazySchema(() => {
  const { workflow, rest, files } = saidForms()
  return z.strictObject({
    kind: z.optional(z.enum(bundleKinds)),
    track: z.optional(trackName),
    task: z.optional(words),
    title: z.optional(words),
    sessionId: z.optional(words),
    createdAt: z.optional(time),
    cwd: z.optional(words),
    summary: z.optional(words),
    ...shapeOf(workflow),
    ...shapeOf(rest),
    ...shapeOf(files),
    validation: z.optional(
      z.strictObject({
        status: z.enum(['green', 'failed', 'unknown', 'pending']),
        command: z.optional(words),
      }),
    ),
    git: z.optional(
      z.strictObject({ branch: z.optional(words), head: z.optional(words), dirty: z.optional(z.boolean()) }),
    ),
  }) as unknown as z.ZodMiniObject<{ [K in keyof BundleFields]-?: z.ZodMiniType<BundleFields[K]> }>
})

function shapeOf({ of, main }: FieldsForm): Record<string, z.ZodMiniType> {
  const isNeeded = (name: string, { holds }: WrittenForm) => name === main || holds === 'count'
  return Object.fromEntries(
    Object.entries(of).map(([name, form]) => {
      const field = givenSchema(form)
      return [name, isNeeded(name, form) ? field : z.optional(field)]
    }),
  )
}

function givenSchema(form: WrittenForm): z.ZodMiniType {
  if (form.holds === 'time') return time
  if (form.holds === 'flag') return z.boolean()
  if (form.holds === 'count') return z.int().check(z.nonnegative())
  if (form.holds === 'choice') return z.enum(form.of)
  if (form.holds === 'list') return z.array(givenSchema(form.of)).check(z.maxLength(5000))
  if (form.holds !== 'fields') return words
  const whole = z.strictObject(shapeOf(form))
  return form.main === undefined ? whole : z.union([words, whole])
}

/** Checks fields against the schema. Throws {@link InvalidBundleError} that names each invalid field. */
export function parseBundleFields(value: unknown): BundleFields {
  const result = bundleFieldsSchema.safeParse(value)
  if (result.success) return result.data as BundleFields
  const issues = result.error.issues.map((issue) => `${issue.path.join('.') || 'fields'}: ${issue.message}`)
  throw new InvalidBundleError(`not the fields of a bundle: ${issues.slice(0, 5).join('; ')}`, issues)
}
