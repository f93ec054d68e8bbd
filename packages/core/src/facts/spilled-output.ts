/**
 * Whether a path is output of a tool that the agent put into a file of its own for its length, and not a file of the
 * project: `~/.claude/projects/…/tool-results/b1c2.txt`.
 */
export function isSpilledOutput(path: string): boolean {
  return /(?:^|[\\/])(?:tool[-_](?:results?|outputs?)|agent-tools)[\\/]/.test(path) && outside.test(path)
}

/** Agents keep their own files in a hidden folder, or with other temporary files. */
const outside = /[\\/]\.[\w-]|[\\/](?:tmp|temp|var)[\\/]/i
