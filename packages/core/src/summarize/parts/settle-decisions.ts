import type { Decision, SessionSummary } from '../../bundle/session-summary.ts'
import { cleanLine } from '../../session/clean-text.ts'
import { eventIndex } from '../../session/event.ts'
import type { Note } from '../../session/note.ts'
import { shortLine } from '../../session/short-line.ts'
import { sameness } from '../summary-lists.ts'

/**
 * Settles decisions on one topic that differ, as parts of a session that were summarized alone may: the one with the
 * later evidence holds, with the earlier choice among its alternatives, and a note names both. What the user decided is
 * overruled only by the user.
 */
export function settleDecisions(summary: SessionSummary): {
  readonly summary: SessionSummary
  readonly notes: readonly Note[]
} {
  const notes: Note[] = []
  const kept: Decision[] = []
  for (const decision of summary.decisions) {
    const at = kept.findIndex((other) => contradicts(other, decision))
    const other = kept[at]
    if (other === undefined) {
      kept.push(decision)
      continue
    }
    const [earlier, later] = newest(other) <= newest(decision) ? [other, decision] : [decision, other]
    if (earlier.by === 'user' && later.by === 'agent') {
      kept.push(decision)
      continue
    }
    kept[at] = { ...later, alternatives: [...new Set([...later.alternatives, earlier.choice])] }
    notes.push({
      code: 'decision-overruled',
      message: cleanLine(
        `parts of the session disagree on ${shortLine(later.topic ?? '', 60)}: ${said(later)} holds over ${said(earlier)}`,
      ),
    })
  }
  return notes.length === 0 ? { summary, notes } : { summary: { ...summary, decisions: kept }, notes }
}

/** Whether two decisions are on the same topic and choose otherwise; one that turned the other down says so itself. */
function contradicts(a: Decision, b: Decision): boolean {
  if (a.topic === undefined || b.topic === undefined) return false
  return plain(a.topic) === plain(b.topic) && plain(a.choice) !== plain(b.choice)
}

function plain(text: string): string {
  return sameness({ text, evidence: [] })
}

function newest({ evidence }: Decision): number {
  return Math.max(-1, ...evidence.map(eventIndex))
}

function said({ choice, evidence }: Decision): string {
  const event = evidence.at(-1)
  return `"${shortLine(choice, 80)}"${event === undefined ? '' : ` (${event})`}`
}
