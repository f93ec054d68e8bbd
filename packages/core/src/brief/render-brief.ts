import type { ContextBundle } from '../bundle/schema.ts'
import { tiktokenCounter } from '../tokens/tiktoken-counter.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'
import { type CountedBriefOptions, countedBrief } from './brief.ts'

/** How long a brief may be. */
export interface BriefOptions extends Omit<CountedBriefOptions, 'counter'> {
  /** @default the counter of `tiktokenCounter('o200k_base')` */
  readonly counter?: TokenCounter | undefined
}

/**
 * Renders a bundle into at most `maxTokens` for the next prompt: resume point and summary first, then what
 * binds (the user's last message, constraints), the current state, and the trail of the whole session, shortened to the remaining room. It is
 * marked as a record of a past session, so that its content is read as data. That of a large bundle takes a second, in
 * pauses of which the event loop does its other work.
 */
export async function renderBrief(bundle: ContextBundle, options: BriefOptions = {}): Promise<string> {
  const { counter = tiktokenCounter() } = options
  return await countedBrief(bundle, { ...options, counter })
}
