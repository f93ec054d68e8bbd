import { commandPurpose, type Purpose, purposeOf } from './command-purpose.ts'
import { namesOf, wordsByName } from './programs.ts'
import { programName, splitRunner, unwrapped } from './shell-runs.ts'
import type { SimpleCommand } from './shell-words.ts'

const silent = new Set(namesOf('silent'))
const lookers = new Set(namesOf('looks'))
const placers = new Set(namesOf('places'))
const further = new Set(namesOf('further'))
const subcommanded = wordsByName('subcommands')
const nested = wordsByName('nested')
const scriptRunners =
  /^(?:node|python(?:\d(?:\.\d+)?)?|py|ruby|perl|php|bash|sh|zsh|tsx|ts-node|osascript|Rscript|lua|elixir)$/

/** Returns program and subcommand of a command, without options and arguments: `git commit`, `npm run build`. */
export function commandProgram(words: readonly string[], depth = 0): string {
  const runner = depth > 3 ? undefined : splitRunner(words)
  if (runner !== undefined) return `${runner.label} ${commandProgram(runner.rest, depth + 1)}`
  const first = words[0] ?? ''
  const program = programName(first)
  const base = program.replace(/^\.\//, '').replace(/\.(?:exe|cmd|bat)$/, '')
  if (scriptRunners.test(base)) {
    const script = words.slice(1).find((word) => !word.startsWith('-'))
    // `-c` and `-e` take code, not a script.
    const code = words.slice(1).some((word) => /^-(?:c|e|p|pe|ne|r|-eval|-print)$/.test(word))
    return script === undefined || code || !isName(script) ? program : `${program} ${script}`
  }
  const values = subcommanded.get(base) ?? (first.startsWith('./') && !base.includes('.') ? [] : undefined)
  if (values === undefined) return program
  const found: string[] = []
  for (let at = 1; at < words.length && found.length < 2; at += 1) {
    const word = words[at] ?? ''
    if (values.includes(word)) at += 1
    else if (!/^[-+]/.test(word) && !/^\w+=/.test(word)) {
      if (!isName(word) || (!subcommanded.has(base) && /[./\\]/.test(word))) break
      found.push(word)
      if (!/^(?:aws|gcloud)$/.test(base) && !nested.get(base)?.includes(word)) break
    }
  }
  return [program, ...found].join(' ')
}

/** Whether a command only shows or filters existing things. */
export function isLooker(words: readonly string[]): boolean {
  const inner = unwrapped(words)
  const program = programName(inner[0] ?? '')
  return lookers.has(program) || silent.has(program) || onlyLooks(commandProgram(inner))
}

/** Whether a program is known for builds, tests, or work on files and repositories. */
export function isKnownProgram(name: string): boolean {
  const base = name.replace(/^\.\//, '').replace(/\.(?:exe|cmd|bat)$/, '')
  return (
    subcommanded.has(base) ||
    lookers.has(base) ||
    placers.has(base) ||
    scriptRunners.test(base) ||
    further.has(base) ||
    commandPurpose([base]) !== undefined ||
    splitRunner([base, 'x']) !== undefined
  )
}

function isName(word: string): boolean {
  return word.length <= 100 && /^[\w@.:/\\+~-]+$/.test(word)
}

const purposeRank: Readonly<Record<Purpose, number>> = { test: 9, build: 8, typecheck: 7, lint: 6 }

/**
 * Returns the position of the main command of a command line: a check, otherwise one that does something, otherwise one
 * that only looks or filters, otherwise `cd` or `echo`. Of several that look the first counts, otherwise the last. -1
 * if there is none.
 */
export function decisiveCommand(commands: readonly SimpleCommand[]): number {
  let best = -1
  let bestRank = -1
  for (const [index, command] of commands.entries()) {
    const program = programName(command.words[0] ?? '')
    if (program === '') continue
    const rank = rankOf(command, program)
    if (rank > bestRank || (rank === bestRank && rank >= 2)) {
      best = index
      bestRank = rank
    }
  }
  return best
}

function rankOf(command: SimpleCommand, program: string): number {
  const purpose = purposeOf(command)
  if (purpose !== undefined) return purposeRank[purpose]
  if (silent.has(program) || !isName(program) || /^(?:[.$]\w|-)/.test(program)) return 0
  if (lookers.has(program) || isLookingCmdlet(program)) return 1
  if (placers.has(program)) return 3
  if (command.joiner === '|') return 2
  // `git commit -m a && git status`: the status is not the main command.
  const isLook = program === 'git' && command.joiner === '&&' && onlyLooks(commandProgram(command.words))
  return isLook ? 3 : 4
}

/** Programs, with their subcommand, that only look: their output is outdated in the next session. */
const looking =
  /^(cat|ls|ll|head|tail|sed|awk|rg|grep|egrep|find|fd|wc|nl|less|more|echo|printf|pwd|cd|date|which|type|file|stat|tree|du|sort|uniq|cut|tr|jq|true|sleep|env|whoami|diff|git (status|log|show|diff|branch|ls-files|rev-parse|blame|remote|check-ignore))$/

const lookingHub = /^gh (?:issue|pr|run|release|repo|workflow) (?:list|view|status|diff|checks)$/

/** Commands of PowerShell that only look, by their verb. */
const lookingVerb =
  /^(?:Get|Select|Sort|Where|ForEach|Group|Measure|Format|Compare|ConvertFrom|ConvertTo|Resolve|Split|Join|Write)-[A-Z]\w+$|^Test-Path$/

/** Whether a program with its subcommand neither changes nor checks anything. */
export function onlyLooks(program: string): boolean {
  return looking.test(program) || lookingHub.test(program) || isLookingCmdlet(program)
}

function isLookingCmdlet(program: string): boolean {
  return lookingVerb.test(program)
}
