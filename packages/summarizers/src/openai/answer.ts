import type { TokenUsage } from '@tenfold/core/summarizer'
import { known, stringOf } from '../provider/fields.ts'
import type { ModelReply } from '../provider/model.ts'
import type { ServerEvent } from './read-events.ts'

/** Known facts about an answer besides its text. */
export type AnswerFacts = Pick<ModelReply, 'usage' | 'model' | 'requestId'>

/** Collects what a server sends, so that everything received is known no matter when it stops. */
export interface Answer {
  /** Called with the id of the request if the head of the answer names one. */
  begin(requestId: string | undefined): void
  /** True if nothing more is needed. Throws ModelError if the server reports a failure. */
  add(event: ServerEvent): boolean
  /** Whether the text is complete, though more may be reported about it. */
  whole(): boolean
  facts(): AnswerFacts
  /** Throws ModelError if what arrived is not a reply. */
  reply(): ModelReply
}

/** Leaves out what is unknown. */
export function answerFacts(usage: TokenUsage, model: unknown, requestId: unknown): AnswerFacts {
  return { usage, ...known({ model: stringOf(model), requestId: stringOf(requestId) }) }
}
