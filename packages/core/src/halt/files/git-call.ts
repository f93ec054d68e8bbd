import { TenfoldError } from '../../errors.ts'
import { type RunGitBytesOptions, runGitBytes } from '../../git/run-git.ts'
import { cleanLine } from '../../session/clean-text.ts'

/** Returns what git printed. Throws {@link TenfoldError} `git-failed` with git's message if the command failed. */
export async function gitOutput(
  cwd: string,
  args: readonly string[],
  options: RunGitBytesOptions = {},
): Promise<Buffer> {
  const { end, stdout, stderr, cut } = await runGitBytes(cwd, args, options)
  if (end === 'ok' && cut !== true) return stdout
  const command = `git ${args.find((arg) => !arg.startsWith('-') && !arg.includes('=')) ?? ''}`
  const reason = {
    missing: 'git is not installed',
    stopped: `${command} was stopped: ${firstLine(stderr)}`,
    refused: `${command} failed: ${firstLine(stderr)}`,
    ok: `${command} printed more than ${options.maxOutput} bytes`,
  }[end]
  throw new TenfoldError('git-failed', reason)
}

/** Splits an output with `-z` into records. */
export function splitNul(output: Buffer): Buffer[] {
  const records: Buffer[] = []
  let start = 0
  for (let end = output.indexOf(0); end !== -1; end = output.indexOf(0, start)) {
    records.push(output.subarray(start, end))
    start = end + 1
  }
  return records
}

/** Returns an output of one line. A folder name may end with white space: only the newline is git's. */
export function oneLine(output: Buffer): string {
  return output.toString('utf8').replace(/\r?\n$/, '')
}

/** Returns git's complaint, shortened. */
export function firstLine(stderr: string): string {
  return cleanLine(stderr).slice(0, 300) || 'it gave no reason'
}
