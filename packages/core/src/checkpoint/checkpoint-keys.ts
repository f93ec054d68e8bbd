function checkpointPrefix(track: string): string {
  return `checkpoints/${track}/`
}

/** Returns the key of a checkpoint's JSON; the Markdown next to it is a view of it. */
export function checkpointKey(track: string, id: string): string {
  return `${checkpointPrefix(track)}${id}.json`
}

export function checkpointMarkdownKey(track: string, id: string): string {
  return `${checkpointPrefix(track)}${id}.md`
}

/** Key of a copy of the newest checkpoint of every track, for people and programs that look into the folder. */
export const checkpointLatestKey = 'checkpoints/LATEST.json'

/** Key of the same as Markdown. */
export const checkpointLatestMarkdownKey = 'checkpoints/LATEST.md'
