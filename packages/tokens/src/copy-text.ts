/** Copies a text into its own memory, because in V8 a slice keeps the whole text in memory. */
export function copyText(text: string): string {
  // One byte per character is enough for most texts.
  const copy = Buffer.from(text, 'latin1').toString('latin1')
  return copy === text ? copy : Buffer.from(text, 'utf16le').toString('utf16le')
}
