import type { ContextBundle } from '../bundle/schema.ts'
import type { Facts } from '../facts/facts.ts'
import { isHarnessText } from '../session/harness-text.ts'
import type { Session } from '../session/session.ts'
import { carryOver } from './carry-over.ts'
import type { Memory } from './find-memory.ts'

/** Maximum number of words of the user and of the agent in a trivial session. */
const maxUserWords = 4
const maxAgentWords = 80

/** An unanswered request of fewer words asks for nothing specific. */
const minRequestWords = 3

export interface MadeBundle {
  readonly session: Session
  readonly facts: Facts
  readonly bundle: ContextBundle
  readonly memory?: Memory | undefined
}

/**
 * Whether a session leaves nothing that a later one needs: a greeting, an empty log, a look at the brief. Such a
 * session called no tools but Tenfold's own, decided, required and revoked nothing, and does not begin with a summary.
 */
export function isTrivial({ session, facts, bundle, memory }: MadeBundle): boolean {
  const own = session.events.filter(
    (event) => event.copied !== true && event.inContext !== false && !isHarnessText(event),
  )
  // If the log begins with a compaction, no other log has what the compaction summarizes.
  if (own.some((event) => event.type === 'compaction' && event.text.trim() !== '')) return false
  if (own.some((event) => event.type === 'tool_call' && !ownTool.test(event.name))) return false
  if (own.some((event) => event.type === 'user' && (event.images ?? 0) > 0)) return false
  const words = (type: 'user' | 'assistant') =>
    own.reduce((sum, event) => sum + (event.type === type ? wordsIn(event.text) : 0), 0)
  const asked = words('user')
  if (asked > maxUserWords || words('assistant') > maxAgentWords) return false
  if (facts.constraintCandidates.length > 0 || facts.answers.length > 0) return false
  if (bundle.decisions.length > 0 || bundle.constraints.length > 0) return false
  const { state } = bundle
  const unanswered = state === 'interrupted' || state === 'failed' || state === 'in-progress'
  if (unanswered && asked >= minRequestWords) return false
  const parent = memory?.parent
  return parent === undefined || carryOver(parent, session, facts, bundle).settled.length === 0
}

/** Names under which agents list the tools of an MCP server called tenfold. */
const ownTool = /(?:^|_)tenfold[-_]/i

function wordsIn(text: string): number {
  return (
    text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{1,2}|[\p{L}\p{N}]+/gu)?.length ?? 0
  )
}
