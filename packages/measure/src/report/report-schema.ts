import { bundleKinds } from '@tenfold/core/bundle'
import { z } from 'zod'

const count = z.number().int().nonnegative()
const share = z.number().min(0).max(1)
const money = z.strictObject({
  amount: z.number().nonnegative(),
  /** ISO 4217. */
  currency: z.string().regex(/^[A-Z]{3}$/),
  /** Set if the usage of a call is unknown. */
  atLeast: z.literal(true).optional(),
})

const scoreSchema = z.strictObject({ kept: count, of: count, missed: z.array(z.string()) })
/** `share`: the mean over the kinds that had anything to count. */
const scoresSchema = z.strictObject({ share: share.optional(), by: z.record(z.string(), scoreSchema) })

/** A bundle in a report. */
const reportRowSchema = z.strictObject({
  /** The caller's name for the log, or the id of its session. */
  log: z.string(),
  bundle: z.string(),
  sessionId: z.string(),
  title: z.string().optional(),
  /** Address of the session's page. */
  page: z.string().optional(),
  format: z.string(),
  /** The format with the version of the agent. */
  agent: z.string(),
  /** The agent's model. */
  model: z.string(),
  kind: z.enum(bundleKinds),
  /** Name of the agent's working folder. */
  project: z.string(),
  track: z.string(),
  summarizer: z.string(),
  /** When the session ended, ISO 8601. */
  endedAt: z.iso.datetime().optional(),
  /** Set if a later bundle of the same session, kind and track is in the report: only its cost counts. */
  superseded: z.literal(true).optional(),
  sourceTokens: count,
  bundleTokens: count,
  ratio: z.number().nonnegative(),
  band: z.enum(['within', 'below', 'small', 'verbatim']),
  cost: money.optional(),
  /** Why the first summarizer did not write the summary. */
  fallback: z.string().optional(),
  /** Number of statements that the bundle marks as not found in its log. */
  unverified: count,
  /** What the bundle was measured against. `bundle` means that its log was missing, so it was not measured. */
  measuredFrom: z.enum(['log', 'archive', 'bundle']),
  unmeasured: z.string().optional(),
  retention: scoresSchema.optional(),
  precision: scoresSchema.optional(),
  faithfulness: scoreSchema.optional(),
})

const failureSchema = z.strictObject({ log: z.string(), code: z.string(), message: z.string() })

const sizesSchema = z.strictObject({
  bundles: count,
  sourceTokens: count,
  bundleTokens: count,
  /** Absent without a bundle. */
  ratio: z.number().nonnegative().optional(),
  /** Mean over the measured bundles. */
  retention: share.optional(),
})

const groupSchema = z.strictObject({
  name: z.string(),
  all: sizesSchema,
  /** Sessions large enough for a ratio. */
  work: sizesSchema,
  /** Sessions too small for a ratio. `added`: tokens by which bundles exceed their sessions. */
  small: sizesSchema.extend({ added: count }),
  /** Sessions that an older version kept whole. */
  whole: sizesSchema,
  costs: z.array(money),
  measured: count,
  /** Means over the measured bundles. */
  precision: share.optional(),
  faithfulness: share.optional(),
})

const breachSchema = z.strictObject({
  limit: z.string(),
  /** Absent for a limit of the whole report. */
  log: z.string().optional(),
  value: z.number(),
  bound: z.number(),
  /** How far the value is beyond the bound. */
  by: z.number(),
  message: z.string(),
})

const changeSchema = z.strictObject({
  figure: z.string(),
  log: z.string().optional(),
  before: z.number(),
  after: z.number(),
  worse: z.boolean(),
})

const sumsSchema = z.record(z.string(), z.strictObject({ kept: count, of: count }))
const totalSchema = z.strictObject({ work: sumsSchema, small: sumsSchema })

/** Schema of a report, version 1. */
export const reportSchema = z.strictObject({
  schemaVersion: z.literal(1),
  totals: groupSchema,
  /** Sums by kind of fact and of statement, for real work and for small sessions. */
  retention: totalSchema,
  precision: totalSchema,
  groups: z.strictObject({
    format: z.array(groupSchema),
    agent: z.array(groupSchema),
    model: z.array(groupSchema),
    kind: z.array(groupSchema),
    project: z.array(groupSchema),
    summarizer: z.array(groupSchema),
  }),
  /** Exceeded limits. */
  breaches: z.array(breachSchema),
  /** Changes since the baseline. */
  comparison: z
    .strictObject({
      tolerance: z.number().nonnegative(),
      changes: z.array(changeSchema),
      added: z.array(z.string()),
      removed: z.array(z.string()),
    })
    .optional(),
  failures: z.array(failureSchema),
  rows: z.array(reportRowSchema),
})

/** Figures of one bundle. */
export type ReportRow = z.infer<typeof reportRowSchema>
/** Figures of bundles with the same agent, model or kind. */
export type ReportGroup = z.infer<typeof groupSchema>
export type ReportSizes = z.infer<typeof sizesSchema>
/** A log that could not be compressed or measured. */
export type ReportFailure = z.infer<typeof failureSchema>
/** A limit that a bundle or the whole report exceeds. */
export type ReportBreach = z.infer<typeof breachSchema>
/** Changes since an earlier report. */
export type ReportComparison = NonNullable<z.infer<typeof reportSchema>['comparison']>
/** The result of `report`, which the command writes as JSON. */
export type BundleReport = z.infer<typeof reportSchema>
export type GroupKey = keyof BundleReport['groups']
export const groupKeys = [
  'format',
  'agent',
  'model',
  'kind',
  'project',
  'summarizer',
] as const satisfies GroupKey[]

/** Checks a value against the schema of a report. Throws a TypeError with the first faults. */
export function parseReport(value: unknown): BundleReport {
  const result = reportSchema.safeParse(value)
  if (result.success) return result.data
  const faults = result.error.issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.join('.') || 'report'}: ${message}`)
  throw new TypeError(`not a valid report: ${faults.join('; ')}`)
}

/** The JSON Schema (draft 2020-12) of a report, which the package ships as `report.schema.json`. */
export function reportJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(reportSchema)
  return {
    $schema,
    title: 'Tenfold report',
    description: 'What many context bundles keep of their sessions, at what size and cost, schema version 1.',
    ...schema,
  }
}
