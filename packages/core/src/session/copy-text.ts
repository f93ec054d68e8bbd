/** The same text with memory of its own: V8 makes a slice of a text keep the whole of it in memory. */
export function copyText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le')
}
