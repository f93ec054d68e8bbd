import { cleanLine, cleanText, type Steps } from '@tenfold/core/internal/summarizer'
import type {
  Decision,
  Facts,
  SessionSummary,
  SummaryItem,
  TaskFact,
  TranscriptItem,
} from '@tenfold/core/summarizer'
import { risksOf } from './findings.ts'
import { announces, clip, opening, type ReadSentences, type Sentence, sentencesOf } from './sentences.ts'
import { tasksAtHand } from './tasks-at-hand.ts'

/** The sections of a plan: its text, its steps, and the risks that it names itself or that the agent named elsewhere. */
export function* planSection(
  items: readonly TranscriptItem[],
  facts: Facts,
  read: ReadSentences,
): Steps<NonNullable<SessionSummary['plan']>> {
  const proposed = items.findLast((item) => /^exit_?plan/i.test(item.label))
  const source = proposed ?? items.findLast((item) => item.final && item.agent === 'main')
  const text = planText(source)
  const sentences = sentencesOf(text)
  const tasks = tasksWith(facts.tasks, ['completed', 'in_progress', 'pending'])
  const statement = (sentence: Sentence, length: number): SummaryItem => ({
    text: cleanLine(clip(sentence.text, length)),
    evidence: source === undefined ? [] : [source.event],
  })
  const ownRisks = sentences.filter(({ under }) => riskHeading.test(under))
  return {
    approach: cleanText(text).trim(),
    steps:
      tasks.length > 0
        ? tasks
        : stepsIn(sentences)
            .slice(0, 30)
            .map((sentence) => statement(sentence, 240)),
    risks:
      ownRisks.length > 0
        ? ownRisks.map((sentence) => statement(sentence, 300))
        : yield* risksOf(items, read),
  }
}

const riskHeading =
  /\b(?:risks?|caveats?|mitigations?)\b|\brisiken\b|\brisques\b|\briesgos\b|\briscos\b|\brischi\b|риски|风险|風險|リスク|위험/i

const stepsHeading =
  /\b(?:steps?|implementation|tasks?|phases?|milestones?|schritte|étapes|pasos|etapas|passi)\b|шаги|步骤|步驟|手順|단계/i

/** The items of the lists under headings of steps; otherwise of all lists that do not name risks. */
function stepsIn(sentences: readonly Sentence[]): Sentence[] {
  const listed = sentences.filter(({ listed, under }) => listed && !riskHeading.test(under))
  const steps = listed.filter(({ under }) => stepsHeading.test(under))
  return steps.length > 0 ? steps : listed
}

/** The plan itself: the line of a tool call before it names it again. */
function planText(source: TranscriptItem | undefined): string {
  if (source === undefined) return ''
  return source.type === 'tool_call' ? source.text.split('\n').slice(1).join('\n') : source.text
}

export function progressSection(
  items: readonly TranscriptItem[],
  facts: Facts,
): NonNullable<SessionSummary['progress']> {
  const last = lastWords(items, facts)
  const atHand = tasksAtHand(items, facts)
  return {
    currentState: last === undefined ? '' : cleanText(opening(last.text, 800)).trim(),
    completed: tasksWith(facts.tasks, ['completed']),
    inProgress: tasksWith(atHand, ['in_progress']),
    remaining: tasksWith(atHand, ['pending']),
  }
}

/**
 * What the research ended in: the section of the last answer that says so, otherwise the last decision of the user,
 * then of the agent, then how the answer begins. A question is no decision.
 */
export function researchDecision(decisions: readonly Decision[], items: readonly TranscriptItem[]): string {
  const answer = items.findLast((item) => item.final && item.agent === 'main')
  const sentences = answer === undefined ? [] : sentencesOf(answer.text)
  const concluded = sentences.filter(({ under, question }) => decisionHeading.test(under) && !question)
  const made = decisions.filter(({ choice }) => !/[?？]["')\]]*$/.test(choice))
  // What the user says unasked is more often how to go on than what came of the research.
  const answered = made.findLast(({ by, topic }) => by === 'user' && topic !== undefined)
  const last = answered ?? made.findLast(({ by }) => by === 'user') ?? made.at(-1)
  const words =
    concluded.length > 0
      ? clip(concluded.map(({ text }) => text).join(' '), 600)
      : (last?.choice ?? (answer === undefined ? '' : opening(answer.text, 600)))
  return cleanText(words).trim()
}

const decisionHeading =
  /^(?:\W|\d|the |my |final )*(?:decisions?|recommendations?|conclusions?|verdict|entscheidung|empfehlung|fazit|décision|conclusión|decisión|recomendación)\b|^(?:结论|決論|结论与建议|建议|決定|推奨|結論|решение|вывод)/i

/** The agent's last words about the work, ignoring an answer to a thank-you. */
export function lastWords(items: readonly TranscriptItem[], { state }: Facts): TranscriptItem | undefined {
  const answer =
    items.find(({ event }) => event === state?.answer) ??
    items.findLast((item) => item.final && item.agent === 'main')
  // In work that goes on, what the agent was about to do is worth more than what it had done.
  if (answer === undefined || state?.state !== 'finished' || saysSomething(answer.text)) return answer
  const turn = items.filter((item) => item.agent === 'main' && item.turn === answer.turn)
  const before = turn.slice(0, turn.indexOf(answer))
  return before.findLast(({ type, text }) => type === 'assistant' && saysSomething(text)) ?? answer
}

/** "Done.", "Now let me verify it:" and "Calling `submit` to submit." say nothing of the result. */
function saysSomething(text: string): boolean {
  const told = sentencesOf(text)
    .map((sentence) => sentence.text)
    .filter((sentence) => !announces.test(sentence) && !/[:：]$/.test(sentence))
    .join(' ')
  return told.length > 20 || /[`\d\u2e80-\uffdc]/.test(told)
}

/** The tasks of a list that have one of these statuses. */
export function tasksWith(tasks: Facts['tasks'], statuses: readonly TaskFact['status'][]): SummaryItem[] {
  return tasks
    .filter((task) => statuses.includes(task.status))
    .map((task) => ({ text: cleanLine(clip(task.text, 240)), evidence: [task.event] }))
    .filter((item) => item.text !== '')
}
