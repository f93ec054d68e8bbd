import { tiktokenCounter } from '@tenfold/core'
import { type Compacted, type CompactOptions, compact } from './compact.ts'
import { messageCounter, sum } from './messages.ts'

/** When a conversation is compacted, and to what size. */
export interface CompactWhenOptions extends Omit<CompactOptions, 'maxTokens' | 'keepLast'> {
  /** Compact if the messages take more tokens than this. At least 2000. */
  readonly at: number
  /** Number of last messages that stay unchanged. @default 10 */
  readonly keep?: number | undefined
  /** Maximum tokens after a compaction. @default half of `at` */
  readonly maxTokens?: number | undefined
  /** Called after each compaction. */
  readonly onCompact?: ((compacted: Compacted<object>) => void) | undefined
}

/**
 * Returns a function that keeps one conversation below a size. Call it with all messages before each model call: it
 * returns them unchanged until they take more than `at` tokens, then replaces the older ones by a brief. Until the next
 * compaction, the returned messages begin with the same ones, so a prompt cache keeps its prefix.
 */
export function compactWhen(
  options: CompactWhenOptions,
): <M extends object>(messages: readonly M[]) => Promise<M[]> {
  const above = compactAbove(options)
  let last: { readonly covers: readonly object[]; readonly by: readonly object[] } | undefined
  return async <M extends object>(messages: readonly M[]) => {
    // A different or rewound conversation, for which the earlier brief is not valid.
    if (last !== undefined && !beginsWith(messages, last.covers)) last = undefined
    const shorter =
      last === undefined ? messages : [...(last.by as M[]), ...messages.slice(last.covers.length)]
    const compacted = await above(shorter)
    if (compacted.replaced > 0) last = { covers: [...messages], by: compacted.messages }
    return compacted.messages
  }
}

/** Returns a function that compacts messages if they take more than `at` tokens. */
export function compactAbove({
  at,
  keep,
  maxTokens = Math.floor(at / 2),
  counter = tiktokenCounter(),
  onCompact,
  ...rest
}: CompactWhenOptions): <M extends object>(messages: readonly M[]) => Promise<Compacted<M>> {
  if (!(at >= 2000)) throw new RangeError(`expected at to be at least 2000, got ${at}`)
  const sizeOf = messageCounter(counter)
  return async (messages) => {
    const tokens = sum(sizeOf(messages))
    if (tokens <= at) return { messages: [...messages], tokens, replaced: 0 }
    const compacted = await compact(messages, { ...rest, counter, maxTokens, keepLast: keep })
    if (compacted.replaced > 0) onCompact?.(compacted)
    return compacted
  }
}

function beginsWith(messages: readonly object[], first: readonly object[]): boolean {
  return first.length <= messages.length && first.every((message, index) => isSame(message, messages[index]))
}

/** Compares messages by content, because some frameworks copy them for each step. */
function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}
