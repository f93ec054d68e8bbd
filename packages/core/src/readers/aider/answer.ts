import { writeAnswer, writeCall } from '../messages/conversation.ts'
import { type EditBlock, findEdits } from './edit-blocks.ts'
import type { AiderRun } from './run.ts'

/** Writes the model's text; its SEARCH/REPLACE blocks become calls, which aider answers further down. */
export function readAnswer(run: AiderRun): void {
  const { conversation, answer } = run
  run.inEdit = false
  run.inFence = false
  if (answer.lines.length === 0) return
  const lines = answer.lines.splice(0)
  let from = 0
  for (const edit of findEdits(lines)) {
    writeLines(run, lines, from, edit.start)
    conversation.at = { file: answer.at.file, line: answer.at.line + edit.start }
    readEdit(run, edit)
    from = edit.end + 1
  }
  writeLines(run, lines, from, lines.length)
  conversation.at = undefined
}

function writeLines(run: AiderRun, lines: readonly string[], from: number, to: number): void {
  const { conversation, answer } = run
  let first = from
  while (first < to && lines[first]?.trim() === '') first++
  if (first >= to) return
  conversation.at = { file: answer.at.file, line: answer.at.line + first }
  writeAnswer(conversation, lines.slice(first, to).join('\n').trim())
}

function readEdit(run: AiderRun, { path, before, after }: EditBlock): void {
  const input = { path, old_string: before, new_string: after }
  const call = writeCall(run.conversation, undefined, 'search_replace', input, 'edit')
  const removed = countLines(before)
  const added = countLines(after)
  const action = before.trim() === '' ? 'created' : 'modified'
  run.pending.push({ call, change: { path, action, added, removed } })
}

function countLines(text: string): number {
  return text === '' ? 0 : text.split('\n').length
}
