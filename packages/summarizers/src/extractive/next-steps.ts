import {
  cleanLine,
  type Facts,
  failingCheck,
  type NextStep,
  type TranscriptItem,
} from '@tenfold/core/summarizer'
import { compactedNext } from './compacted-next.ts'
import { listedNext } from './listed-next.ts'
import { failsLate, resumePoint, tasksAtHand, tasksOfTurn } from './resume-point.ts'
import { clip } from './sentences.ts'

/**
 * What to do next, the resume point first; then a check that fails, what the last answer lists as next, and the tasks
 * that remain.
 */
export function nextStepsOf(items: readonly TranscriptItem[], facts: Facts): NextStep[] {
  const named = listedNext(items, facts)
  // If work is not over, what the agent named as next is the resume point.
  const isOpen = facts.state?.because === 'tasks'
  return distinct([
    ...(isOpen ? named : []),
    ...resumePoint(items, facts),
    ...checkToPass(items, facts),
    ...named,
    ...compactedNext(items, facts),
    ...taskSteps(items, facts, 'in_progress'),
    ...taskSteps(items, facts, 'pending'),
  ])
}

function checkToPass(items: readonly TranscriptItem[], facts: Facts): NextStep[] {
  const check = failingCheck(facts)
  if (check === undefined || !failsLate(items, facts)) return []
  const command = check.command.trim()
  const isLine = command.length <= 300 && cleanLine(command) === command
  return [
    {
      ...step(`Make it pass: ${clip(check.command, 160)}`, [check.result ?? check.call]),
      ...(isLine ? { command } : {}),
    },
  ]
}

function taskSteps(
  items: readonly TranscriptItem[],
  facts: Facts,
  status: 'in_progress' | 'pending',
): NextStep[] {
  // A user who ended the turn without looking at an old list has abandoned it.
  const isOver = facts.state?.state === 'finished' || facts.state?.state === 'waiting'
  return (isOver ? tasksOfTurn(facts) : tasksAtHand(items, facts))
    .filter((task) => task.status === status)
    .map((task) => step(clip(task.text, 240), [task.event]))
}

function step(action: string, evidence: NextStep['evidence']): NextStep {
  return { action: cleanLine(action), evidence }
}

/** Removes duplicate actions and commands. */
function distinct(steps: readonly NextStep[]): NextStep[] {
  const actions = new Set<string>()
  const commands = new Set<string>()
  return steps.filter(({ action, command }) => {
    if (action === '' || actions.has(action) || (command !== undefined && commands.has(command))) return false
    actions.add(action)
    if (command !== undefined) commands.add(command)
    return true
  })
}
