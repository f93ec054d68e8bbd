/** Text that means itself in HTML, in an element and in a quoted attribute. */
export function escapeText(text: string): string {
  return text.replace(/[<>&"']/g, (char) => `&#${char.charCodeAt(0)};`)
}
