/** Returns the key of a bundle's JSON. */
export function bundleKey(id: string): string {
  return `bundles/${id}.json`
}

/** Returns the key of a bundle's Markdown. */
export function bundleMarkdownKey(id: string): string {
  return `bundles/${id}.md`
}

/** Returns the prefix of the numbered history entries of a track. */
export function historyPrefix(track: string): string {
  return `tracks/${track}/log/`
}

/** Returns the key of entry `sequence` in a track's history; keys sort in the order of their numbers. */
export function historyKey(track: string, sequence: number): string {
  return `${historyPrefix(track)}${String(sequence).padStart(8, '0')}.json`
}

/** Parses track and number from a history key; undefined for any other key. */
export function parseHistoryKey(
  key: string,
): { readonly track: string; readonly sequence: number } | undefined {
  const [, track, digits] = /^tracks\/([^/]+)\/log\/(\d{8})\.json$/.exec(key) ?? []
  return track === undefined ? undefined : { track, sequence: Number(digits) }
}

/** Returns the key of the pointer to a track's newest bundle. */
export function latestKey(track: string): string {
  return `tracks/${track}/LATEST.json`
}

/** Returns the key of the Markdown of a track's newest bundle, for people and agents that look into the folder. */
export function latestMarkdownKey(track: string): string {
  return `tracks/${track}/LATEST.md`
}
