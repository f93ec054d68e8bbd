import { askingPart, eventIndex, onlyGoesOn, wantsToKnow } from '@tenfold/core/internal/summarizer'
import type { Facts, TranscriptItem } from '@tenfold/core/summarizer'

/** The tasks, unless the list was last changed before the current request. */
export function tasksOfTurn({ tasks, state }: Facts): Facts['tasks'] {
  const since = state?.request === undefined ? -1 : eventIndex(state.request)
  return tasks.some(({ event }) => eventIndex(event) > since) ? tasks : []
}

/**
 * The tasks, unless the agent worked on two later requests without a change of the list, or committed its work since and
 * finished a later request.
 */
export function tasksAtHand(items: readonly TranscriptItem[], { tasks, state, git }: Facts): Facts['tasks'] {
  const changed = tasks.reduce((last, { event }) => Math.max(last, eventIndex(event)), -1)
  if (state?.state === 'finished' && git.commits.some(({ event }) => eventIndex(event) > changed)) return []
  let worked = 0
  let isAsked = false
  for (const { agent, event, label, text, type } of items) {
    if (agent !== 'main' || eventIndex(event) <= changed) continue
    if (label === 'user') {
      const asked = askingPart(text)
      // "Continue", or a question about how things are: the work stays the same.
      isAsked ||= !onlyGoesOn.test(asked) && (asked.length > 200 || !wantsToKnow.test(asked))
    } else if (isAsked && (type === 'assistant' || type === 'tool_call')) {
      worked++
      isAsked = false
    }
  }
  return worked >= 2 ? [] : tasks
}
