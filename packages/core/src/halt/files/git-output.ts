import { TenfoldError } from '../../errors.ts'
import { type RunGitBytesOptions, type RunGitOptions, runGitBytes } from '../../git/run-git.ts'
import { cleanLine } from '../../session/clean-text.ts'

/** What applies to each call of git. */
export type GitCall = Pick<RunGitOptions, 'timeout' | 'signal' | 'filters'>

/** Returns what git printed. Throws {@link TenfoldError} `git-failed` with git's message if the command failed. */
export async function gitOutput(
  cwd: string,
  args: readonly string[],
  options: RunGitBytesOptions,
): Promise<Buffer> {
  const { end, stdout, stderr, cut } = await runGitBytes(cwd, args, options)
  if (end === 'ok' && cut !== true) return stdout
  const command = `git ${args[0]}`
  const reason = {
    missing: 'git is not installed',
    stopped: `${command} was stopped: ${firstLine(stderr)}`,
    refused: `${command} failed: ${firstLine(stderr)}`,
    ok: `${command} printed more than ${options.maxOutput} bytes`,
  }[end]
  throw new TenfoldError('git-failed', reason)
}

/** Returns git's complaint, shortened. */
export function firstLine(stderr: string): string {
  return cleanLine(stderr).slice(0, 300) || 'it gave no reason'
}

/** Returns an output of one line. A folder name may end with white space: only the newline is git's. */
export function oneLine(output: Buffer): string {
  return output.toString('utf8').replace(/\r?\n$/, '')
}
