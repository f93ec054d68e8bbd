/** Quotes a text, so that no line of it reads as a heading of the brief. */
export function quote(text: string): string {
  return text === ''
    ? ''
    : text
        .split('\n')
        .map((line) => (line === '' ? '>' : `> ${line}`))
        .join('\n')
}
