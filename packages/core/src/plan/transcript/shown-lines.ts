import type { EventId } from '../../session/event.ts'

/** A shorter line, such as a bracket, says nothing by itself: it follows the lines around it. */
const minLine = 12
/** Fewer characters are not worth a mark. */
const minRun = 60

/** Leaves out of a text what earlier texts have shown. */
export type Unshown = (text: string, event: EventId) => string

/**
 * Remembers the lines of the texts that it is given, and replaces those that an earlier text had with a mark: a file
 * that is read again, or after it was written, output that is printed again, reminders of the harness.
 */
export function shownLines(): Unshown {
  const shown = new Map<string, EventId>()
  return (text, event) => {
    const lines = text.split('\n')
    const kept: string[] = []
    let run: string[] = []
    let first: EventId | undefined
    const close = () => {
      const size = run.reduce((sum, line) => sum + line.length, 0)
      const mark = `(${run.length} ${run.length === 1 ? 'line' : 'lines'} as in ${first})`
      if (first === undefined || size < minRun) kept.push(...run)
      else kept.push(mark)
      run = []
      first = undefined
    }
    for (const line of lines) {
      const key = keyOf(line)
      const before = key.length < minLine ? undefined : shown.get(key)
      if (key.length >= minLine && before === undefined) shown.set(key, event)
      const isKnown = before !== undefined && before !== event
      if (isKnown) first ??= before
      if (isKnown || (key.length < minLine && run.length > 0)) run.push(line)
      else {
        close()
        kept.push(line)
      }
    }
    close()
    return kept.join('\n')
  }
}

/** A line without its number, the sign of a diff, and the place that a search puts before it. */
function keyOf(line: string): string {
  return line
    .slice(0, 400)
    .replace(/^[\w./@-]{1,200}:\d+[:-]|^\s*\d+\s*[→|:\t-]\s?/, '')
    .replace(/^[+-](?=\S|\s{2})/, '')
    .trim()
}
