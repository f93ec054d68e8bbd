import type { SessionEvent } from '../session/event.ts'
import { eventText } from '../session/event-text.ts'
import { isHarnessText } from '../session/harness-text.ts'
import { atOnce, type Steps } from '../session/pauses.ts'
import type { Session } from '../session/session.ts'
import type { TokenCounter } from './token-counter.ts'

export const tokenCategories = [
  'user',
  'context',
  'assistant',
  'reasoning',
  'tool_call',
  'tool_result',
  'compaction',
] as const

/** Kind of a session's text, for a breakdown of its tokens. */
export type TokenCategory = (typeof tokenCategories)[number]

/** Source tokens of a session: each event's text counted once; copied history and the harness's text count 0. */
export interface SessionTokens {
  /** Name of the token counter. */
  readonly counter: string
  /** Total source tokens. */
  readonly total: number
  /** Tokens of each event, by position in `Session.events`. */
  readonly byEvent: readonly number[]
  /** Tokens by category of text. */
  readonly byCategory: ReadonlyMap<TokenCategory, number>
  /** Tokens by the id of the agent. */
  readonly byAgent: ReadonlyMap<string, number>
  /** Tokens of the harness's own text, each distinct text counted once; not part of the total. */
  readonly harness: number
}

/** Counts the source tokens of a session by event, category and agent. */
export function measureSession(session: Session, counter: TokenCounter): SessionTokens {
  return atOnce(measuringSteps(session, counter))
}

/** {@link measureSession} in steps that can pause at each event. */
export function* measuringSteps(session: Session, counter: TokenCounter): Steps<SessionTokens> {
  const byCategory = new Map<TokenCategory, number>(tokenCategories.map((category) => [category, 0]))
  const byAgent = new Map<string, number>(session.agents.map((agent) => [agent.id, 0]))
  const harnessTexts = new Set<string>()
  let harness = 0
  let total = 0
  const tokensOf = (event: SessionEvent): number => {
    const category = categoryOf(event)
    if (category === undefined || event.copied) return 0
    const text = eventText(event)
    if (isHarnessText(event)) {
      if (!harnessTexts.has(text)) harness += counter.count(text)
      harnessTexts.add(text)
      return 0
    }
    const tokens = counter.count(text)
    total += tokens
    byCategory.set(category, (byCategory.get(category) ?? 0) + tokens)
    byAgent.set(event.agent, (byAgent.get(event.agent) ?? 0) + tokens)
    return tokens
  }
  const byEvent: number[] = []
  for (const event of session.events) {
    byEvent.push(tokensOf(event))
    yield
  }
  return { counter: counter.name, total, byEvent, byCategory, byAgent, harness }
}

function categoryOf(event: SessionEvent): TokenCategory | undefined {
  switch (event.type) {
    case 'subagent_start':
    case 'subagent_end':
    case 'rewind':
    case 'other':
      return undefined
    default:
      return event.type
  }
}
