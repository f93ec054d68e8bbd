import type { ContextBundle } from '../bundle/schema.ts'
import type { Facts } from '../facts/facts.ts'
import { isHarnessText } from '../session/harness-text.ts'
import type { Session } from '../session/session.ts'
import { carryOver } from './carry-over.ts'
import type { Memory } from './find-memory.ts'

/** Most words of the user, and of the agent, in a session that leaves nothing to remember. */
const maxUserWords = 4
const maxAgentWords = 80

/** A request of fewer words that got no answer asks for nothing in particular. */
const minRequestWords = 3

export interface MadeBundle {
  readonly session: Session
  readonly facts: Facts
  readonly bundle: ContextBundle
  readonly memory?: Memory | undefined
}

/**
 * Whether a session leaves nothing that a later one needs: a greeting, an empty log, a look at the brief. It called no
 * tool but those of this project, decided and required nothing, took nothing back, and begins with no summary of more.
 */
export function isTrivial({ session, facts, bundle, memory }: MadeBundle): boolean {
  const own = session.events.filter(
    (event) => event.copied !== true && event.inContext !== false && !isHarnessText(event),
  )
  // What a compaction sums up is in no other log if this one begins with it.
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

/** Names under which agents give the tools of an MCP server called tenfold. */
const ownTool = /(?:^|_)tenfold[-_]/i

function wordsIn(text: string): number {
  return (
    text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{1,2}|[\p{L}\p{N}]+/gu)?.length ?? 0
  )
}
