import type { ContextBundle, TrailEntry } from '../bundle/schema.ts'
import { isExit, isHarnessCommand } from '../facts/state/harness-commands.ts'

/**
 * Returns the last words of the user in a trail: the last message with a request and the unanswered ones right before
 * it, and the very last one if that is thanks or the like. A command with which the user leaves is left out.
 */
export function lastWords(trail: readonly TrailEntry[]): TrailEntry[] {
  const main = trail.filter(({ agent, text }) => agent === 'main' && !isExit(text) && !isHarnessCommand(text))
  // In the log of a subagent nobody typed, so its task is used.
  const asks = main.some(({ label }) => label === 'user') ? 'user' : 'task'
  const last = main.findLast(({ label }) => label === asks)
  const at = main.findLastIndex((entry) => entry.label === asks && !isIdle(entry))
  if (last === undefined) return []
  if (at < 0) return [last]
  let from = at
  while (main[from - 1]?.label === asks) from--
  const asking = main.slice(from, at + 1).filter((entry) => !isIdle(entry))
  return last === main[at] ? asking : [...asking, last]
}

/**
 * Returns the last answer of the agent in a trail. One such as "Pushed." leaves what was done to the answers before it, up
 * to that of the last turn that edited a file; what a harness says under its name is none, what the agent said before a
 * call that ends the session is one. Of a session that was cut off, what it reported since the last request: an
 * earlier answer was replied to.
 */
export function lastAnswers(bundle: ContextBundle): TrailEntry[] {
  const main = bundle.trail.filter(({ agent }) => agent === 'main')
  const end = main.findLastIndex(isSaid)
  if (isCutOff(bundle)) {
    const asked = main.indexOf(lastWords(main).at(-1) as TrailEntry)
    return main
      .slice(asked + 1)
      .filter(reports)
      .slice(-maxAnswers)
  }
  const isLong = (main[end]?.text.length ?? 0) > shortAnswer
  const last = bundle.state === 'finished' || isLong ? end : main.length - 1
  const answers: TrailEntry[] = []
  for (const [at, entry] of [...main.entries()].reverse()) {
    const isAnswer = isSaid(entry) && (at === last || main[at + 1]?.label === 'user')
    const isTold = answers[0] !== undefined && (answers[0].text.length > shortAnswer || isEdit(entry))
    if (isTold || answers.length === maxAnswers) break
    if (isAnswer) answers.unshift(entry)
  }
  return answers
}

/** Whether the agent was still at work. A long text at the end is an answer, even if it leaves work open. */
export function isCutOff({ trail, state = 'finished' }: ContextBundle): boolean {
  const last = trail.findLast(({ agent }) => agent === 'main')
  const isAnswer = last !== undefined && isSaid(last) && last.text.length > shortAnswer
  return !/^(?:finished|waiting)$/.test(state) && !isAnswer
}

const isSaid = ({ label, text }: TrailEntry) => label === 'assistant' && !/^API Error\b/.test(text)
const shortAnswer = 200
/** Whether a text of the agent says more than what comes next, or a subagent refused the work. */
function reports(entry: TrailEntry): boolean {
  if (isSaid(entry)) return entry.text.replace(announced, '').length > 50
  return refused.test(`${entry.label} ${entry.text.slice(0, 600)}`)
}

const announced = /(?<=^|[.!?。]\s?)[^.!?。\n]*[:：]\s*$/
const refused = /^(?:[Tt]ask|\w*gent) [\s\S]*(?:REQUEST CHANGES|CHANGES REQ|REJECT|FAIL|❌)/
const maxAnswers = 3

/** Whether an entry is a message of the user or an agent, not a call. */
export function isWords({ label }: Pick<TrailEntry, 'label'>): boolean {
  return /^(?:user|assistant|plan|reasoning|context|compaction|task)$/.test(label)
}

/** Whether an entry is an edit in the trail's form: `src/a.ts +12 -3`. */
export function isEdit({ text }: TrailEntry): boolean {
  return /^.{1,400} [+]\d{1,7}(?: -\d{1,7})?$/m.test(text)
}

/** Adds to a message the title of the plan that it hands over, or the offer that a mere "yes" answers. */
export function inContext(
  entry: TrailEntry,
  { trail, workflow: { currentTask: task } }: ContextBundle,
): TrailEntry {
  const next = trail[trail.indexOf(entry) + 1]
  const plan = next?.label === 'plan' ? `\n${next.text.split('\n')[0]}` : ''
  const offer = task?.startsWith(`${entry.text} (the agent `) ? task.slice(entry.text.length) : ''
  return { ...entry, text: entry.text + offer + plan }
}

/** Whether a message of the user asks for nothing: a command of the harness, thanks. */
export function isIdle({ text }: TrailEntry): boolean {
  return isExit(text) || isHarnessCommand(text) || smallTalk.test(text.slice(0, longest))
}

const longest = 200

/** Common words of small talk. Those of `turn-cues.ts` are too many to load into a program that only renders briefs. */
const smallTalk =
  /^(?:(?:ok(?:ay)?|so|many|great|perfect|awesome|nice|cool|good|looks?|far|thanks?(?: you)?|thx|cheers|much|very|a lot|for (?:the|your) help|bye|goodbye|hello|hi|hey|there|merci|beaucoup|danke|gracias|muchas|obrigad[oa]|grazie|спасибо|谢谢|謝謝|ありがとう(?:ございます)?|감사합니다)(?:[\s,.!。！]+|$))+$/i
