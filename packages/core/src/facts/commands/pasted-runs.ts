import { eventIndex, type SessionEvent, type ToolCallEvent, type UserEvent } from '../../session/event.ts'
import { statedOutcome } from '../../shell/stated-outcome.ts'
import type { ToolUse } from '../../tools/tool-uses.ts'

// The prompts of terminals: `$ `, `❯ `, `user@host:~/a$ `, `PS C:\\a> `.
const prompt =
  /^(?:[\w.-]{1,60}@[\w.-]{1,60}[: ][^$#%\n]{0,200}|PS [A-Za-z]:\\[^>\n]{0,200}|\([\w.-]{1,60}\) )?[$❯➜%>] ?(?=\S)/
const command = /^(?:\.{0,2}\/)?[A-Za-z_][\w./+-]*(?:\s|$)/
const maxPasteLength = 200_000

/**
 * Adds the commands that the user ran and pasted with their output, as tool uses in their place among the others: a
 * failure that the user saw counts like one that the agent saw.
 */
export function withPastedRuns(events: readonly SessionEvent[], uses: readonly ToolUse[]): ToolUse[] {
  const pasted = events.flatMap((event) =>
    event.type === 'user' && event.copied !== true && event.text.length <= maxPasteLength
      ? runsIn(event)
      : [],
  )
  if (pasted.length === 0) return [...uses]
  const place = ({ call }: ToolUse) => eventIndex(call.id)
  return [...uses, ...pasted].sort((a, b) => place(a) - place(b))
}

function runsIn(event: UserEvent): ToolUse[] {
  const lines = event.text.split('\n')
  const starts = lines.flatMap((line, index) => (isPrompted(line) ? [index] : []))
  for (const [place, start] of [...starts.entries()].reverse()) {
    const end = starts[place + 1] ?? lines.length
    const text = lines
      .slice(start + 1, end)
      .filter((line) => !/^[$❯➜%>]?\s*$/.test(line))
      .join('\n')
    const typed = (lines[start] ?? '').replace(prompt, '').trim()
    if (text.trim() !== '') return [useOf(event, typed, text)]
  }
  return []
}

function isPrompted(line: string): boolean {
  if (line.length > 1000) return false
  const found = prompt.exec(line)?.[0]
  // A quoted line begins with the same sign as a prompt.
  return found !== undefined && !/^>/.test(found) && command.test(line.slice(found.length))
}

function useOf(event: UserEvent, typed: string, text: string): ToolUse {
  const { id, agent, turn, source } = event
  const shared = { id, agent, turn, source, callId: `pasted in ${id}` }
  const call: ToolCallEvent = {
    ...shared,
    type: 'tool_call',
    name: 'terminal',
    kind: 'execute',
    input: { command: typed },
  }
  const outcome = statedOutcome(text) ?? 'unknown'
  return { call, result: { ...shared, type: 'tool_result', status: outcome, text }, outcome }
}
