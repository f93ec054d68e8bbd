import { write } from '../messages/conversation.ts'
import type { AiderRun } from './run.ts'

/** Writes what the user typed: a message, a `/command`, or the answer to a question from aider. */
export function flushUser(run: AiderRun): void {
  const { conversation, user } = run
  if (user.lines.length === 0) return
  const text = user.lines.splice(0).join('\n').trim()
  conversation.at = user.at
  if (/\? \(Y\)es\/\(N\)o.*\]: /.test(text))
    write(conversation, { type: 'context', origin: 'harness', name: 'confirmation', text })
  else if (text !== '' && text !== '<blank>') {
    run.pending.length = 0
    write(conversation, {
      type: 'user',
      origin: /^(?:\/[a-z][\w-]*(?:\s|$)|!)/.test(text) ? 'command' : 'typed',
      text,
    })
  }
  conversation.at = undefined
}
