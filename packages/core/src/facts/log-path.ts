import { isAbsolutePath } from '../shell/shell-runs.ts'

/** Converts a path from the log to the form of the facts. */
export type PathNormalizer = (path: string, folder?: string) => string | undefined

/**
 * Makes paths of a log comparable without touching the file system: `/` as separator, `.` and `..` resolved, and
 * relative to the session's cwd if they are below it. A relative path starts at `folder`, itself relative to the cwd or
 * absolute. Returns `undefined` for the cwd itself and for texts that are not paths.
 */
export function pathNormalizer(cwd: string | undefined): PathNormalizer {
  const windows = cwd !== undefined && /^(?:[A-Za-z]:|\\\\)/.test(cwd)
  const root = cwd === undefined ? undefined : resolveSegments(toSlashes(cwd, windows))
  const fold = (path: string) => (windows ? path.toLowerCase() : path)
  const home = /^((?:[A-Za-z]:)?\/(?:Users|home)\/[^/]+)(?:\/|$)/.exec(root ?? '')?.[1]
  const prefix = root === undefined ? undefined : fold(root.endsWith('/') ? root : `${root}/`)

  const absolute = (path: string): string => {
    const slashed = toSlashes(path, windows)
    if (home !== undefined && (slashed === '~' || slashed.startsWith('~/'))) return home + slashed.slice(1)
    return slashed
  }
  return (path, folder = '') => {
    if (path === '' || path.length > 1000 || /[\u0000-\u001f]/.test(path)) return undefined
    let full = absolute(path)
    if (!isAbsolutePath(full)) {
      const base = absolute(folder)
      const start = isAbsolutePath(base) ? base : [root ?? '', base].filter((part) => part !== '').join('/')
      full = start === '' ? full : `${start}/${full}`
    }
    const resolved = resolveSegments(full)
    if (resolved === '' || resolved === '/' || resolved === root) return undefined
    return prefix !== undefined && fold(resolved).startsWith(prefix)
      ? resolved.slice(prefix.length)
      : resolved
  }
}

function toSlashes(path: string, windows: boolean): string {
  if (!windows && !/^(?:[A-Za-z]:\\|\\\\)/.test(path)) return path
  // Git Bash writes `C:\a` as `/c/a`.
  return path
    .replaceAll('\\', '/')
    .replace(/^\/([A-Za-z])\//, (_, drive: string) => `${drive.toUpperCase()}:/`)
}

function resolveSegments(path: string): string {
  // Most paths have no empty segment, `.` or `..`.
  if (!/\/\.{0,2}(?:\/|$)|^\.{0,2}(?:\/|$)/.test(path.startsWith('/') ? path.slice(1) : path)) return path
  const absolute = path.startsWith('/')
  const segments: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment === '..' && segments.length > 0 && segments.at(-1) !== '..') segments.pop()
    else if (segment !== '..' || !absolute) segments.push(segment)
  }
  return (absolute ? '/' : '') + segments.join('/')
}

/**
 * Whether a path is long tool output that the agent saved in its own file, and not a file of the project:
 * `~/.claude/projects/…/tool-results/b1c2.txt`.
 */
export function isSpilledOutput(path: string): boolean {
  return /(?:^|[\\/])(?:tool[-_](?:results?|outputs?)|agent-tools)[\\/]/.test(path) && outside.test(path)
}

/** Agents keep their own files in a hidden folder, or with other temporary files. */
const outside = /[\\/]\.[\w-]|[\\/](?:tmp|temp|var)[\\/]/i
