import { shownPath } from './shown-path.ts'

/** The content of a line about a repository; missing fields are left out. */
export interface GitLine {
  readonly branch?: string | undefined
  readonly head?: string | undefined
  readonly upstream?: string | undefined
  readonly ahead?: number | undefined
  readonly behind?: number | undefined
  readonly dirty?: boolean | undefined
  readonly changed?: number | undefined
}

/** `main at 0123456789ab`. */
export function branchAndHead({ branch, head }: Pick<GitLine, 'branch' | 'head'>): string {
  const name = branch === undefined ? 'detached head' : shownPath(branch)
  return head === undefined ? `${name}, no commit yet` : `${name} at ${head.slice(0, 12)}`
}

/** `main at 0123456789ab, 1 ahead and 0 behind origin/main, 2 files not committed`. */
export function gitLine(git: GitLine): string {
  const { upstream, ahead = 0, behind = 0, dirty, changed = 0 } = git
  const distance =
    upstream === undefined ? '' : `, ${ahead} ahead and ${behind} behind ${shownPath(upstream)}`
  const files = changed === 1 ? '1 file' : `${changed} files`
  const tree = dirty === undefined ? '' : `, ${dirty ? `${files} not committed` : 'clean'}`
  return `${branchAndHead(git)}${distance}${tree}`
}
