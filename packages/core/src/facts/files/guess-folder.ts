import type { ShellRun } from '../../shell/shell-runs.ts'
import { isAbsolutePath } from '../../shell/shell-runs.ts'
import type { ToolUse } from '../../tools/tool-uses.ts'
import { fileTouches } from './file-touches.ts'

/**
 * Guesses the folder of a session whose log does not name it: that below which its absolute paths end in its relative
 * ones with a folder. `undefined` if there is none, or more than one.
 */
export function guessFolder(
  uses: readonly ToolUse[],
  runs: ReadonlyMap<ToolUse, ShellRun>,
): string | undefined {
  const absolute = new Set<string>()
  const relative = new Set<string>()
  for (const use of uses) {
    for (const { path: written, folder = '' } of fileTouches(use, runs.get(use))) {
      const path = written.replace(/^\.\//, '')
      if (path.startsWith('/')) absolute.add(path)
      else if (!isAbsolutePath(path) && !isAbsolutePath(folder) && /^\w[^\\]*\/[^\\/]+$/.test(path))
        relative.add(path)
    }
  }
  const folders = new Set<string>()
  for (const path of absolute) {
    // Each suffix of the path that is one of the relative ones.
    for (let at = path.indexOf('/', 1); at > 0; at = path.indexOf('/', at + 1))
      if (relative.has(path.slice(at + 1))) folders.add(path.slice(0, at))
  }
  const [only] = folders
  return folders.size === 1 ? only : undefined
}
