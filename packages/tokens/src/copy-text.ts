/** The same text with memory of its own: V8 makes a slice of a text keep the whole of it in memory. */
export function copyText(text: string): string {
  // One byte per character is enough for most texts.
  const copy = Buffer.from(text, 'latin1').toString('latin1')
  return copy === text ? copy : Buffer.from(text, 'utf16le').toString('utf16le')
}
