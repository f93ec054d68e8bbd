import { cleanLine } from '../../session/clean-text.ts'
import { eventIndex } from '../../session/event.ts'
import { commandPurpose } from '../../shell/command-purpose.ts'
import { classifySentence } from '../constraints/binding/classify-sentence.ts'
import type { CheckFact, CommandFact, CommandProposal, Facts } from '../facts.ts'

/**
 * Whether a command may be a next step: it is the check that still fails or that edits followed, or a turn of the user or the agent proposed
 * it and it was neither refused nor run since, unless it failed. Never one that the user forbade.
 * A chain may come next if each of its parts may.
 */
export function mayComeNext(command: string, facts: Facts): boolean {
  const wanted = cleanLine(command)
  if (wanted === '' || commandParts(wanted).some((part) => isForbidden(part, facts))) return false
  const { validation: check } = facts
  const isDue = check !== undefined && (check.status === 'error' || check.stale === true)
  if (isDue && isCheck(cleanLine(check.command), wanted)) return true
  const one = (part: string) =>
    facts.proposals.some((proposal) => isSame(proposal, part) && !wasRunSince(proposal, part, facts.commands))
  if (one(wanted)) return true
  const parts = commandParts(wanted)
  return parts.length > 1 && parts.every(one)
}

/** Whether a valid rule of the user forbids the command by name, and the user did not request it since. */
function isForbidden(command: string, { constraints, proposals }: Facts): boolean {
  return constraints.some(({ text, event: ruled }) => {
    const isAsked = proposals.some(
      ({ byUser, event, command: asked }) =>
        byUser && eventIndex(event) > eventIndex(ruled) && asked.startsWith(command),
    )
    const spans = [...text.matchAll(/`([^`\n]{2,400})`/g)].map(({ 1: code = '', index }) => ({ code, index }))
    const [program = '', ...rest] = command.split(' ')
    const named = [`${program} ${rest[0]} ${rest[1]}`, command].map((code) => ({
      code,
      index: text.indexOf(code),
    }))
    return (
      !isAsked &&
      (spans.length > 0 ? spans : named).some(
        ({ code, index }) =>
          index >= 0 &&
          `${command} `.startsWith(`${code} `) &&
          text.slice(0, index).split(' ').length <= maxBefore &&
          (classifySentence(text).why === 'prohibition' || /^[^`:]{2,40}: `/.test(text)),
      )
    )
  })
}

/** Maximum words before the command in a rule about it. */
const maxBefore = 8

/** Returns the last check, if it failed; a later successful check of the whole replaces it. */
export function failingCheck({ validation }: Facts): CheckFact | undefined {
  return validation?.status === 'error' ? validation : undefined
}

/** Whether a command equals the check that was run, or its checking part, with or without a pipe after it. */
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
    (run) => eventIndex(run.call) > since && settled.has(run.status) && holds(cleanLine(run.command), wanted),
  )
}

/** Outcomes that settle a proposal. A run that failed or was cut off did not do its job; a denied one was refused. */
const settled: ReadonlySet<CommandFact['status']> = new Set<CommandFact['status']>([
  'ok',
  'unknown',
  'denied',
])

/** Whether a run was that command, or a chain that contains it, perhaps with more arguments. */
function holds(ran: string, wanted: string): boolean {
  if (ran === wanted) return true
  return (
    commandParts(ran).some((part) => part === wanted || part.startsWith(`${wanted} `)) ||
    ran.startsWith(`${wanted} `)
  )
}

/** Returns the commands that a chain runs one after the other. */
export function commandParts(chain: string): string[] {
  return chain
    .split(/\s*(?:&&|\|\||;)\s*/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}
