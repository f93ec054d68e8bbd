import { eventIndex } from '../../session/event.ts'
import type { Session } from '../../session/session.ts'
import { isAbsolutePath, joinFolders, programName, type ShellRun, unwrapped } from '../../shell/shell-runs.ts'
import type { SimpleCommand } from '../../shell/shell-words.ts'
import type { FileFact } from '../facts.ts'
import type { PathNormalizer } from '../log-path.ts'
import type { GitState } from './git-state.ts'

/** A repository or worktree in which commands ran; its folder is empty for that of the session. */
interface Repository extends GitState {
  readonly folder: string
  /** The log does not name the folder of the session: any path may be in it. */
  readonly isWhole: boolean
}

export type Repositories = ReturnType<typeof openRepositories>

/** The repositories of a session, by the folder in which git ran. */
export function openRepositories({ cwd = '' }: Session, normalize: PathNormalizer) {
  const known = new Map<string, Repository>()
  const at = (folder: string): Repository => {
    const found = known.get(folder) ?? {
      folder,
      isWhole: folder === '' && cwd === '',
      branch: undefined,
      head: undefined,
      dirty: undefined,
      commits: [],
      staged: [],
    }
    known.set(folder, found)
    return found
  }
  /** Returns the folder of a command; absent if it is the session's, or unknown. */
  const folderOf = (run: ShellRun, command: SimpleCommand | undefined, given?: string) => {
    const base = joinFolders(run.folder, command?.folder)
    const folder = given === undefined ? base : joinFolders(base, given)
    return folder === '' ? undefined : folder
  }
  return {
    at,
    of(run: ShellRun, command: SimpleCommand | undefined, given: string | undefined): Repository {
      const folder = folderOf(run, command, given)
      const path = folder === undefined ? undefined : normalize(`${folder}/.`)
      if (path === undefined) return at('')
      const worktree = /^(?:.*\/)?\.?worktrees?\/[^/]+/.exec(path)?.[0]
      const isAbove = cwd.startsWith(`${path}/`) && !worktrees.test(cwd.slice(path.length))
      const isOther = isAbsolutePath(path) || path.startsWith('..')
      return at(worktree ?? (isOther && !isAbove ? path : ''))
    },
    /** Returns the files that `git add` and the like name; `''` means all. */
    stagedBy(run: ShellRun, command: SimpleCommand | undefined, { words, folder }: GitWords): string[] {
      if (!/^(?:add|stage|rm|mv)$/.test(words[0] ?? '')) return []
      const base = folderOf(run, command, folder)
      if (words.some((word) => /^-[a-z]*[Aup]|^--(?:all|update)$|[*?[$:]/.test(word))) return ['']
      const paths = words.slice(1).filter((word) => !word.startsWith('-'))
      return paths.map((path) => normalize(path, base) ?? '')
    },
    /** After an edit, a clean tree may be dirty; that of the session is. */
    edited(): void {
      for (const one of known.values())
        if (one.dirty === false) one.dirty = one.folder === '' ? true : undefined
    },
    /** Returns the session's repository, and those that contain one of the files. */
    withFiles(files: readonly FileFact[]): Repository[] {
      return [...known.values()].filter((one) => one.folder === '' || files.some((file) => isIn(file, one)))
    },
  }
}

const worktrees = /(?:^|\/)\.?worktrees?\//

function isIn({ path }: FileFact, { folder, isWhole }: Repository): boolean {
  if (/(?:^|\/)\.git\//.test(path)) return false
  if (folder !== '') return path.startsWith(`${folder}/`)
  return isWhole || (!isAbsolutePath(path) && !path.startsWith('..'))
}

/** Whether a file was changed in a repository and is in no known commit of the session. */
export function isUncommitted(file: FileFact, repositories: readonly Repository[]): boolean {
  const [own] = repositories
    .filter((one) => isIn(file, one))
    .sort((a, b) => b.folder.length - a.folder.length)
  if (own === undefined || own.dirty === false || file.lastEdit === undefined) return false
  const edited = eventIndex(file.lastEdit)
  const status = own.status === undefined ? -1 : eventIndex(own.status.event)
  if (own.status !== undefined && status > edited && !lists(own.status.text, file.path)) return false
  const holds = (paths: readonly string[]) =>
    paths.some((path) => path === '' || file.path === path || file.path.startsWith(`${path}/`))
  // A commit of someone else is as old as the message before it.
  return !own.commits.some(
    ({ event, paths, foreign }) =>
      eventIndex(event) > (foreign ? Math.max(edited, status) : edited) && holds(paths),
  )
}

/** Whether a status names a file, or a folder without known files that contains it. */
function lists(status: string, path: string): boolean {
  if (status.includes(path.slice(path.lastIndexOf('/') + 1))) return true
  const folders = status.match(/(?<![^\s/])[^\s/]\S*\/$/gm) ?? []
  return folders.some((folder) => `/${path}`.includes(`/${folder.replace(/^(?:\.\.\/)+/, '')}`))
}

/** Subcommand and arguments of git, without its own options; `folder` is the value of `-C`. */
export interface GitWords {
  readonly words: readonly string[]
  readonly folder?: string
}

export function gitWords(command: SimpleCommand): GitWords | undefined {
  const words = unwrapped(command.words)
  if (programName(words[0] ?? '') !== 'git') return undefined
  let folder: string | undefined
  let at = 1
  while (words[at]?.startsWith('-')) {
    if (words[at] === '-C') folder = words[at + 1]
    at += /^(?:-C|-c|--git-dir|--work-tree)$/.test(words[at] ?? '') ? 2 : 1
  }
  return { words: words.slice(at), ...(folder === undefined ? {} : { folder }) }
}
