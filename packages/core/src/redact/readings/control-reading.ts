import type { Reading } from './reading.ts'

/** An operating system command of a terminal (ECMA-48): a title, a link, text for the clipboard. */
const command = /\u001b\]([^\u0007\u001b\u009c\n]{1,2048})(?:\u0007|\u001b\\|\u009c)/g

/** Control strings that a terminal takes without showing them, each by itself: `squeeze` removes them from the text. */
export function controlReadings(text: string): Reading[] {
  if (!text.includes('\u001b]')) return []
  return Array.from(text.matchAll(command), (match) => {
    const offset = match.index + 2
    return {
      text: match[1] as string,
      spans: ({ start, end }) => [{ start: start + offset, end: end + offset }],
    }
  })
}
