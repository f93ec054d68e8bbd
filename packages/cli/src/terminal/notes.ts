import type { Note } from '@tenfold/core'
import { cleanLine } from '@tenfold/core/internal'
import type { Terminal } from './terminal.ts'
import { formatNumberOf } from './text.ts'

const shownNotes = 10

/** Says on stderr what is odd about a log; the last line is often cut if its writer was killed. */
export function printNotes(notes: readonly Note[], terminal: Terminal): void {
  const most = terminal.verbose ? notes.length : shownNotes
  for (const { code, message, line, count } of notes.slice(0, most)) {
    const place = line === undefined ? '' : ` (line ${line})`
    const times = count === undefined || count === 1 ? '' : ` ×${count}`
    terminal.note(`note: ${cleanLine(`${code}${times}: ${message}`)}${place}`)
  }
  if (notes.length > most)
    terminal.note(`… and ${formatNumberOf(notes.length - most, 'more note')}; --verbose prints them`)
}
