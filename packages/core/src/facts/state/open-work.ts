import { cleanLine } from '../../session/clean-text.ts'
import { type EventId, eventIndex, type SessionEvent } from '../../session/event.ts'
import { known as withKnown } from '../../session/known.ts'
import { onlyGoesOn } from '../answers/replies.ts'
import { beginsWithProgram } from '../commands/command-proposals.ts'
import type { CommandProposal, Facts, OpenWork } from '../facts.ts'
import { isDone, workOf } from './done.ts'
import { askingPart } from './last-turn.ts'
import { type LeftOpen, leftOpen, putOffIn } from './left-open.ts'

/** How many earlier answers count if the user only said "commit" or "go on" after them. */
const maxEarlier = 2

/** More calls than these after a compaction have done most of what its summary names. */
const maxCallsAfterSummary = 10

type Known = Pick<Facts, 'commands' | 'files' | 'git' | 'tasks' | 'state' | 'answers'>

/** A message and what it leaves open. */
interface Read extends LeftOpen {
  readonly event: EventId
}

/**
 * Returns what the last words of a session leave open: those of the last answer, of the answer before it if the user
 * only said to go on, or of a summary that little work followed. What was done since is left out.
 */
export function openWork(events: readonly SessionEvent[], known: Known): OpenWork {
  const { state } = known
  if (state === undefined) return { steps: [], remarks: [] }
  const main = events.filter(
    ({ agent, copied, inContext }) => agent === 'main' && copied !== true && inContext !== false,
  )
  const reads = messagesToRead(main, known).map(
    (event): Read => ({ ...leftOpen(event.text), event: event.id }),
  )
  const steps = reads.flatMap(({ event, steps: named }) => {
    const work = workOf(events, known, eventIndex(event))
    return named.filter((text) => !isDone({ text }, work)).map((text) => ({ text, event }))
  })
  const last = reads.find(({ event }) => event === state.answer)
  const request = main.find(({ id }) => id === state.request)
  const putOff = request?.type === 'user' ? putOffIn(askingPart(request.text)) : []
  const asked = new Set(state.questions.map(({ text }) => text))
  const open = [...approvedPlan(known), ...steps.filter(({ text }) => !asked.has(text))]
  const remarks = [
    ...putOff.map((text) => ({ text, event: request?.id as EventId })),
    ...(last?.remarks ?? []).map((text) => ({ text, event: last?.event as EventId })),
  ]
  const [hedge] = open.length + remarks.length === 0 ? (last?.hedges ?? []) : []
  return { steps: open, remarks, ...withKnown({ hedge }) }
}

/** The messages whose words about what comes next still count, the last one first. */
function messagesToRead(
  main: readonly SessionEvent[],
  { state, files }: Known,
): (SessionEvent & { readonly text: string })[] {
  const { answer, request } = state ?? {}
  const isAnswered = state?.state === 'finished' || state?.state === 'waiting'
  const found = []
  const last = main.find(({ id }) => id === answer)
  if (last?.type === 'assistant') found.push(last)
  let at = main.findIndex(({ id }) => id === request)
  // An answer to "do it" with changes says itself what is left.
  const since = request === undefined ? 0 : eventIndex(request)
  const didIt =
    isAnswered && files.some(({ lastEdit }) => lastEdit !== undefined && eventIndex(lastEdit) > since)
  if (didIt) at = -1
  for (let turn = 0; turn < maxEarlier && at > 0 && saysLittle(main[at]); turn++) {
    const before = main.slice(0, at)
    const earlier = before.findLast(
      ({ type, ...event }) => type === 'assistant' && 'text' in event && event.text !== '',
    )
    if (earlier?.type === 'assistant') found.push(earlier)
    at = before.findLastIndex(({ type }) => type === 'user')
  }
  const summaryAt = main.findLastIndex(({ type }) => type === 'compaction')
  const summary = main[summaryAt]
  const after = main.slice(summaryAt + 1)
  if (summary?.type !== 'compaction') return found
  const calls = after.filter(({ type }) => type === 'tool_call').length
  const asked = after.filter((event) => event.type === 'user')
  if (!asked.every(saysLittle)) return found
  const isNext = asked.length > 0 && calls === 0
  return isNext || (!isAnswered && calls <= maxCallsAfterSummary) ? [...found, summary] : found
}

/** "Thanks", "commit and push", "continue": the answer before it still says what comes next. */
function saysLittle(event: SessionEvent | undefined): boolean {
  if (event?.type !== 'user') return false
  const asked = askingPart(event.text)
  return asked === '' || onlyGoesOn.test(asked)
}

/** The plan that the user approved last, if nothing was changed since. */
function approvedPlan({ answers, files, commands }: Known): OpenWork['steps'] {
  const plan = answers.findLast(({ kind }) => kind === 'plan')
  if (plan === undefined || !/^approved\b/.test(plan.answer) || plan.question === '') return []
  const isLater = (event: EventId | undefined) =>
    event !== undefined && eventIndex(event) > eventIndex(plan.event)
  if (files.some(({ lastEdit }) => isLater(lastEdit))) return []
  if (commands.some(({ call, purpose }) => purpose !== undefined && isLater(call))) return []
  return [{ text: `Carry out the approved plan: ${plan.question}`, event: plan.event }]
}

/** Adds the commands in code that steps name: they are proposed by that. */
export function withNamedCommands(
  proposals: readonly CommandProposal[],
  { steps }: OpenWork,
  commands: Facts['commands'],
): CommandProposal[] {
  const programs = new Set(commands.map(({ program }) => program.split(' ', 1)[0] ?? ''))
  const named = steps.flatMap(({ text, event }) =>
    [...text.matchAll(/`([^`\n]{2,300})`/g)].flatMap(([, code = '']) => {
      const command = cleanLine(code)
      return command.includes(' ') && beginsWithProgram(command, programs) ? [{ command, event }] : []
    }),
  )
  const isKnown = ({ command, event }: CommandProposal) =>
    proposals.some((other) => other.event === event && other.command === command)
  return [...proposals, ...named.filter((proposal) => !isKnown(proposal))]
}
