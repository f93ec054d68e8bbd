import type { Decision } from '../bundle/session-summary.ts'
import { takesBack } from '../facts/answers/errands.ts'
import { eventIndex, type SessionEvent } from '../session/event.ts'

/** The decisions without those of a turn that the next one takes back, and those that a later one names as not taken. */
export function standing(decisions: readonly Decision[], events: readonly SessionEvent[]): Decision[] {
  const undone = new Set(
    events.flatMap((event) => (event.type === 'user' && takesBack.test(event.text) ? [event.turn - 1] : [])),
  )
  return decisions.filter(({ choice, evidence }, at) => {
    const said = evidence.map((id) => events[eventIndex(id)])
    if (said.some((event) => event?.type !== 'tool_result' && undone.has(event?.turn ?? -1))) return false
    const words = new Set(wordsIn(choice))
    const rejects = (alternative: string) => {
      const named = wordsIn(alternative).filter((word) => word.length > 2)
      return named.length >= 2 && words.size <= named.length * 4 && named.every((word) => words.has(word))
    }
    return !decisions.slice(at + 1).some(({ alternatives }) => alternatives.some(rejects))
  })
}

function wordsIn(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}
