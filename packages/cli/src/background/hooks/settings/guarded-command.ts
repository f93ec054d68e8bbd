import { shellWord } from '../../../terminal/shell-word.ts'

/** How an agent starts tenfold. */
export interface Launcher {
  /** Words of a command line, such as `tenfold` or `npx tenfold`. */
  readonly words: string
  /** Folders that are searched after those of PATH: an agent may be started without the user's shell. */
  readonly folders: readonly string[]
}

/** Seconds after which a hook is given up: all agents but Codex at its `SessionEnd` allow five. */
export const hookLimit = 4

// What tenfold prints goes to a file, so that a process that hangs and its children do not hold the agent's pipe, and
// reaches the agent only if it is one line of JSON. Status 2 blocks a tool in most agents, any other one is shown.
// There is no single quote in it, and nothing that fish, zsh or tcsh read differently. An empty entry of PATH would be the
// working folder, where anyone may put a program.
const guard = (limit: number): string =>
  [
    'exec 2>/dev/null;trap "exit 0" EXIT;test "$PATH"||PATH=/usr/bin:/bin;PATH="$PATH:$0"',
    'o=$(mktemp);exec 3<&0 4>"$o" 5<"$o";rm "$o"',
    '"$@" <&3 >&4 3<&- 4>&- 5<&- & p=$!',
    `(sleep ${limit} & s=$!;trap "kill $s;exit" TERM;wait $s;kill -9 $p)>&2 3<&- 4>&- 5<&- & w=$!`,
    'wait $p;kill $w;read -r a <&5;case $a in {*})printf "%s\\n" "$a";;esac',
  ].join(';')

/**
 * The command line of a hook, for any POSIX shell: it ends with 0 within `limit` seconds, and prints the answer of
 * tenfold or nothing, also if tenfold is missing, fails, hangs or is another program.
 */
export function guardedCommand(
  { words, folders }: Launcher,
  args: readonly string[],
  limit = hookLimit,
): string {
  const searched = shellWord(folders.join(':') || '/usr/local/bin')
  return `/bin/sh -c '${guard(limit)}' ${searched} ${words} ${args.join(' ')}`
}

/**
 * The same for cmd and PowerShell: it ends with 0 and is silent about a tenfold that is missing or fails. For one that
 * hangs there is the agent's own timeout.
 */
export function windowsCommand({ words }: Launcher, args: readonly string[]): string {
  return `cmd /d /c "${words} ${args.join(' ')} 2>nul & exit 0"`
}

/** Whether a command runs tenfold's hook for an agent, also one that an earlier version or another command wrote. */
export function isHookCommand(command: string, agent: string): boolean {
  const end = String.raw`\s+hook\s+${agent}(?:\s+\w+)?(?:\s+2>nul & exit 0")?\s*$`
  const own = new RegExp(String.raw`\btenfold(?:\.js|/cli(?:@\S+)?)?["']?${end}`)
  return own.test(command) || (command.includes('trap "exit 0" EXIT') && new RegExp(end).test(command))
}

/** Whether this version writes such a command. */
export function isCurrentCommand(command: string): boolean {
  const limit = Number(/\(sleep (\d+) &/.exec(command)?.[1])
  return (
    command.startsWith(`/bin/sh -c '${guard(limit)}' `) || /^cmd \/d \/c ".* 2>nul & exit 0"$/.test(command)
  )
}
