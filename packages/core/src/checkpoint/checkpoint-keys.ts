/** Returns the prefix of all objects of a track's checkpoints. */
export function checkpointPrefix(track: string): string {
  return `checkpoints/${track}/`
}

/** Returns the key of a checkpoint's JSON; the Markdown next to it is a view of it. */
export function checkpointKey(track: string, id: string): string {
  return `${checkpointPrefix(track)}${id}.json`
}

/** Returns the key of a checkpoint's Markdown. */
export function checkpointMarkdownKey(track: string, id: string): string {
  return `${checkpointPrefix(track)}${id}.md`
}

/** Returns the prefix of the numbered entries that commit the checkpoints of a track. */
export function checkpointLogPrefix(track: string): string {
  return `${checkpointPrefix(track)}log/`
}

/** Returns the track that the key of a numbered entry names, or undefined for any other key. */
export function trackOfLogKey(key: string): string | undefined {
  return /^checkpoints\/([^/]+)\/log\/\d{8}\.json$/.exec(key)?.[1]
}

/** Key of the pointer to the newest checkpoint of every track. */
export const checkpointLatestKey = 'checkpoints/LATEST.json'

/** Key of the same as Markdown, for people, and for agents that look into the folder. */
export const checkpointLatestMarkdownKey = 'checkpoints/LATEST.md'
