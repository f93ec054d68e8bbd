import { dumpReadings } from './dump-reading.ts'
import { encodedReadings, escapedReadings } from './encoded-reading.ts'
import { joinedReadings } from './joined-reading.ts'
import { prefixedReadings } from './prefixed-reading.ts'
import type { Reading } from './reading.ts'

/**
 * Hidden contents of a text: titles and links of a terminal, bytes of a dump, literals that code joins, values
 * behind line numbers or diff signs, encoded texts.
 */
export function readingsOf(text: string): Reading[] {
  return [
    controlReadings,
    dumpReadings,
    joinedReadings,
    prefixedReadings,
    encodedReadings,
    escapedReadings,
  ].flatMap((read) => read(text))
}

/** An operating system command of a terminal (ECMA-48): a title, a link, text for the clipboard. */
const command = /\u001b\]([^\u0007\u001b\u009c\n]{1,2048})(?:\u0007|\u001b\\|\u009c)/g

/** Control strings that a terminal takes without showing them, each by itself: `squeeze` removes them from the text. */
function controlReadings(text: string): Reading[] {
  if (!text.includes('\u001b]')) return []
  return Array.from(text.matchAll(command), (match) => {
    const offset = match.index + 2
    return {
      text: match[1] as string,
      spans: ({ start, end }) => [{ start: start + offset, end: end + offset }],
    }
  })
}
