import { cleanLine, eventIndex, failingCheck, mayComeNext } from '@tenfold/core/internal/summarizer'
import type { Facts, NextStep, SummaryItem, TranscriptItem } from '@tenfold/core/summarizer'
import { failsLate, resumePoint } from './resume-point.ts'
import { clip } from './sentences.ts'
import { tasksAtHand, tasksOfTurn } from './tasks-at-hand.ts'

/**
 * What to do next. What the last words name comes first, after the question that the session waits for or the place
 * where it was cut off; then a check that fails, and the tasks that remain.
 */
export function nextStepsOf(
  items: readonly TranscriptItem[],
  facts: Facts,
  blockers: readonly SummaryItem[] = [],
): NextStep[] {
  const named = namedSteps(facts)
  const failing = checkToPass(items, facts)
  const left = facts.state?.because === 'answer' ? leftSteps(facts, blockers) : []
  // An open task is a step of its own.
  const isSaid = facts.state?.because === 'tasks' && named.length > 0
  const point = isSaid ? [] : resumePoint(items, facts)
  // The user is asked to run it already.
  const check = failing.filter(({ command }) =>
    point.every((step) => step.command !== command || command === undefined),
  )
  const isPointFirst = /^(?:waiting|interrupted|failed)$/.test(facts.state?.state ?? '')
  const request = eventIndex(facts.state?.request ?? 'e0')
  const isOfTurn = ({ evidence }: NextStep) => evidence.some((event) => eventIndex(event) >= request)
  const first = isPointFirst ? [] : named.filter(isOfTurn)
  return distinct([
    ...first,
    ...point,
    ...named.filter((step) => !first.includes(step)),
    ...check,
    ...left,
    ...taskSteps(items, facts, 'in_progress'),
    ...taskSteps(items, facts, 'pending'),
  ])
}

/** What the last words name as next, with the command in them. */
function namedSteps(facts: Facts): NextStep[] {
  return facts.openWork.steps.map(({ text, event }) => {
    const command = facts.proposals.find(
      (proposal) => proposal.event === event && proposal.rest !== true && text.includes(proposal.command),
    )?.command
    const isOpen = command !== undefined && mayComeNext(command, facts)
    return { ...step(text, [event]), ...(isOpen ? { command } : {}) }
  })
}

/** What keeps an answered session from being done: questions and what the answer says is not done. */
function leftSteps({ state, openWork }: Facts, blockers: readonly SummaryItem[]): NextStep[] {
  const questions = (state?.questions ?? []).map(({ text, event }) => step(`Open question: ${text}`, [event]))
  const said = [
    ...blockers.filter(({ evidence }) => evidence.some((event) => event === state?.answer)),
    ...openWork.remarks.map(({ text, event }) => ({ text, evidence: [event] })),
  ]
  const remarks = said.map(({ text, evidence }) => step(`Open: ${clip(text, 240)}`, evidence))
  return [...questions, ...remarks]
}

function checkToPass(items: readonly TranscriptItem[], facts: Facts): NextStep[] {
  const check = failingCheck(facts)
  if (check === undefined || !failsLate(items, facts)) return []
  const command = check.command.trim()
  const isLine = command.length <= 300 && cleanLine(command) === command
  return [
    {
      ...step(`Make it pass: ${clip(check.part ?? check.command, 160)}`, [check.result ?? check.call]),
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

/** Removes steps that say the same as one before them. */
function distinct(steps: readonly NextStep[]): NextStep[] {
  const actions = new Set<string>()
  return steps.filter(({ action }) => action !== '' && !actions.has(action) && actions.add(action))
}
