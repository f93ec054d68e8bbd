import * as json from '../../session/json.ts'
import { toolKindOf } from '../../tools/tool-kind.ts'
import { changedLines, countLines } from '../shared/diff-counts.ts'
import type { Change, NewCall, Outcome, WrittenCall } from '../shared/writer.ts'

/** Commands of the agent's own interface; every other action is a shell command. */
const own =
  /^(?:open|goto|scroll_up|scroll_down|view|view_image|filemap|create|edit|insert|append|str_replace_editor|find_file|search_file|search_dir|submit|exit_forfeit|think)$/
const fileCommands = /^(?:open|create|view|filemap)$/

/** Returns the call of an action line, which is about the open file if it names none. */
export function callOfLine(action: string, openFile: string | undefined): NewCall {
  const name = /^\s*([a-z_]+)(?=\s|$)/.exec(action)?.[1] ?? ''
  const command = action.trimEnd()
  if (!own.test(name)) return { name: 'bash', input: { command } }
  const [, verb, edited] = /^\s*str_replace_editor\s+(\w+)(?:\s+(\S+))?/.exec(action) ?? []
  const kind = verb === 'view' ? 'read' : toolKindOf(name)
  const rest = action.slice(action.indexOf(name) + name.length)
  const argument = /^[ \t]+(?:"([^"\n]+)"|'([^'\n]+)'|([^\s"']\S*))/.exec(rest)?.slice(1).find(Boolean)
  const given = fileCommands.test(name) ? argument : edited
  const path = given ?? (verb === undefined && (kind === 'edit' || kind === 'read') ? openFile : undefined)
  return { name, kind, input: { command, ...(path !== undefined && { path }) } }
}

/** Messages of the interface about a failed command; the shell's own exit codes are not in the log. */
const failures =
  /^\s*(?:Your proposed edit has introduced new syntax error|Your edit was not applied|No replacement was performed|Text not found|Edit failed|ERROR:|Error: |Usage: |File .{1,300} not found|File not found|EXECUTION TIMED OUT|COMMAND FAILED|Invalid |No file open|(?:\/bin\/)?(?:ba)?sh: .{1,300}(?:command not found|No such file))/

export function outcomeOf(call: WrittenCall, text: string, openFile: string | undefined): Outcome {
  const crashed = call.kind === 'execute' && /^\s*Traceback \(most recent call last\):/.test(text)
  const failed = crashed || failures.test(text.slice(0, 1000))
  return { failed, text, changes: call.kind === 'edit' ? changesOf(call, text, openFile) : [] }
}

function changesOf({ input, name }: WrittenCall, text: string, openFile: string | undefined): Change[] {
  if (name === 'str_replace_editor') return []
  const shown = /^\[File: (.{1,500}?) \(\d+ lines total\)\]/m.exec(text.slice(0, 2000))?.[1]
  const path = shown ?? openFile
  if (path === undefined) return []
  return [name === 'create' ? { path, action: 'created' } : { path, action: 'modified', ...linesOf(input) }]
}

/** Counts lines that the arguments of a function replace or insert; they do not contain the text of a replaced range. */
function linesOf(input: unknown): Pick<Change, 'added' | 'removed'> {
  const { replace, search, text } = json.fields(input)
  if (json.text(search) !== undefined && json.text(replace) !== undefined)
    return changedLines(String(search), String(replace))
  const inserted = json.text(text)
  return inserted === undefined ? {} : { added: countLines(inserted), removed: 0 }
}
