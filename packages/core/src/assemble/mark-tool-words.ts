import type { ContextBundle } from '../bundle/schema.ts'
import { type NextStep, type SessionSummary, toolMark } from '../bundle/session-summary.ts'
import type { Facts } from '../facts/facts.ts'
import type { Note } from '../session/note.ts'
import type { Steps } from '../session/pauses.ts'
import type { Session } from '../session/session.ts'
import { type Entry, entryText, listsOf, mapLists } from '../summarize/summary-lists.ts'
import { sentencesOf, toolSentences } from './tool-words.ts'

/**
 * Marks the statements of a summary whose words only tools printed. Nobody planned such a next step, so it becomes an
 * open question; such a current task, which would be the title of a brief, is left out.
 */
export function* markToolWords(
  summary: SessionSummary,
  session: Session,
  facts: Facts,
  parent: ContextBundle | undefined,
  byModel: boolean,
): Steps<{ readonly summary: SessionSummary; readonly notes: readonly Note[] }> {
  const { workflow, fileReasons, plan, progress, research } = summary
  const { currentTask = '' } = workflow
  const texts = [
    summary.overview,
    byModel ? summary.resumeInstructions : '',
    currentTask,
    plan?.approach,
    progress?.currentState,
  ]
    .concat(
      research?.decision,
      fileReasons.map(({ reason }) => reason),
    )
    .flatMap((text) => text ?? [])
  const statements = listsOf(summary).flatMap(([key, list]) =>
    key === 'constraints' ? [] : list.map(wordsOf),
  )
  const ofTools = yield* toolSentences([...texts, ...statements].flatMap(sentencesOf), session, facts, parent)
  if (ofTools.size === 0) return { summary, notes: [] }
  let marked = 0
  const isTools = (text: string) => sentencesOf(text).some((sentence) => ofTools.has(sentence))
  const markText = (text: string): string =>
    sentencesOf(text)
      .map((sentence) => {
        if (!ofTools.has(sentence)) return sentence
        marked++
        return withToolMark(sentence)
      })
      .join('')
  const markEntry = <T extends Entry>(entry: T): T => {
    if (!isTools(wordsOf(entry))) return entry
    marked++
    const mark = withToolMark(entryText(entry))
    return {
      ...entry,
      ...('text' in entry ? { text: mark } : 'choice' in entry ? { choice: mark } : { action: mark }),
    }
  }
  const lists = mapLists(summary, (list, key) => (key === 'constraints' ? [...list] : list.map(markEntry)))
  const planned = (step: NextStep) => !step.action.startsWith(toolMark)
  const { currentTask: task, ...rest } = lists.workflow
  return {
    summary: {
      ...lists,
      overview: markText(summary.overview),
      resumeInstructions: byModel ? markText(summary.resumeInstructions) : summary.resumeInstructions,
      workflow: { ...rest, ...(task === undefined || isTools(task) ? {} : { currentTask: task }) },
      nextSteps: lists.nextSteps.filter(planned),
      openQuestions: [
        ...lists.openQuestions,
        ...lists.nextSteps
          .filter((step) => !planned(step))
          .map(({ action, command: _, ...step }) => ({ ...step, text: action })),
      ],
      fileReasons: fileReasons.map(({ path, reason }) => ({ path, reason: markText(reason) })),
      ...(lists.plan && { plan: { ...lists.plan, approach: markText(lists.plan.approach) } }),
      ...(lists.progress && {
        progress: { ...lists.progress, currentState: markText(lists.progress.currentState) },
      }),
      ...(research && { research: { decision: markText(research.decision) } }),
    },
    notes: [{ code: 'tool-words', message, count: marked }],
  }
}

const message =
  'statements were marked: their words are only in tool output, not in messages of the user or the agent'

/** Adds the mark to a sentence, after the mark of a list. */
export function withToolMark(sentence: string): string {
  if (sentence.includes(toolMark)) return sentence
  const [blank = ''] = /^\s*(?:[-*•]\s+|\d{1,3}[.)]\s+)?/.exec(sentence) ?? []
  return `${blank}${toolMark} ${sentence.slice(blank.length)}`
}

export function wordsOf(item: Entry): string {
  if (!('choice' in item)) return entryText(item)
  return [item.choice, item.topic, item.rationale, ...item.alternatives].join(' ')
}
