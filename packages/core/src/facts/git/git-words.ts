import { isAbsolutePath, joinFolders, type ShellRun } from '../../shell/shell-runs.ts'
import type { SimpleCommand } from '../../shell/shell-words.ts'
import { programName, splitRunner } from '../../shell/shell-wrappers.ts'
import type { PathNormalizer } from '../log-path.ts'

/** Returns subcommand and arguments of git, without its own options; `folder` is the value of `-C`. */
export function gitWords(command: SimpleCommand): { words: readonly string[]; folder?: string } | undefined {
  const words = splitRunner(command.words)?.rest ?? command.words
  if (programName(words[0] ?? '') !== 'git') return undefined
  let folder: string | undefined
  let at = 1
  while (words[at]?.startsWith('-')) {
    if (words[at] === '-C') folder = words[at + 1]
    at += /^(?:-C|-c|--git-dir|--work-tree)$/.test(words[at] ?? '') ? 2 : 1
  }
  return { words: words.slice(at), ...(folder === undefined ? {} : { folder }) }
}

/** Whether a command works on the session's repository, and not on another one or a worktree. */
export function isHere(
  run: ShellRun,
  command: SimpleCommand,
  given: string | undefined,
  normalize: PathNormalizer,
): boolean {
  const base = joinFolders(run.folder, command.folder)
  const folder = given === undefined ? base : joinFolders(base, given)
  if (folder === undefined || folder === '') return true
  const path = normalize(`${folder}/.`)
  return (
    path === undefined ||
    !(isAbsolutePath(path) || path.startsWith('..') || /(?:^|\/)\.?worktrees?\//.test(path))
  )
}
