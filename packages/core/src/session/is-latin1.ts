/** Whether no character of a text is beyond Latin-1, so that a search for other scripts would find nothing. */
export function isLatin1(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0xff) return false
  return true
}
