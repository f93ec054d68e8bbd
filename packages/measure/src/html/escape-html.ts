/** Text as HTML, also between quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[<>&"']/g, (char) => `&#${char.charCodeAt(0)};`)
}

/** An address that a page may link to: a relative one, a file or a page of the web; undefined for all others. */
export function safeAddress(address: string): string | undefined {
  const clean = address.trim()
  const scheme = /^[a-z][a-z0-9+.-]*(?=:)/i.exec(clean)?.[0].toLowerCase()
  return scheme === undefined || ['http', 'https', 'file'].includes(scheme) ? clean : undefined
}
