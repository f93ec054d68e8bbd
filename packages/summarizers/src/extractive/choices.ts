import type { Decision, EventId } from '@tenfold/core/summarizer'
import { cleanLine } from '@tenfold/core/summarizer'
import { choiceCues } from './choice-cues.ts'
import { cueFinder } from './cues.ts'
import { clip } from './sentences.ts'

/** A decision found in the log's words, and how much it says: what says little is dropped first. */
export interface FoundDecision {
  readonly decision: Decision
  readonly worth: number
}

/** Which cues of a choice a text has. */
export const findChoiceCues = cueFinder(choiceCues)

/** Most choices that one text gives. */
export const maxInOneText = 4

/** Characters of the longest sentence that states a choice. */
export const longest = 400

/** Characters of the shortest sentence that says something; scripts without spaces need fewer. */
export function shortest(words: string): number {
  return /[\u2e80-\uffdc]/.test(words) ? 6 : 12
}

/**
 * A sentence as a decision: the text after its reason's cue is the rationale, after "instead of" the rejected
 * alternative.
 */
export function decisionIn(words: string, by: Decision['by'], event: EventId, about = ''): Decision {
  const text = cleanLine(words)
  const topic = clip(cleanLine(about), 160)
  const cues = findChoiceCues(text)
  const because = reasonAt(text, cues)
  const over = cues.get('instead') ?? -1
  // A reason this early leaves no choice before it.
  const splits = because > 24 && (over < 0 || over < because)
  const choice = (splits ? text.slice(0, because) : text).replace(/[\s,;:：–—-]+$/, '')
  return {
    ...(topic === '' ? {} : { topic }),
    choice: clip(choice, 300) || clip(text, 300),
    ...(splits ? { rationale: clip(text.slice(because).replace(/^because (?:of )?/i, ''), 200) } : {}),
    alternatives: over > 0 ? alternativeAfter(text, over) : [],
    by,
    evidence: [event],
  }
}

/** Position of the reason in a text, or -1: "since the last commit" is a time. */
export function reasonAt(text: string, cues = findChoiceCues(text)): number {
  const plain = text.replace(sinceWhen, (words) => ' '.repeat(words.length))
  return (plain === text ? cues : findChoiceCues(plain)).get('reason') ?? -1
}

const sinceWhen = /\bsince (?:the )?(?:last|previous|first|start|beginning|then|v?\d|yesterday|commit)\b/gi

/** The text after "instead of", up to the end of the clause. */
function alternativeAfter(text: string, at: number): string[] {
  const rest = text.slice(at)
  const cue = choiceCues.instead.find((candidate) => rest.toLowerCase().startsWith(candidate)) ?? ''
  if (cue === 'instead') return []
  const because = reasonAt(rest)
  const clause = (because > 0 ? rest.slice(0, because) : rest).slice(cue.length)
  const alternative = clip(clause.split(/[,;()。，]|\.(?:\s|$)/)[0] ?? '', 100)
  return alternative.length < 3 ? [] : [alternative]
}
