import { type CommandFact, cleanLine, type Facts, type NextStep, type ReadingItem } from '@tenfold/core'
import { cues, hasCue } from './cues.ts'
import { clip, opening, sentencesOf } from './sentences.ts'

/**
 * What to do next, the resume point first: a request without an answer, what an answer names as the next step, a failing
 * check, the task in progress, what else the agent said it would do, tasks that remain.
 */
export function nextStepsOf(items: readonly ReadingItem[], facts: Facts): NextStep[] {
  const stated = statedIntent(items, facts)
  const steps: NextStep[] = [
    ...unanswered(items),
    ...stated.filter((intent) => intent.plain).map((intent) => intent.step),
    ...failingCheck(items, facts),
    ...taskSteps(facts, 'in_progress'),
    ...stated.filter((intent) => !intent.plain).map((intent) => intent.step),
    ...taskSteps(facts, 'pending'),
  ]
  if (steps.length === 0) steps.push(...afterLastAnswer(items))
  return withCommand(distinct(steps), items, facts)
}

/** The last words of the user, where no answer that ends a turn follows them. */
function unanswered(items: readonly ReadingItem[]): NextStep[] {
  const last = items.findLastIndex(
    (item) => item.label === 'user' && item.agent === 'main' && !/^\/\w+$/.test(item.text.trim()),
  )
  const asked = items[last]
  if (asked === undefined || items.slice(last).some((item) => item.final && item.agent === 'main')) return []
  const before = items
    .slice(0, last)
    .findLast((item) => item.label === 'user' && item.text.trim().length >= 20)
  // "ok", "fix", "yes": what it is about was said before.
  const about =
    asked.text.trim().length < 20 && before !== undefined ? ` (about: ${opening(before.text, 100)})` : ''
  return [step(`Continue: ${opening(asked.text, 140)}${about}`, [asked.event])]
}

/** A check that failed in the last third of the session: one that failed before was left behind. */
function failingCheck(items: readonly ReadingItem[], facts: Facts): NextStep[] {
  const check = facts.validation
  const end = Number(items.at(-1)?.event.slice(1) ?? 0)
  if (check?.status !== 'error' || Number(check.call.slice(1)) < end * (2 / 3)) return []
  const command = oneLine(check)
  return [
    {
      ...step(`Make it pass: ${clip(check.command, 160)}`, [check.result ?? check.call]),
      ...(command ? { command } : {}),
    },
  ]
}

function taskSteps(facts: Facts, status: 'in_progress' | 'pending'): NextStep[] {
  return facts.tasks
    .filter((task) => task.status === status)
    .map((task) => step(clip(task.text, 240), [task.event]))
}

/** What the agent said it would do; `plain` where an answer names it as the next step in so many words. */
interface Intent {
  readonly plain: boolean
  readonly step: NextStep
}

/** Sentences of the last texts of the agent that say what comes next. */
function statedIntent(items: readonly ReadingItem[], facts: Facts): Intent[] {
  const texts = items
    .filter((item) => item.type === 'assistant' && item.agent === 'main')
    .slice(-2)
    .reverse()
  for (const item of texts) {
    const sentences = sentencesOf(item.text)
    const listed = sentences.filter((sentence) => sentence.listed && hasCue(sentence.under, cues.next))
    const said = sentences.filter(
      ({ text, question }) => !question && hasCue(text, cues.next) && !/\b(no|none|nothing)\b/i.test(text),
    )
    const found = (listed.length > 0 ? listed : said).slice(0, 6)
    if (found.length === 0) continue
    return found.map(({ text, listed: inList }) => {
      const command = namedCommand(text, facts)
      const said = step(clip(text, 240), [item.event])
      const plain =
        item.final === true &&
        (inList || /^next\b|^(próximo|siguiente|prochaine|nächste|下一步|次)/i.test(text))
      return { plain, step: command === undefined ? said : { ...said, command } }
    })
  }
  return []
}

function afterLastAnswer(items: readonly ReadingItem[]): NextStep[] {
  const answers = items.filter((item) => item.final && item.agent === 'main')
  const answer = answers.findLast((item) => item.text.length >= 60) ?? answers.at(-1)
  if (answer === undefined) return []
  const question = sentencesOf(answer.text).findLast((sentence) => sentence.question)
  const action =
    question === undefined
      ? `No open step was stated. Last answer: ${opening(answer.text, 180)}`
      : `Answer: ${clip(question.text, 240)}`
  return [step(action, [answer.event])]
}

/** The first step gets a command where it has none: one that the last answer names, else the last check, else the last run. */
function withCommand(steps: readonly NextStep[], items: readonly ReadingItem[], facts: Facts): NextStep[] {
  const [first, ...rest] = steps
  if (first === undefined || first.command !== undefined) return [...steps]
  const last = items.findLast((item) => item.type === 'assistant' && item.agent === 'main')
  const named = last === undefined ? undefined : namedCommand(last.text, facts)
  const check = facts.validation ?? facts.commands.at(-1)
  const command = named ?? (check === undefined ? undefined : oneLine(check))
  return [command === undefined ? first : { ...first, command }, ...rest]
}

/** A command in backticks whose program the session has run. */
function namedCommand(text: string, facts: Facts): string | undefined {
  const programs = new Set(facts.commands.map((command) => command.program.split(' ')[0]))
  return [...text.matchAll(/`([^`\n]{3,200})`/g)]
    .map(([, code = '']) => cleanLine(code))
    .findLast((code) => {
      const [program, argument] = code.split(' ')
      return argument !== undefined && programs.has(program)
    })
}

function oneLine(command: CommandFact): string | undefined {
  const text = command.command.trim()
  return text.includes('\n') || text.length > 300 || cleanLine(text) !== text ? undefined : text
}

function step(action: string, evidence: NextStep['evidence']): NextStep {
  return { action: cleanLine(action), evidence }
}

function distinct(steps: readonly NextStep[]): NextStep[] {
  const seen = new Set<string>()
  return steps.filter(({ action }) => (action === '' || seen.has(action) ? false : seen.add(action)))
}
