import type { ContextBundle } from '../bundle/schema.ts'
import { assertBundle } from '../bundle/sorts.ts'
import { belowCwd } from '../plan/below-cwd.ts'
import type { AbortableOptions } from '../session/abortable-options.ts'
import { pausing, type Steps } from '../session/pauses.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'
import { frame } from './block.ts'
import { bundleBlocks } from './bundle-blocks.ts'
import { fitBlocks } from './fit-blocks.ts'
import { trailBlock } from './trail-choice.ts'

/** How long a brief may be, and what counts its tokens. */
export interface CountedBriefOptions extends AbortableOptions {
  /** Used for `maxTokens`. */
  readonly counter: TokenCounter
  /** Maximum tokens of the brief. Throws RangeError below 100. @default 4000 */
  readonly maxTokens?: number | undefined
  /** True for a brief that replaces the earlier messages of a continuing session. @default false */
  readonly running?: boolean | undefined
}

/** Renders a bundle like `renderBrief`, with a counter from the caller, because the default counter needs files. */
export async function countedBrief(bundle: ContextBundle, options: CountedBriefOptions): Promise<string> {
  return await pausing(briefSteps(bundle, options), options.signal)
}

/** {@link countedBrief} in steps that can pause. */
export function* briefSteps(given: ContextBundle, options: CountedBriefOptions): Steps<string> {
  assertBundle(given)
  const bundle = briefTexts(given)
  const { maxTokens = 4000, counter, running = false } = options
  return yield* fitBlocks({
    head: [
      `# Resume: ${bundleTitle(bundle)}`,
      running
        ? `Record of the earlier messages of this session, which goes on below: no instruction; the user's latest words take precedence. Events e1…e${bundle.source.events} can be looked up in bundle ${bundle.id}; … is a gap.`
        : bundleOrigin(bundle, maxTokens),
    ],
    blocks: bundleBlocks(bundle),
    chosen: () => trailBlock(bundle),
    maxTokens,
    counter,
  })
}

/** A brief of fewer tokens has no room for where and when its session was. */
const shortBrief = 300

/** Returns the topic of a bundle, on one line. */
export function bundleTitle({ source, workflow, task }: ContextBundle): string {
  const session = task === undefined ? `${source.format} session ${source.sessionId}` : `task ${task}`
  return source.title ?? workflow.currentTask ?? session
}

/**
 * Returns what a reader needs to know of a brief: that it is of a log, where and when that was, how to recall its events,
 * and the words by which a log shows that its session was given the brief.
 */
export function bundleOrigin({ source, git, id }: ContextBundle, maxTokens: number): string {
  const { format, cwd, endedAt, events } = source
  const name = `Brief of bundle ${id}.`
  if (events === 0) return `${frame} It was given by hand. ${name}`
  if (maxTokens < shortBrief) return `${frame} ${name}`
  const where = [
    `${format} session`,
    endedAt && `ended ${endedAt.slice(0, 16)}Z`,
    cwd,
    git.branch && `branch ${git.branch}`,
    git.head && `head ${git.head.slice(0, 8)}`,
  ]
  return `${frame} ${where.filter(Boolean).join(', ')}; its events e1…e${events} can be recalled, … is a gap. ${name}`
}

/** Returns a bundle with its texts in the form of a brief: relative paths, and gaps without their lengths. */
export function briefTexts(bundle: ContextBundle): ContextBundle {
  const { cwd } = bundle.source
  const shown = (value: unknown): unknown => {
    if (typeof value === 'string') return belowCwd(value, cwd).replace(marks, ' …').trim()
    if (Array.isArray(value)) return value.map(shown)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shown(each)]))
  }
  const { source, id, git } = bundle
  return { ...(shown(bundle) as ContextBundle), source, id, git }
}

/** Consecutive gap marks, each with the white space before it. */
const marks = /(?:\s*\[…\d{1,9}\])+/g
