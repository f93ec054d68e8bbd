import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { TenfoldError } from '@tenfold/core'
import { cleanLine, cutHead } from '@tenfold/core/internal'
import { programPath } from '../../../own-package.ts'
import { shellWord } from '../../../terminal/text.ts'
import { ownMarker } from '../hook-agents.ts'

export type HookScope = 'user' | 'project'

export interface Launcher {
  readonly words: string
  /** Folders to search after PATH, since an agent may be started without the user's shell. */
  readonly folders: readonly string[]
}

/** Time limit of a hook in seconds. All agents allow five, except Codex at `SessionEnd`. */
export const hookLimit = 4

// tenfold's output goes to a file, so that a hanging process and its children do not hold the agent's pipe; the agent
// gets it only if it is one line of JSON. The status is always 0: most agents block a tool at 2 and show any other one.
// The script has no single quote and nothing that fish, zsh or tcsh read differently. It adds no empty entry to PATH,
// which would mean the working folder, where anyone may put a program.
const guard = (limit: number): string =>
  [
    'exec 2>/dev/null;trap "exit 0" EXIT;test "$PATH"||PATH=/usr/bin:/bin;PATH="$PATH:$0"',
    'o=$(mktemp);exec 3<&0 4>"$o" 5<"$o";rm "$o"',
    '"$@" <&3 >&4 3<&- 4>&- 5<&- & p=$!',
    `(sleep ${limit} & s=$!;trap "kill $s;exit" TERM;wait $s;kill -9 $p)>&2 3<&- 4>&- 5<&- & w=$!`,
    'wait $p;kill $w;read -r a <&5;case $a in {*})printf "%s\\n" "$a";;esac',
  ].join(';')

/** For any POSIX shell. Exits with 0 within `limit` seconds and prints tenfold's answer or nothing. */
export function guardedCommand({ words, folders }: Launcher, args: readonly string[], limit = hookLimit) {
  const searched = shellWord(folders.join(':') || '/usr/local/bin')
  return `/bin/sh -c '${guard(limit)}' ${searched} ${words} ${args.join(' ')}`
}

/** The same for cmd and PowerShell, but a hanging process is ended only by the agent's own timeout. */
export function windowsCommand({ words }: Launcher, args: readonly string[]): string {
  return `cmd /d /c "${words} ${args.join(' ')} 2>nul & exit 0"`
}

/** Whether a command runs tenfold's hook for an agent, even if an earlier version or another command wrote it. */
export function isHookCommand(command: string, agent: string): boolean {
  const end = String.raw`\s+hook\s+${agent}(?:\s+\w+)?(?:\s+2>nul & exit 0")?\s*$`
  const own = new RegExp(String.raw`\btenfold(?:\.js|/cli(?:@\S+)?)?["']?${end}`)
  return own.test(command) || (command.includes('trap "exit 0" EXIT') && new RegExp(end).test(command))
}

export function isCurrentCommand(command: string): boolean {
  const limit = Number(/\(sleep (\d+) &/.exec(command)?.[1])
  return (
    command.startsWith(`/bin/sh -c '${guard(limit)}' `) || /^cmd \/d \/c ".* 2>nul & exit 0"$/.test(command)
  )
}

const maxTest = 15_000

/**
 * How hooks start tenfold: the given command, otherwise `tenfold`, with its folder and Node's for an agent whose PATH
 * lacks them. A checkout that is not on PATH is named by its path. Throws TenfoldError `invalid-settings` for a copy
 * that may disappear: in the npx cache, or in one project's packages.
 */
export function findLauncher(command: string | undefined, scope: HookScope): Launcher {
  if (command !== undefined) return { words: command, folders: [] }
  // A project's settings are for other machines too.
  if (scope === 'project') return { words: 'tenfold', folders: [] }
  // The folder of npm's global commands need not be on PATH.
  const prefix = /^(.+)[\\/]lib[\\/]node_modules[\\/]tenfold[\\/]/.exec(programPath)?.[1]
  const names = process.platform === 'win32' ? ['tenfold.cmd', 'tenfold.exe'] : ['tenfold']
  const folder = [...lastingFolders(), ...(prefix === undefined ? [] : [join(prefix, 'bin')])].find((each) =>
    names.some((name) => existsSync(join(each, name))),
  )
  if (folder !== undefined)
    return { words: 'tenfold', folders: [...new Set([folder, dirname(process.execPath)])] }
  if (!/[\\/]node_modules[\\/]/.test(programPath)) return ownLauncher()
  const place = /[\\/]_npx[\\/]/.test(programPath) ? 'the cache of npx' : 'the packages of one project'
  throw new TenfoldError(
    'invalid-settings',
    `The settings were not changed: this tenfold is in ${place} (${cleanLine(dirname(dirname(programPath)))}), where hooks would lose it. Run "npm install -g tenfold", then install again; --command takes another way to call it.`,
  )
}

function ownLauncher(): Launcher {
  return { words: `${shellWord(process.execPath)} ${shellWord(programPath)}`, folders: [] }
}

/** The launcher, or this program if the launcher does not run. If neither runs, `fault` has the reason. */
export async function testedLauncher(agent: string, command: string | undefined, scope: HookScope) {
  const launcher = findLauncher(command, scope)
  const fault = await faultOf(launcher, agent)
  if (fault === undefined) return { launcher }
  const isFound = command === undefined && scope === 'user'
  if (!isFound || /[\\/]node_modules[\\/]/.test(programPath)) return { launcher, fault }
  const own = ownLauncher()
  return (await faultOf(own, agent)) === undefined ? { launcher: own } : { launcher, fault }
}

/** Folders of PATH without those that npx and npm scripts add, which an agent does not have. */
function lastingFolders(): string[] {
  const passing = /[\\/]_npx[\\/]|[\\/]node_modules[\\/]\.bin[\\/]?$/
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '' && !passing.test(folder))
    .map((folder) => resolve(folder))
}

/** Runs tenfold as the hooks do, with an event that does nothing, and returns what failed. */
async function faultOf({ words, folders }: Launcher, agent: string): Promise<string | undefined> {
  const child = spawn(`${words} hook ${agent}`, {
    shell: true,
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { ...process.env, PATH: [...lastingFolders(), ...folders].join(delimiter), [ownMarker]: '1' },
    timeout: maxTest,
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = cutHead(said + text, 2000)
  })
  // The process may end without reading stdin.
  child.stdin.on('error', () => undefined)
  child.stdin.end('{"hook_event_name":"Test"}')
  const outcome = await new Promise<string>((done) => {
    child.once('error', (error) => done(error.message))
    child.once('close', (code, signal) => done(code === 0 ? '' : `it ended with ${code ?? signal}`))
  })
  if (outcome === '') return undefined
  const reason = cleanLine(said).slice(0, 300)
  return reason === '' ? outcome : `${outcome}: ${reason}`
}
