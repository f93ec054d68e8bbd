import type { SessionSummary } from '../bundle/session-summary.ts'
import type { Facts } from '../facts/facts.ts'
import { eventIndex } from '../session/event.ts'
import type { Session } from '../session/session.ts'

/** Ticks the steps of a plan that the task list says are completed, or that the agent said are. */
export function withDoneSteps<T extends Pick<SessionSummary, 'plan'>>(
  summary: T,
  session: Session,
  facts: Facts,
): T {
  const { plan } = summary
  if (plan === undefined || plan.steps.length === 0) return summary
  const status = new Map(facts.tasks.map((task) => [wordsOf(task.text), task.status]))
  const written = Math.max(0, ...plan.steps.flatMap(({ evidence }) => evidence.map(eventIndex)))
  const said = saidDone(session, written)
  const isDone = (text: string, index: number): boolean => {
    const words = wordsOf(text)
    const known = status.get(words)
    return known === undefined ? said.numbers.has(index + 1) || said.ticked.has(words) : known === 'completed'
  }
  const steps = plan.steps.map((step, index) =>
    isDone(step.text, index) ? { ...step, done: true as const } : step,
  )
  return { ...summary, plan: { ...plan, steps } }
}

/** Letters and digits of a step without its number, so that two spellings of it are the same. */
function wordsOf(text: string): string {
  return text
    .replace(/^(?:step\s+)?\d{1,2}[.):]\s+/i, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

const ticked = /^(?:[-*]|\d{1,2}[.)])?\s*(?:\[[xX]\]|✅|✓|✔️?)\s*(.{3,400})$/
const numbered =
  /\bstep (\d{1,2})\b(?:[ :–-]{1,3}(?:is |are |now )*)(?:done|complete|completed|finished)\b|\b(?:completed|finished|done with) step (\d{1,2})\b/gi

/** What the agent called done after an event: steps by their number, and lines with a tick. */
function saidDone({ events }: Session, after: number): { numbers: Set<number>; ticked: Set<string> } {
  const said = { numbers: new Set<number>(), ticked: new Set<string>() }
  for (const event of events.slice(after + 1)) {
    if (event.type !== 'assistant' || event.copied === true) continue
    for (const line of event.text.split('\n')) {
      const text = ticked.exec(line.trim())?.[1]
      if (text !== undefined) said.ticked.add(wordsOf(text.replaceAll('**', '')))
      for (const [, first, second] of line.slice(0, longestLine).matchAll(numbered))
        said.numbers.add(Number(first ?? second))
    }
  }
  return said
}

const longestLine = 2000
