/** Where a bundle lies, as JSON. */
export function bundleKey(id: string): string {
  return `bundles/${id}.json`
}

/** Where the Markdown of a bundle lies. */
export function bundleMarkdownKey(id: string): string {
  return `bundles/${id}.md`
}

/** Prefix of the numbered history entries of a track. */
export function historyPrefix(track: string): string {
  return `tracks/${track}/log/`
}

/** Where entry `sequence` of a track's history lies; the order of keys is the order of numbers. */
export function historyKey(track: string, sequence: number): string {
  return `${historyPrefix(track)}${String(sequence).padStart(8, '0')}.json`
}

/** Track and number that a history key carries, or undefined for any other key. */
export function parseHistoryKey(
  key: string,
): { readonly track: string; readonly sequence: number } | undefined {
  const [, track, digits] = /^tracks\/([^/]+)\/log\/(\d{8})\.json$/.exec(key) ?? []
  return track === undefined ? undefined : { track, sequence: Number(digits) }
}

/** Where the pointer to a track's newest bundle lies. */
export function latestKey(track: string): string {
  return `tracks/${track}/LATEST.json`
}

/** Where the Markdown of a track's newest bundle lies, for people and agents that look into the folder. */
export function latestMarkdownKey(track: string): string {
  return `tracks/${track}/LATEST.md`
}
