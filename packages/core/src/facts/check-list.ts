import type { EventId } from '../session/event.ts'
import type { TaskFact } from './facts.ts'

/**
 * Reads a task list that is written as text, a task a line: `- [x] built`, `[-] tests`, `2. [in_progress] docs`. Returns
 * nothing if a text has no such line.
 */
export function readCheckList(text: string, event: EventId): TaskFact[] {
  if (!text.includes('[')) return []
  return text.split('\n').flatMap((line): TaskFact[] => {
    const [, mark = '', task = ''] = checkLine.exec(line) ?? []
    const status = task === '' ? undefined : statusOfMark(mark)
    return status === undefined ? [] : [{ text: task.trim(), status, event }]
  })
}

const checkLine = /^\s{0,20}(?:[-*+]\s{1,4}|\d{1,3}[.)]\s{1,4})?\[([^[\]\n]{1,12})\]\s{1,4}(\S.{0,500})/

function statusOfMark(mark: string): TaskFact['status'] | undefined {
  if (mark.trim() === '') return 'pending'
  if (/^[xX✓✔]$/.test(mark)) return 'completed'
  if (/^[-~/>]$/.test(mark)) return 'in_progress'
  return /^(?:pending|todo|open|in[ _-]progress|completed?|done|cancell?ed)$/i.test(mark)
    ? taskStatus(mark)
    : undefined
}

/** The status of a task from the word that an agent has for it; a word that is not known is `pending`. */
export function taskStatus(status: unknown): TaskFact['status'] {
  const word = typeof status === 'string' ? status.toLowerCase().replace(/[\s-]/g, '_') : ''
  if (/^(?:completed?|done|finished|closed)$/.test(word)) return 'completed'
  if (/^(?:in_progress|inprogress|doing|active|started|running)$/.test(word)) return 'in_progress'
  return /^(?:cancell?ed|deleted|skipped|abandoned|wont_do)$/.test(word) ? 'cancelled' : 'pending'
}
