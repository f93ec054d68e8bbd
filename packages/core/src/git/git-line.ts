import { cleanLine, cleanText } from '../session/clean-text.ts'

export function shownPath(path: string): string {
  return cleanLine(path) === path && path !== '' ? path : cleanText(JSON.stringify(path))
}

export function shownNames(names: readonly string[], count = names.length, max = 5): string {
  const shown = names.slice(0, max)
  const more = count - shown.length
  return `${shown.map(shownPath).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

interface GitLine {
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

interface ShownFinding {
  readonly code: string
  readonly message: string
  readonly path?: string
}

/** Returns one line per finding, except for missing and changed files, whose names are joined. */
export function findingLines(findings: readonly ShownFinding[], maxNames = 12): string[] {
  const joined = (title: string, code: string): string[] => {
    const paths = findings.filter((finding) => finding.code === code).map(({ path = '' }) => path)
    return paths.length === 0 ? [] : [`- ${title}: ${shownNames(paths, paths.length, maxNames)}`]
  }
  return [
    ...findings.filter(({ path }) => path === undefined).map(({ message }) => `- ${message}`),
    ...joined('gone', 'file-gone'),
    ...joined('changed since', 'file-changed'),
  ]
}
