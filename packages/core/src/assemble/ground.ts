import type { Judgement } from '../bundle/judgement.ts'
import type { Facts } from '../facts/facts.ts'
import { findIdentifiers } from '../facts/find-identifiers.ts'
import { cleanLine } from '../session/clean-text.ts'
import { type EventId, eventIndex } from '../session/event.ts'
import { eventText } from '../session/event-text.ts'
import type { Note } from '../session/note.ts'
import type { Session } from '../session/session.ts'

export interface GroundOptions {
  /** Leave out what cannot be found in the log instead of flagging it. @default false */
  readonly dropUnverified?: boolean
}

export interface Grounded {
  readonly judgement: Judgement
  /** Items flagged or dropped. */
  readonly unverified: number
  readonly notes: readonly Note[]
}

interface Statement {
  readonly evidence: readonly EventId[]
  readonly unverified?: true | undefined
}

/**
 * Holds a judgement against the log: evidence must exist, and paths, identifiers, quotes and commands must occur in it.
 * What does not is flagged `unverified`. A next command that no user or assistant turn proposed or ran is taken out.
 */
export function groundJudgement(
  judgement: Judgement,
  session: Session,
  facts: Facts,
  options: GroundOptions = {},
): Grounded {
  const occurs = occurrence(session, facts)
  const notes: Note[] = []
  let unverified = 0

  const ground = <T extends Statement>(items: readonly T[], textOf: (item: T) => string): T[] =>
    items.flatMap((item) => {
      const evidence = item.evidence.filter(
        (id) => eventIndex(id) >= 0 && eventIndex(id) < session.events.length,
      )
      const doubtful =
        evidence.length < item.evidence.length || claims(textOf(item)).some((claim) => !occurs(claim))
      if (!doubtful) return [{ ...item, evidence }]
      unverified++
      return options.dropUnverified ? [] : [{ ...item, evidence, unverified: true as const }]
    })

  const items = <T extends Statement & { readonly text: string }>(list: readonly T[]) =>
    ground(list, (item) => item.text)
  const { workflow, plan, progress } = judgement
  const nextSteps = judgement.nextSteps.map(({ command, ...step }) => {
    if (command === undefined || wasProposed(command, session))
      return command === undefined ? step : { ...step, command }
    notes.push({
      code: 'command-refused',
      message: 'a next command was left out: no user or assistant turn of the log proposed or ran it',
    })
    return step
  })
  return {
    judgement: {
      ...judgement,
      workflow: {
        ...workflow,
        tasksCompleted: items(workflow.tasksCompleted),
        tasksRemaining: items(workflow.tasksRemaining),
        blockers: items(workflow.blockers),
      },
      findings: items(judgement.findings),
      decisions: ground(judgement.decisions, (item) => [item.choice, item.topic, item.rationale].join(' ')),
      openQuestions: items(judgement.openQuestions),
      nextSteps: ground(nextSteps, (item) => item.action),
      ...(plan ? { plan: { ...plan, steps: items(plan.steps), risks: items(plan.risks) } } : {}),
      ...(progress
        ? {
            progress: {
              ...progress,
              completed: items(progress.completed),
              inProgress: items(progress.inProgress),
              remaining: items(progress.remaining),
            },
          }
        : {}),
    },
    unverified,
    notes,
  }
}

/** What of a statement can be looked up: its identifiers and what stands in quotes or backticks. */
function claims(text: string): string[] {
  const quotes = [...text.matchAll(/`([^`]{2,200})`|"([^"]{3,200})"/g)].map(
    ([, code, quote]) => code ?? quote ?? '',
  )
  return [...findIdentifiers(text).map(({ text: identifier }) => identifier), ...quotes]
}

function occurrence(session: Session, facts: Facts): (claim: string) => boolean {
  let haystack: string[] | undefined
  const known = new Map<string, boolean>()
  return (claim) => {
    const needle = cleanLine(claim.replace(/ ?\[…\d+( chars)?\] ?/g, ' '))
    const answer = known.get(needle) ?? facts.identifiers.has(needle)
    if (answer || known.has(needle)) return answer
    haystack ??= session.events.map((event) => cleanLine(eventText(event)))
    const found = haystack.some((text) => text.includes(needle))
    known.set(needle, found)
    return found
  }
}

/** True where the words of the command stand in a user or assistant text, or were run by the agent. */
function wasProposed(command: string, session: Session): boolean {
  const wanted = cleanLine(command)
  return session.events.some((event) => {
    if (event.type !== 'user' && event.type !== 'assistant' && event.type !== 'tool_call') return false
    return cleanLine(eventText(event)).includes(wanted)
  })
}
