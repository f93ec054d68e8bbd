import * as z from 'zod/mini'
import { lazySchema } from '../session/lazy-schema.ts'
import { createdAtOf } from './bundle-id.ts'
import { bundleKinds, sessionStates } from './bundle-names.ts'
import { compressionRatio, compressionSchema, usageSchema } from './compression-schema.ts'
import { bundleId, count, eventId, idTime, line, text, trackName } from './fields.ts'
import { sessionSummarySchema } from './session-summary.ts'

const evidence = lazySchema(() => z.array(eventId))

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
    /** Digest of the parsed events, by which a later run detects new events in a log that has grown. */
    eventsDigest: z.optional(z.string().check(z.regex(/^[0-9a-f]{16}$/))),
    /** True if the store keeps the raw log, under `archiveKey(sha256)`. */
    archived: z.boolean(),
  }),
)

const projectRuleSchema = lazySchema(() =>
  z.strictObject({
    text: line,
    /** Place of the rule: a file, an issue, a hook. */
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
    /** How the error was solved, if known; without it, the error counts as open. */
    resolution: z.optional(line),
    evidence,
  }),
)

const validationSchema = lazySchema(() =>
  z.strictObject({
    /** `stale`: files were edited after the check. Only bundles of earlier versions have `pending`. */
    status: z.enum(['green', 'failed', 'unknown', 'stale', 'pending']),
    /** Result of a stale check. */
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
    /** `folder` is the folder of the commit's repository, if it is not the session's. */
    commits: z.array(
      z.strictObject({ sha: line, subject: z.optional(line), folder: z.optional(line), evidence }),
    ),
  }),
)

/** An excerpt of the log. `[…N]` marks N omitted tokens; a run of similar calls is one entry from `event` to `until`. */
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

const noteSchema = lazySchema(() =>
  z.strictObject({
    code: z.string().check(z.regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)),
    message: line,
    file: z.optional(line),
    line: z.optional(count),
    count: z.optional(count),
  }),
)

const carriedSchema = lazySchema(() =>
  z.strictObject({
    as: z.enum(['constraint', 'rule', 'decision', 'step']),
    /** Begins with `Only tool output says:` if its session had the words only from tools. */
    text: line,
    /** Next command of a step; shown, never run. */
    command: z.optional(line),
    /** Id of the bundle in which the item first appeared. */
    from: bundleId,
  }),
)

/**
 * What the Markdown, which is fitted to the band, leaves out or shortens of the JSON, which keeps lists and texts
 * whole. Anything not listed here is shown unchanged.
 */
const shownSchema = lazySchema(() =>
  z.strictObject({
    /** Omitted keys of the front matter. */
    without: z.optional(z.array(line)),
    /** By section: the text that is shown; or the items, each as its position in the list, from 0, or in a shorter form. */
    sections: z.optional(
      z.record(z.string(), z.union([text, z.array(z.union([count, line, z.looseObject({})]))])),
    ),
  }),
)

/** Schema of a context bundle, version 1. As JSON Schema: `bundle.schema.json` of the package. */
export const bundleSchema = lazySchema(() =>
  z
    .strictObject({
      schemaVersion: z.literal(1),
      id: bundleId,
      kind: z.enum(bundleKinds),
      track: trackName,
      /** When the bundle was made; in a store, when its session ended, so that bundles sort by the end of their sessions. */
      createdAt: idTime,
      /** Id of a task that several bundles belong to. */
      task: z.optional(line),
      /** Id of the bundle that this one continues: an earlier one of the session, or the one whose brief it was given. */
      previous: z.optional(bundleId),
      source: sourceSchema,
      /** Computed from the last turns. Absent in bundles of earlier versions, and if there was neither work nor a request. */
      state: z.optional(z.enum(sessionStates)),
      summary: text,
      ...z.omit(sessionSummarySchema, { overview: true, fileReasons: true, projectRules: true }).shape,
      /** What still holds of the bundle whose brief the session was given; absent if nothing does. */
      carried: z.optional(z.array(carriedSchema)),
      /** Rules that the session read in files, issues and comments; not words of the user. */
      projectRules: z._default(z.array(projectRuleSchema), []),
      files: z.array(fileSchema),
      commands: z.array(commandSchema),
      errors: z.array(errorSchema),
      validation: z.optional(validationSchema),
      git: gitSchema,
      /** Exact names in the log that occur nowhere else in the Markdown, most used first: search terms for the log. */
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
      /** Absent if the Markdown holds everything. */
      shown: z.optional(shownSchema),
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

/** What is kept of a session: facts, the session summary, and the trail. The types of its entries are named below. */
export interface ContextBundle extends z.infer<typeof bundleSchema> {}

/** An excerpt of the log, verbatim. */
export interface TrailEntry extends z.infer<typeof trailEntrySchema> {}

/**
 * Returns the JSON Schema (draft 2020-12) of a bundle, made from the zod schema; the package has it as
 * `bundle.schema.json`.
 */
export function bundleJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(bundleSchema, { unrepresentable: 'any' })
  return {
    $schema,
    title: 'Tenfold context bundle',
    description:
      "Record of an AI agent's session, schema version 1. Its lists and texts are whole; its Markdown, fitted to 5-10 % of the session's tokens (bundleTokens), leaves out what the property shown says. In addition to this schema, a bundle of kind plan, progress or research has the section of that name and no other, its id carries the time of createdAt, texts are without control characters, and ratio is bundleTokens / sourceTokens rounded up to four decimals.",
    ...schema,
  }
}

export const fileSchema = lazySchema(() =>
  z.strictObject({
    path: line,
    /** `named`: mentioned, and given to or printed by a tool, but never opened. */
    status: z.enum(['created', 'modified', 'deleted', 'renamed', 'read', 'named']),
    from: z.optional(line),
    added: z.optional(count),
    removed: z.optional(count),
    reason: z.optional(line),
    /** The parts that were read, if not the whole file: `lines 120-180`, or headings. */
    sections: z.optional(z.array(line).check(z.minLength(1))),
    /** Functions, types and the like that the session's edits wrote or changed. */
    defines: z.optional(
      z.array(z.intersection(line, z.string().check(z.regex(/^[^\s,]+$/)))).check(z.minLength(1)),
    ),
    evidence: z.array(eventId),
  }),
)

// Named types for the entries of a bundle, so that an editor shows the name instead of the whole object.

type Part<K extends keyof ContextBundle> = NonNullable<ContextBundle[K]>
type Entry<K extends 'files' | 'commands' | 'errors' | 'projectRules' | 'notes'> = ContextBundle[K][number]

/** The log that a bundle was made from. */
export interface BundleSource extends Part<'source'> {}
/** A file of the session, with the events that show what happened to it. */
export interface BundleFile extends Entry<'files'> {}
/** A command that ran, and how it ended. */
export interface BundleCommand extends Entry<'commands'> {}
/** An error of the session; it is open if it has no resolution. */
export interface BundleError extends Entry<'errors'> {}
/** The last check of the work. */
export interface BundleValidation extends Part<'validation'> {}
/** The branch, and the commits of the session. */
export interface BundleGit extends Part<'git'> {}
/** A rule that the session read in a file, an issue or a hook. */
export interface BundleProjectRule extends Entry<'projectRules'> {}
/** How a bundle was made: its sizes, the summarizer, its calls and their cost. */
export interface BundleCompression extends Part<'compression'> {}
/** Something odd in the log, or a problem while making the bundle. */
export interface BundleNote extends Entry<'notes'> {}
