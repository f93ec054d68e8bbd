import { cleanLine } from '../../session/clean-text.ts'
import { cutHead } from '../../session/cut-text.ts'
import type { ToolCallEvent } from '../../session/event.ts'
import { toolInputText } from '../../session/event-text.ts'
import type { ShellRun } from '../../shell/shell-runs.ts'
import { type ToolUse, textAt } from '../../tools/tool-uses.ts'
import { changesNothing } from '../errors/error-keys.ts'
import type { StateFact } from '../facts.ts'

/** The calls of a session, with the shell commands in them. */
export interface Calls {
  readonly uses: readonly ToolUse[]
  readonly runs: ReadonlyMap<ToolUse, ShellRun>
}

/** Describes a session that ends with calls without results, preferring those that may have changed something. */
export function endedByCalls(open: readonly ToolUse[], { uses, runs }: Calls): Omit<StateFact, 'questions'> {
  const changing = open.filter((use) => !changesNothing(use, runs.get(use)))
  const calls = (changing.length > 0 ? changing : open).map(({ call }) => call)
  const evidence = calls.map(({ id }) => id)
  // A log without any results does not show that one is missing.
  if (uses.every(({ result }) => result === undefined))
    return { state: 'in-progress', because: 'working', evidence: evidence.slice(-1) }
  const words = calls.slice(0, 3).map(lineOf).join(', ')
  return { state: 'interrupted', because: changing.length > 0 ? 'open-call' : 'working', words, evidence }
}

const maxLine = 160

/** Returns the shortened line of a call; of a chain of commands also the last one, such as a push. */
function lineOf({ name, input }: ToolCallEvent): string {
  const purpose = textAt(input, 'description', 'title', 'explanation', 'justification')
  const given =
    textAt(input, 'command', 'cmd', 'file_path', 'path', 'filePath', 'url', 'prompt') ?? toolInputText(input)
  const line = cleanLine(`${name} ${purpose === undefined ? given : `(${purpose}): ${given}`}`)
  const last = cleanLine(given.split(/ && |; |\n/).at(-1) ?? '')
  if (line.length <= maxLine || last === '' || last.length > maxLine / 2) return cutHead(line, maxLine)
  return `${cutHead(line, maxLine - last.length)} … ${last}`
}
