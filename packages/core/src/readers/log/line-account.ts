import type { LineAccount } from '../../session/session.ts'

/** Results of a line, strongest first: a line with an event and a note counts as an event. */
export type LineResult = { event?: boolean; other?: boolean; note?: boolean; absorbed?: string }

export function createLineAccount() {
  const absorbed = new Map<string, number>()
  const counts = { lines: 0, events: 0, other: 0, notes: 0, blank: 0 }
  return {
    /** Counts `lines` lines by their result; returns `false` if there was none. */
    close(result: LineResult, lines: number): boolean {
      counts.lines += lines
      if (result.event) counts.events += lines
      else if (result.other) counts.other += lines
      else if (result.note) counts.notes += lines
      else if (result.absorbed !== undefined)
        absorbed.set(result.absorbed, (absorbed.get(result.absorbed) ?? 0) + lines)
      else {
        counts.notes += lines
        return false
      }
      return true
    },
    blank(lines: number): void {
      counts.lines += lines
      counts.blank += lines
    },
    /** Recounts a line that was absorbed for `reason` but has an event after all. */
    move(reason: string, result: 'events' | 'other'): void {
      const left = (absorbed.get(reason) ?? 0) - 1
      if (left > 0) absorbed.set(reason, left)
      else absorbed.delete(reason)
      counts[result] += 1
    },
    total: (): LineAccount => ({ ...counts, absorbed: [...absorbed] }),
  }
}
