import type { LineAccount } from '../../session/session.ts'

/** Results of a line, strongest first: a line that gave an event and a note counts as an event. */
export interface LineFate {
  event?: boolean
  other?: boolean
  note?: boolean
  absorbed?: string
}

/** Counts each line of a log exactly once. */
export function createLineAccount(): {
  /** Records the fate of `lines` lines; returns `false` if they gave nothing. */
  close(fate: LineFate, lines: number): boolean
  blank(lines: number): void
  /** Recounts a line that was absorbed for `reason` but gave an event after all. */
  move(reason: string, fate: 'events' | 'other'): void
  total(): LineAccount
} {
  const absorbed = new Map<string, number>()
  const counts = { lines: 0, events: 0, other: 0, notes: 0, blank: 0 }
  return {
    close(fate, lines) {
      counts.lines += lines
      if (fate.event) counts.events += lines
      else if (fate.other) counts.other += lines
      else if (fate.note) counts.notes += lines
      else if (fate.absorbed !== undefined)
        absorbed.set(fate.absorbed, (absorbed.get(fate.absorbed) ?? 0) + lines)
      else {
        counts.notes += lines
        return false
      }
      return true
    },
    blank(lines) {
      counts.lines += lines
      counts.blank += lines
    },
    move(reason, fate) {
      const left = (absorbed.get(reason) ?? 0) - 1
      if (left > 0) absorbed.set(reason, left)
      else absorbed.delete(reason)
      counts[fate] += 1
    },
    total: () => ({ ...counts, absorbed: [...absorbed] }),
  }
}
