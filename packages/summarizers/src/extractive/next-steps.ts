import {
  cleanLine,
  type Facts,
  failingCheck,
  mayComeNext,
  type NextStep,
  type ReadingItem,
} from '@tenfold/core'
import { failsLate, resumePoint, tasksOfTurn } from './resume-point.ts'
import { clip, sentencesOf } from './sentences.ts'

/**
 * What to do next, the resume point first; then a check that fails, what the last answer lists as next, and the tasks
 * that remain.
 */
export function nextStepsOf(items: readonly ReadingItem[], facts: Facts): NextStep[] {
  return distinct([
    ...resumePoint(items, facts),
    ...checkToPass(items, facts),
    ...listedNext(items, facts),
    ...taskSteps(facts, 'in_progress'),
    ...taskSteps(facts, 'pending'),
  ])
}

function checkToPass(items: readonly ReadingItem[], facts: Facts): NextStep[] {
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

function taskSteps(facts: Facts, status: 'in_progress' | 'pending'): NextStep[] {
  // Who ended his turn without a look at an old list has left it behind.
  const isOver = facts.state?.state === 'finished' || facts.state?.state === 'waiting'
  return (isOver ? tasksOfTurn(facts) : facts.tasks)
    .filter((task) => task.status === status)
    .map((task) => step(clip(task.text, 240), [task.event]))
}

/** What the last answer lists as next, or says in a sentence that begins so. */
function listedNext(items: readonly ReadingItem[], facts: Facts): NextStep[] {
  const item = items.find(({ event }) => event === facts.state?.answer)
  if (item === undefined) return []
  const sentences = sentencesOf(item.text).filter(({ question }) => !question)
  const listed = sentences.filter(
    (sentence) => sentence.listed && namesNext.test(sentence.under) && !tellsDone.test(sentence.under),
  )
  const said = sentences.filter(({ text }) => beginsNext.test(text) && !/\b(?:no|none|nothing)\b/i.test(text))
  return (listed.length > 0 ? listed : said).slice(0, 6).map(({ text }) => {
    const command = facts.proposals.find(
      (proposal) =>
        proposal.event === item.event && proposal.rest !== true && text.includes(proposal.command),
    )?.command
    const isOpen = command !== undefined && mayComeNext(command, facts)
    return { ...step(clip(text, 240), [item.event]), ...(isOpen ? { command } : {}) }
  })
}

/** A heading or lead of what comes next, in the languages of the cues. */
const namesNext =
  /\bnext (?:steps?|actions?|up|tasks?|items?|options?|phases?|moves?)\b|^next\b|\bnext:?$|(?:what's|what is|comes) next|\b(?:remaining|follow[- ]?ups?|to ?dos?|still (?:to do|open|needed)|left to do|what's left|outstanding|pending|future work)\b|próxim|siguientes?|pendientes?|falta|prochain|reste|à faire|nächste|noch offen|ausstehend|prossim|restante|следующ|осталось|下一步|接下来|接下來|后续|後續|待办|待辦|剩余|剩餘|未完成|次の|残り|今後|다음|남은/i

const tellsDone =
  /\b(?:continued|completed|finished|implemented|did|done|added|proceeded|took|resolved|fixed)\b/i

const beginsNext =
  /^(?:the )?(?:(?:logical |sensible |obvious )?next (?:step|up|thing|sensible step)|next[,:]|still (?:to do|open|needed|missing)|remaining[,:]|todo:)|^(?:próximo|siguiente|prochaine|nächste[rs]?|prossimo|следующ|下一步|接下来|接下來|次(?:の|に)|다음)/i

function step(action: string, evidence: NextStep['evidence']): NextStep {
  return { action: cleanLine(action), evidence }
}

function distinct(steps: readonly NextStep[]): NextStep[] {
  const seen = new Set<string>()
  return steps.filter(({ action }) => (action === '' || seen.has(action) ? false : seen.add(action)))
}
