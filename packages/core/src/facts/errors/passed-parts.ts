import { commandProgram, decisiveCommand } from '../../shell/command-program.ts'
import { purposeOf } from '../../shell/command-purpose.ts'
import type { ShellRun } from '../../shell/shell-runs.ts'
import { type SimpleCommand, splitShell } from '../../shell/shell-words.ts'
import { programKeys } from './error-keys.ts'

// A chain is short; a longer output than this is not searched for the scripts that it names.
const maxOutput = 200_000

/** Returns the keys of the commands that passed, if the run passed as a whole: the links of a chain, named scripts. */
export function passedParts(run: ShellRun | undefined, output: string): string[] {
  return run === undefined ? [] : [...linksOf(run.commands), ...echoedScripts(run, output)]
}

/** Every command joined by `&&` passed, up to the decisive one; all of them, if nothing else joins them. */
function linksOf(commands: readonly SimpleCommand[]): string[] {
  if (commands.length < 2) return []
  const isChain = commands.every(({ joiner }) => joiner === '' || joiner === '&&')
  const end = isChain ? commands.length : decisiveCommand(commands)
  return commands
    .filter((_, index) => isChain || (index < end && leadsTo(commands.slice(index + 1, end + 1))))
    .flatMap((command) => [
      `text ${command.words.join(' ')}`,
      ...programKeys(commandProgram(command.words), purposeOf(command)),
    ])
}

/** Whether what follows ran only because the command before it passed. */
function leadsTo(following: readonly SimpleCommand[]): boolean {
  return following[0]?.joiner === '&&' && following.every(({ joiner }) => joiner === '&&' || joiner === '|')
}

/** Package managers and task runners print the commands of a script: `> tsc --noEmit`, `[lint] $ golangci-lint run`. */
function echoedScripts({ commands }: ShellRun, output: string): string[] {
  const runsScripts = commands.some(({ words }) => /^(?:npm|pnpm|yarn|bun|mise|task)$/.test(words[0] ?? ''))
  if (!runsScripts || output.length > maxOutput) return []
  const scripts = [...output.matchAll(/^(?:>|(?:\[[\w:-]{1,60}\] )?\$) (\S[^\n]{0,300})$/gm)].slice(0, 20)
  return scripts.flatMap(([, script = '']) =>
    splitShell(script)
      .commands.filter(({ joiner }) => joiner === '' || joiner === '&&')
      .flatMap((command) => {
        const purpose = purposeOf(command)
        return purpose === undefined ? [] : programKeys(commandProgram(command.words), purpose)
      }),
  )
}

const committed = /^\[[^\]\n]{1,200} [\da-f]{7,40}\] /m
const pushed =
  /^[ \t]{0,4}(?:[+*] ?)?[ \t]{0,4}(?:[\da-f]{7,40}\.{2,3}[\da-f]{7,40}|\[new (?:branch|tag)\])[ \t]{1,20}\S+ -> \S+/m

/** Returns the keys of the commits and pushes that the output of a run reports, however the whole ended. */
export function reportedByGit(run: ShellRun | undefined, output: string): string[] {
  const likely = (run?.commands ?? []).filter(
    ({ words }) => words.includes('commit') || words.includes('push'),
  )
  if (likely.length === 0) return []
  const programs = new Set(likely.map(({ words }) => commandProgram(words)))
  return [
    ...(programs.has('git commit') && committed.test(output) ? programKeys('git commit', undefined) : []),
    ...(programs.has('git push') && pushed.test(output) && !/\[(?:remote )?rejected\]/.test(output)
      ? programKeys('git push', undefined)
      : []),
  ]
}
