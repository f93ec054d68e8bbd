import { cleanLine } from '../../session/clean-text.ts'
import { eventIndex } from '../../session/event.ts'
import { commandPurpose } from '../../shell/command-purpose.ts'
import type { CheckFact, CommandFact, CommandProposal, Facts } from '../facts.ts'
import { isForbidden } from './forbidden-commands.ts'

/**
 * Whether a command may be a next step: it is the check that still fails, or a turn of the user or the agent proposed
 * it and it was neither refused nor run since, unless it failed. Never one that the user forbade. A chain may come next
 * if each of its parts may.
 */
export function mayComeNext(command: string, facts: Facts): boolean {
  const wanted = cleanLine(command)
  if (wanted === '' || isForbidden(wanted, facts.proposals)) return false
  const check = failingCheck(facts)
  if (check !== undefined && isCheck(cleanLine(check.command), wanted)) return true
  const one = (part: string) =>
    facts.proposals.some(
      (proposal) =>
        proposal.forbidden !== true && isSame(proposal, part) && !wasRunSince(proposal, part, facts.commands),
    )
  if (one(wanted)) return true
  const parts = commandParts(wanted)
  return parts.length > 1 && parts.every(one)
}

/** The last check, if it failed; a later successful check of the whole replaces it. */
export function failingCheck({ validation }: Facts): CheckFact | undefined {
  return validation?.status === 'error' ? validation : undefined
}

/** Whether it is the whole that was run, or the part of it that checks, with or without a pipe after it. */
function isCheck(ran: string, wanted: string): boolean {
  return ran === wanted || (commandPurpose(wanted.split(' ')) !== undefined && holds(ran, wanted))
}

function isSame({ command, rest }: CommandProposal, wanted: string): boolean {
  if (command === wanted) return true
  if (rest === true)
    return command.startsWith(wanted) && /^(?:$|[\s,;:)"'])/.test(command.slice(wanted.length))
  return commandParts(command).includes(wanted)
}

function wasRunSince(proposal: CommandProposal, wanted: string, commands: readonly CommandFact[]): boolean {
  const since = eventIndex(proposal.event)
  return commands.some(
    (run) =>
      eventIndex(run.call) > since &&
      settled.has(run.status) &&
      holds(cleanLine(run.command), wanted) &&
      !wasLeftOpen(run, commands),
  )
}

/** Whether the log ends with the run, without the result that other runs have. */
function wasLeftOpen({ call, result }: CommandFact, commands: readonly CommandFact[]): boolean {
  return (
    result === undefined &&
    commands.at(-1)?.call === call &&
    commands.some((other) => other.result !== undefined)
  )
}

/** A run that failed or was cut off did not do its job; a denied one is refused. */
const settled: ReadonlySet<CommandFact['status']> = new Set<CommandFact['status']>([
  'ok',
  'unknown',
  'denied',
])

/** Whether the run was that command, or a chain that contains it, perhaps with more arguments. */
function holds(ran: string, wanted: string): boolean {
  if (ran === wanted) return true
  return (
    commandParts(ran).some((part) => part === wanted || part.startsWith(`${wanted} `)) ||
    ran.startsWith(`${wanted} `)
  )
}

/** The commands that a chain runs one after the other. */
export function commandParts(chain: string): string[] {
  return chain
    .split(/\s*(?:&&|\|\||;)\s*/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}
