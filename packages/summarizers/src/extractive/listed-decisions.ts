import { cleanLine, type TranscriptItem } from '@tenfold/core/summarizer'
import { type FoundDecision, shortest } from './choices.ts'
import { clip } from './sentences.ts'

const heading = /^\s{0,3}(?:#{1,6}\s+(.{1,80})|\*\*(.{1,80}?):?\*\*:?)\s*$/
const title =
  /^(?:\d+[.)]\s*)?(?:(?:key|main|important|design|architectur(?:e|al)|technical|product|implementation|user|my|our|the) ){0,3}decisions?(?: (?:made|taken|so far|record|log))?(?:\s*[(:].{0,40})?$/i
const listItem = /^(?:[-*•]|\d{1,2}[.)])\s+(\S.*)$/
/** A document with more decisions has a file of its own. */
const maxListed = 12

/**
 * Items of a list below a heading that calls them decisions, in a message of the user, an answer of the agent, or a plan
 * that the user handed over.
 */
export function listedDecisions({ type, label, text, event, agent }: TranscriptItem): FoundDecision[] {
  const isSaid = label === 'user' || label === 'plan' || type === 'assistant'
  if (agent !== 'main' || !isSaid || !/decision/i.test(text)) return []
  // An agent wrote the plan.
  const by = label === 'user' ? 'user' : 'agent'
  return itemsBelow(text).map((choice) => ({
    decision: { choice, alternatives: [], by, evidence: [event] },
    worth: 5,
  }))
}

function itemsBelow(text: string): string[] {
  const found: string[] = []
  let isOpen = false
  let isFenced = false
  for (const line of text.split('\n')) {
    if (/^\s*(?:```|~~~)/.test(line)) isFenced = !isFenced
    if (isFenced) continue
    const [, first, second] = heading.exec(line) ?? []
    const name = first ?? second
    if (name !== undefined) isOpen = title.test(name.replaceAll('*', '').trim())
    const [, words] = isOpen ? (listItem.exec(line) ?? []) : []
    const said = cleanLine(clip((words ?? '').replaceAll('**', ''), 300))
    if (said.length > shortest(said)) found.push(said)
  }
  return found.slice(0, maxListed)
}
