/** Returns the key of a bundle's JSON. */
export function bundleKey(id: string): string {
  return `bundles/${id}.json`
}

/** Returns the key of a bundle's Markdown. */
export function bundleMarkdownKey(id: string): string {
  return `bundles/${id}.md`
}

/** Returns the key of the entry that commits a bundle to a track; keys sort in the order of the track. */
export function historyKey(track: string, id: string): string {
  return `tracks/${track}/${id}.json`
}

/** Returns the key of a copy of a track's newest bundle, for people and programs that look into the folder. */
export function latestKey(track: string): string {
  return `tracks/${track}/LATEST.json`
}

export function latestMarkdownKey(track: string): string {
  return `tracks/${track}/LATEST.md`
}
