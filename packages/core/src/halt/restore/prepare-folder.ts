import { lstat, mkdir, readdir, realpath } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { messageOf, TenfoldError } from '../../errors.ts'
import { runGitBytes } from '../../git/run-git.ts'
import { isGone } from '../files/found-file.ts'
import { firstLine, type GitCall, gitOutput, oneLine } from '../files/git-output.ts'

/**
 * Prepares a folder: clones and checks out the head if `from`, the path or URL of a repository, is given, otherwise
 * checks that the folder is a clean checkout of it, or empty if there is no head. Returns its real path. Throws
 * {@link TenfoldError} `restore-refused`.
 */
export async function prepareFolder(
  folder: string,
  head: string | undefined,
  from: string | undefined,
  call: GitCall,
): Promise<string> {
  if (head === undefined || from !== undefined) await emptyFolder(folder)
  if (head !== undefined && from !== undefined) await checkOut(folder, from, head, call)
  const hint = `Make a checkout of ${head} there (git worktree add --detach), or name the repository (option repository).`
  const root = await realpath(folder).catch((error: unknown) => {
    throw isGone(error) ? refused(`${folder} does not exist. ${hint}`) : error
  })
  if (head !== undefined && from === undefined) await assertClean(root, head, hint, call)
  return root
}

export function refused(message: string): TenfoldError {
  return new TenfoldError('restore-refused', message)
}

/** Creates the folder if it is missing; refuses one that is not empty. */
async function emptyFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true })
    if ((await readdir(folder)).length === 0) return
  } catch (error) {
    throw refused(`${folder} cannot be made or read: ${messageOf(error)}`)
  }
  throw refused(`${folder} is not empty; name a folder that is, or that does not exist.`)
}

async function checkOut(folder: string, from: string, head: string, call: GitCall): Promise<void> {
  const place = resolve(folder)
  // A path remains a path, even if it begins like an option or like `host:path`. A URL is no folder.
  const isFolder = await lstat(join(resolve(from), '.')).then(
    (found) => found.isDirectory(),
    () => false,
  )
  // All settings of a new clone are ours or the user's, so the user's own filters (Git LFS) may run.
  const own = { ...call, filters: true, protocols: 'file:git:http:https:ssh' }
  const source = ['--template=', '--', isFolder ? resolve(from) : from, place]
  const cloned = await runGitBytes(dirname(place), ['clone', '--quiet', '--no-checkout', ...source], own)
  if (cloned.end !== 'ok') throw refused(`${from} cannot be cloned: ${firstLine(cloned.stderr)}`)
  const found = await runGitBytes(place, ['cat-file', '-e', `${head}^{commit}`], call)
  // A commit that no branch holds is not cloned, but may be fetched.
  if (found.end !== 'ok') {
    const fetched = await runGitBytes(place, ['fetch', '--quiet', 'origin', head], own)
    if (fetched.end !== 'ok') throw refused(`${from} does not have the commit ${head} of the dump.`)
  }
  await gitOutput(place, ['checkout', '--quiet', '--detach', head, '--'], own)
}

async function assertClean(root: string, head: string, hint: string, call: GitCall): Promise<void> {
  const top = await runGitBytes(root, ['rev-parse', '--show-toplevel'], call)
  if (top.end !== 'ok' || (await realpath(oneLine(top.stdout))) !== root)
    throw refused(`${root} is not the top folder of a Git work tree. ${hint}`)
  const now = oneLine(await gitOutput(root, ['rev-parse', 'HEAD'], call))
  if (now !== head) throw refused(`${root} is at ${now}, the dump was made at ${head}. ${hint}`)
  // Submodules are not restored, and git would run the filters of their settings to look for changes there.
  const options = ['--porcelain', '-z', '--untracked-files=all', '--ignored', '--ignore-submodules=dirty']
  const status = await gitOutput(root, ['status', ...options], call)
  if (status.length > 0) throw refused(`${root} is not a clean checkout; files in it could be lost. ${hint}`)
}
