import { type BundleStore, compressOnce, renderBrief, type Summarizer } from '@tenfold/core'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import {
  type RecallToolOptions,
  recallDescription,
  recallName,
  recallParameters,
  recallText,
} from './recall.ts'

/** Where sessions are saved, and how large the brief of the next session may be. */
export interface TenfoldHooksOptions {
  /** The store for the bundles, from which the next session's brief is made. */
  readonly store: BundleStore
  /** @default 'main' */
  readonly track?: string | undefined
  /** @default extractiveSummarizer() */
  readonly summarizer?: Summarizer | readonly Summarizer[] | undefined
  /** Maximum tokens of the brief that a new session gets. @default 2000 */
  readonly maxTokens?: number | undefined
  /** Called if a hook fails, which never fails the session. @default emits a process warning */
  readonly onError?: ((error: unknown) => void) | undefined
}

interface HookInput {
  readonly session_id: string
  readonly transcript_path: string
}

interface HookOutput {
  readonly hookSpecificOutput?: { hookEventName: 'UserPromptSubmit'; additionalContext: string }
}

/**
 * Returns the option `hooks` of `query()`. The first prompt of a session gets the brief of the last session. The
 * session is compressed into the store before each `recall` and each compaction, and when an answer is complete.
 */
export function tenfoldHooks({
  store,
  track = 'main',
  summarizer = extractiveSummarizer(),
  maxTokens = 2000,
  onError = (error) => process.emitWarning(`tenfold: ${error instanceof Error ? error.message : error}`),
}: TenfoldHooksOptions) {
  const safely = (run: (input: HookInput) => Promise<HookOutput>) => ({
    hooks: [
      async (input: HookInput) => {
        try {
          return await run(input)
        } catch (error) {
          onError(error)
          return {}
        }
      },
    ],
  })
  const given = new Set<string>()
  // The SDK calls no function at SessionStart, so the brief is given with the session's first prompt.
  const brief = safely(async ({ session_id }) => {
    if (given.has(session_id)) return {}
    given.add(session_id)
    const latest = await store.latest(track)
    if (latest === undefined || latest.bundle.source.sessionId === session_id) return {}
    const additionalContext = await renderBrief(latest.bundle, { maxTokens })
    return { hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext } }
  })
  const save = safely(async ({ transcript_path }) => {
    await compressOnce(transcript_path, { store, track, summarizer })
    return {}
  })
  const beforeRecall = { ...save, matcher: `mcp__.*__${recallName}` }
  return { UserPromptSubmit: [brief], PreToolUse: [beforeRecall], PreCompact: [save], Stop: [save] }
}

/** Returns the arguments of the Claude Agent SDK's `tool()` for the tool `recall`: `tool(...recallTool({ store }))`. */
export function recallTool(options: RecallToolOptions) {
  const answer = async ({ query }: { query: string }) => ({
    content: [{ type: 'text' as const, text: await recallText(options, query) }],
  })
  return [recallName, recallDescription, recallParameters.shape, answer] as const
}
