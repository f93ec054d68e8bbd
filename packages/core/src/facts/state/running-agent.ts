import { eventIndex, type SessionEvent } from '../../session/event.ts'
import type { StateFact } from '../facts.ts'
import { isAct, type WorkTurn } from './last-turn.ts'

/** Returns the subagent that works after the last words of the main agent: it never ended, and acted after them. */
export function runningAgent(
  events: readonly SessionEvent[],
  turn: WorkTurn,
): { readonly task: string; readonly end: Omit<StateFact, 'request'> } | undefined {
  const open = new Set<string>()
  for (const event of events)
    if (event.type === 'subagent_start') open.add(event.child)
    else if (event.type === 'subagent_end') open.delete(event.child)
  const said = turn.events.findLast(isAct)?.id ?? 'e0'
  const act = events.slice(eventIndex(said) + 1).findLast((event) => isAct(event) && open.has(event.agent))
  if (act === undefined) return undefined
  const order = events.find((event) => event.type === 'context' && event.agent === act.agent)
  const evidence = [order?.id ?? act.id, act.id]
  const task = order?.type === 'context' ? order.text : ''
  return { task, end: { state: 'in-progress', because: 'subagent', evidence, questions: [] } }
}
