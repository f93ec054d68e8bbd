import * as z from 'zod/mini'
import { InvalidBundleError } from '../errors.ts'
import { lazySchema } from '../session/lazy-schema.ts'
import { createdAtOf } from './bundle-id.ts'
import { bundleKinds, sessionStates } from './bundle-names.ts'
import { bundleId, eventId, idTime, line, text, trackName } from './fields.ts'
import { fileSchema } from './file-schema.ts'
import { refuseNewer } from './refuse-newer.ts'
import { sessionSummarySchema } from './session-summary.ts'

const count = lazySchema(() => z.int().check(z.nonnegative()))
const evidence = lazySchema(() => z.array(eventId))

/** Tokens that providers billed for the session; `input` includes the cache, `output` includes reasoning. */
export const usageSchema = lazySchema(() =>
  z.strictObject({
    inputTokens: z.optional(count),
    outputTokens: z.optional(count),
    cacheReadTokens: z.optional(count),
    cacheWriteTokens: z.optional(count),
    reasoningTokens: z.optional(count),
  }),
)

const sourceSchema = lazySchema(() =>
  z.strictObject({
    format: line,
    agentVersion: z.optional(line),
    sessionId: line,
    title: z.optional(line),
    startedAt: z.optional(z.iso.datetime()),
    endedAt: z.optional(z.iso.datetime()),
    cwd: z.optional(line),
    models: z.array(line),
    files: count,
    bytes: count,
    sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
    events: count,
    /** Digest of the parsed events. Lets a later run detect new ones in a log that has grown. */
    eventsDigest: z.optional(z.string().check(z.regex(/^[0-9a-f]{16}$/))),
    /** True if the store keeps the raw log, under `archiveKey(sha256)`. */
    archived: z.boolean(),
  }),
)

const projectRuleSchema = lazySchema(() =>
  z.strictObject({
    text: line,
    /** Where it is: a file, an issue, a hook. */
    source: line,
    evidence,
  }),
)

const commandSchema = lazySchema(() =>
  z.strictObject({
    command: line,
    status: z.enum(['ok', 'error', 'denied', 'cancelled', 'unknown']),
    exitCode: z.optional(z.int()),
    evidence,
  }),
)

const errorSchema = lazySchema(() =>
  z.strictObject({
    message: line,
    /** How it was solved, if known; an error without it is open. */
    resolution: z.optional(line),
    evidence,
  }),
)

const validationSchema = lazySchema(() =>
  z.strictObject({
    /** `stale`: files were edited after the check. Only bundles of earlier versions have `pending`. */
    status: z.enum(['green', 'failed', 'unknown', 'stale', 'pending']),
    /** How a stale check ended. */
    result: z.optional(z.enum(['green', 'failed', 'unknown'])),
    command: z.optional(line),
    evidence,
  }),
)

const gitSchema = lazySchema(() =>
  z.strictObject({
    branch: z.optional(line),
    head: z.optional(line),
    dirty: z.optional(z.boolean()),
    commits: z.array(z.strictObject({ sha: line, subject: z.optional(line), evidence })),
  }),
)

/**
 * An excerpt of the log. `[…N]` marks N omitted tokens; a run of similar calls is one entry from `event` to `until`.
 */
const trailEntrySchema = lazySchema(() =>
  z.strictObject({
    event: eventId,
    until: z.optional(eventId),
    agent: z.intersection(z.string().check(z.regex(/^\S+$/)), line),
    /** `user`, `assistant`, `context`, `compaction`, `reasoning`, or the name of the tool. */
    label: z.intersection(z.string().check(z.regex(/^[^\s:]+$/)), line),
    text,
  }),
)

const summarizerCallSchema = lazySchema(() =>
  z.strictObject({
    summarizer: line,
    model: z.optional(line),
    purpose: z.optional(line),
    requestId: z.optional(line),
    stop: z.optional(line),
    tier: z.optional(z.literal('batch')),
    durationMs: z.optional(count),
    error: z.optional(line),
    usage: usageSchema,
  }),
)

const compressionSchema = lazySchema(() =>
  z.strictObject({
    counter: line,
    sourceTokens: count,
    bundleTokens: count,
    /** bundleTokens / sourceTokens, four decimals. */
    ratio: z.number().check(z.nonnegative()),
    /** `small`: too small for the ratio, kept within the limit of small sessions. `verbatim`: kept whole by an older version. */
    band: z.enum(['within', 'below', 'small', 'verbatim']),
    summarizer: line,
    model: z.optional(line),
    promptVersion: z.optional(line),
    /** Source tokens that the summarizer read. */
    readTokens: count,
    /** Items of the session summary flagged `unverified`. */
    unverified: count,
    calls: z.array(summarizerCallSchema),
    /** Summed over the calls, absent if there are none; the sum has a field if any call has it. */
    usage: z.optional(usageSchema),
    /** From the price table; absent if a call has no price. */
    cost: z.optional(
      z.strictObject({
        amount: z.number().check(z.nonnegative()),
        /** ISO 4217. */
        currency: z.string().check(z.regex(/^[A-Z]{3}$/)),
        /** Date of the prices. */
        pricesOf: z.iso.date(),
        /** Set if the usage of a call is unknown. */
        atLeast: z.optional(z.literal(true)),
      }),
    ),
    /** Why a summarizer other than the first wrote the summary. */
    fallback: z.optional(line),
  }),
)

const noteSchema = lazySchema(() =>
  z.strictObject({
    code: z.string().check(z.regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)),
    message: line,
    file: z.optional(line),
    line: z.optional(count),
    count: z.optional(count),
  }),
)

/** A statement of an earlier bundle of the same project that still holds. */
const carriedSchema = lazySchema(() =>
  z.strictObject({
    as: z.enum(['constraint', 'rule', 'decision', 'step']),
    text: line,
    /** Next command of a step; shown, never run. */
    command: z.optional(line),
    /** Id of the bundle of the session that said it. */
    from: bundleId,
  }),
)

/** Schema of a context bundle, version 1. https://json-schema.org form: `bundle.schema.json` in the package. */
export const bundleSchema = lazySchema(() =>
  z
    .strictObject({
      schemaVersion: z.literal(1),
      id: bundleId,
      kind: z.enum(bundleKinds),
      track: trackName,
      /** When the bundle was made; in a store when its session ended, so that bundles sort by it. */
      createdAt: idTime,
      /** Id of the task that bundles of several phases belong to. */
      task: z.optional(line),
      /** Id of the bundle that this one continues: an earlier one of the session, or that whose brief it was given. */
      previous: z.optional(bundleId),
      source: sourceSchema,
      /**
       * Computed from the last turns; absent in bundles of earlier versions, and if nobody worked or asked for anything.
       */
      state: z.optional(z.enum(sessionStates)),
      summary: text,
      ...z.omit(sessionSummarySchema, { overview: true, fileReasons: true, projectRules: true }).shape,
      /** What still holds of the bundle whose brief the session was given; absent if nothing does. */
      carried: z.optional(z.array(carriedSchema)),
      /** Rules that the session read in files, issues and comments: what they say, not words of the user. */
      projectRules: z._default(z.array(projectRuleSchema), []),
      files: z.array(fileSchema),
      commands: z.array(commandSchema),
      errors: z.array(errorSchema),
      validation: z.optional(validationSchema),
      git: gitSchema,
      /** Exact names in the log that occur nowhere else in the bundle, most used first: terms to search the log for. */
      identifiers: z.array(line),
      usage: z.strictObject({
        total: usageSchema,
        /** Empty if there is only one agent. */
        byAgent: z.array(z.extend(usageSchema, { agent: line })),
        /** Empty if there is only one model. */
        byModel: z.array(z.extend(usageSchema, { model: line })),
      }),
      trail: z.array(trailEntrySchema),
      compression: compressionSchema,
      notes: z.array(noteSchema),
    })
    .check(
      z.superRefine((bundle, context) => {
        if (createdAtOf(bundle.id) !== bundle.createdAt)
          context.addIssue({
            code: 'custom',
            path: ['id'],
            message: 'expected the time of createdAt in the id',
          })
        for (const kind of ['plan', 'progress', 'research'] as const)
          if ((bundle[kind] !== undefined) !== (bundle.kind === kind))
            context.addIssue({
              code: 'custom',
              path: [kind],
              message: `expected in bundles of kind ${kind}, and only there`,
            })
        const ratio = compressionRatio(bundle.compression)
        if (bundle.compression.ratio !== ratio)
          context.addIssue({ code: 'custom', path: ['compression', 'ratio'], message: `expected ${ratio}` })
      }),
    ),
)

/** What is kept of a session: facts, the session summary, and the trail. Its entries have names of their own. */
export interface ContextBundle extends z.infer<typeof bundleSchema> {}

/** An excerpt of the log, verbatim. */
export interface TrailEntry extends z.infer<typeof trailEntrySchema> {}
export type BundleCost = NonNullable<z.infer<typeof compressionSchema>['cost']>
export type BundleUsage = z.infer<typeof usageSchema>

/**
 * Returns bundleTokens / sourceTokens to four decimals, rounded up so that it never looks smaller than it is; 0 without
 * a source.
 */
export function compressionRatio(tokens: { bundleTokens: number; sourceTokens: number }): number {
  return tokens.sourceTokens === 0
    ? 0
    : Math.ceil((tokens.bundleTokens / tokens.sourceTokens) * 10_000) / 10_000
}

/**
 * Checks a value against the schema. Throws {@link InvalidBundleError} that names each invalid field, or says that a
 * newer version wrote the bundle.
 */
export function parseBundle(value: unknown): ContextBundle {
  refuseNewer(value)
  const result = bundleSchema.safeParse(value)
  if (result.success) return result.data
  const issues = result.error.issues.map((issue) => `${issue.path.join('.') || 'bundle'}: ${issue.message}`)
  throw new InvalidBundleError(`not a valid context bundle: ${issues.slice(0, 5).join('; ')}`, issues)
}

/**
 * Returns the JSON Schema (draft 2020-12) of a bundle, made from the zod schema; `bundle.schema.json` of the package is
 * this.
 */
export function bundleJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(bundleSchema, { unrepresentable: 'any' })
  return {
    $schema,
    title: 'Tenfold context bundle',
    description:
      "Record of an AI agent's session in 5-10 % of its tokens, schema version 1. In addition to this schema, a bundle of kind plan, progress or research has the section of that name and no other, its id carries the time of createdAt, texts are without control characters, and ratio is bundleTokens / sourceTokens rounded up to four decimals.",
    ...schema,
  }
}
