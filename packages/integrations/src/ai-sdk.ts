import { type BundleStore, compressOnce } from '@tenfold/core'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import type { CompactOptions } from './compact.ts'
import { type CompactWhenOptions, compactWhen } from './compact-when.ts'
import { type RecallToolOptions, recallDescription, recallParameters, recallText } from './recall.ts'

/**
 * Returns a `prepareStep` for `generateText`, `streamText` or an agent of the AI SDK (6 and 7) that keeps one conversation
 * below a size. See {@link compactWhen}.
 */
export function compactSteps(
  options: CompactWhenOptions,
): <M extends object>(step: { readonly messages: readonly M[] }) => Promise<{ messages: M[] }> {
  const keepSmall = compactWhen(options)
  return async ({ messages }) => ({ messages: [...(await keepSmall(messages))] })
}

/** Where a finished run is saved. */
export interface SaveSessionOptions
  extends Pick<CompactOptions, 'track' | 'summarizer' | 'redactors' | 'counter'> {
  /** Gets the bundle and the archived messages. */
  readonly store: BundleStore
  /** The value that was passed to the AI SDK as `messages` or `prompt`. */
  readonly messages: readonly object[] | string
}

/** Returns an `onFinish` that compresses the whole session into the store, with the usage of each step. */
export function saveSession({
  messages,
  summarizer = extractiveSummarizer(),
  ...options
}: SaveSessionOptions): (event: { readonly steps: readonly object[] }) => Promise<void> {
  const asked = typeof messages === 'string' ? [{ role: 'user', content: messages }] : messages
  return async ({ steps }) => {
    await compressOnce({ parsed: [...asked, ...steps] }, { ...options, summarizer })
  }
}

/** Returns the tool `recall` for the option `tools` of the AI SDK: `tools: { ...yours, ...recallTool({ store }) }`. */
export function recallTool(options: RecallToolOptions) {
  return {
    recall: {
      description: recallDescription,
      inputSchema: recallParameters,
      execute: ({ query }: { query: string }) => recallText(options, query),
    },
  }
}
