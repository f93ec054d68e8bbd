import type { FileChange, ToolKind, ToolResultEvent } from '../../session/event.ts'
import { asCount, asList, asObject, asText, type JsonObject, parseJson } from '../../session/json-values.ts'
import { byWord } from '../../tools/by-word.ts'
import { toolKindOf } from '../../tools/tool-kind.ts'
import { changedLines, type DiffCounts } from '../shared/diff-counts.ts'

/** The call that a step requests. */
export interface SweCall {
  readonly id?: string | undefined
  readonly name: string
  readonly kind: ToolKind
  readonly input: unknown
}

/** Commands of the agent's own interface; every other action is a shell command. */
const own = byWord<ToolKind>({
  read: 'open goto scroll_up scroll_down view view_image filemap',
  edit: 'create edit insert append str_replace_editor',
  search: 'find_file search_file search_dir',
  other: 'submit exit_forfeit',
  think: 'think',
})

const fileCommands = /^(?:open|create|view|filemap)$/

/** Calls as the model made them (1.x), or from the action line, which means the open file if it names none. */
export function callsOf(toolCalls: unknown, action: string, openFile: string | undefined): SweCall[] {
  const calls = asList(toolCalls).flatMap((value): SweCall[] => {
    const call = asObject(value)
    const details = asObject(call?.function)
    const name = asText(details?.name)
    if (name === undefined) return []
    const text = details?.arguments
    const input = typeof text === 'string' ? (parseJson(text) ?? text) : (text ?? null)
    return [{ id: asText(call?.id), name, kind: kindOf(name, input), input }]
  })
  if (calls.length > 0) return calls
  return action.trim() === '' ? [] : [callOfLine(action, openFile)]
}

function kindOf(name: string, input: unknown): ToolKind {
  if (name === 'str_replace_editor') return asObject(input)?.command === 'view' ? 'read' : 'edit'
  return own.get(name) ?? toolKindOf(name)
}

function callOfLine(action: string, openFile: string | undefined): SweCall {
  const name = /^\s*([a-z_]+)(?=\s|$)/.exec(action)?.[1] ?? ''
  const command = action.trimEnd()
  const kind = own.get(name)
  if (kind === undefined) return { name: 'bash', kind: 'execute', input: { command } }
  if (name === 'str_replace_editor') {
    const view = /^\s*str_replace_editor\s+view\b/.test(action)
    const path = /^\s*str_replace_editor\s+\w+\s+(\S+)/.exec(action)?.[1]
    return { name, kind: view ? 'read' : 'edit', input: { command, ...(path !== undefined && { path }) } }
  }
  const named = fileCommands.test(name)
    ? argument(action.slice(action.indexOf(name) + name.length))
    : undefined
  const path = named ?? (kind === 'edit' || kind === 'read' ? openFile : undefined)
  return { name, kind, input: { command, ...(path !== undefined && { path }) } }
}

function argument(rest: string): string | undefined {
  const match = /^[ \t]+(?:"([^"\n]+)"|'([^'\n]+)'|([^\s"']\S*))/.exec(rest)
  return match?.[1] ?? match?.[2] ?? match?.[3]
}

/** Messages of the interface when a command failed; the shell's own exit codes are not in the log. */
const failures =
  /^\s*(?:Your proposed edit has introduced new syntax error|Your edit was not applied|No replacement was performed|Text not found|Edit failed|ERROR:|Error: |Usage: |File .{1,300} not found|File not found|EXECUTION TIMED OUT|COMMAND FAILED|Invalid |No file open|(?:\/bin\/)?(?:ba)?sh: .{1,300}(?:command not found|No such file))/

/** How a step ended, and what it changed: edits report the file that is open. */
export function outcomeOf(
  call: SweCall,
  observation: string,
  openFile: string | undefined,
): { status: ToolResultEvent['status']; changes: FileChange[] } {
  const crashed = call.kind === 'execute' && /^\s*Traceback \(most recent call last\):/.test(observation)
  if (crashed || failures.test(observation.slice(0, 1000))) return { status: 'error', changes: [] }
  return { status: 'ok', changes: call.kind === 'edit' ? changesOf(call, observation, openFile) : [] }
}

function changesOf(call: SweCall, observation: string, openFile: string | undefined): FileChange[] {
  if (call.name === 'str_replace_editor') return []
  const shown = /^\[File: (.{1,500}?) \(\d+ lines total\)\]/m.exec(observation.slice(0, 2000))?.[1]
  const path = shown ?? openFile
  if (path === undefined) return []
  if (call.name === 'create') return [{ path, action: 'created' }]
  const input = asObject(call.input)
  return [{ path, action: 'modified', ...(argumentCounts(input) ?? editCounts(asText(input?.command))) }]
}

/** Lines that the arguments of a function replace or insert. */
function argumentCounts(input: JsonObject | undefined): DiffCounts | undefined {
  const search = asText(input?.search)
  const replace = asText(input?.replace)
  if (search !== undefined && replace !== undefined) return changedLines(search, replace)
  const first = asCount(input?.start_line)
  const last = asCount(input?.end_line)
  const replacement = asText(input?.replacement_text)
  if (first !== undefined && last !== undefined && replacement !== undefined)
    return { added: linesOf(replacement), removed: Math.max(0, last - first + 1) }
  const inserted = asText(input?.text)
  return inserted === undefined ? undefined : { added: linesOf(inserted), removed: 0 }
}

function linesOf(text: string): number {
  return text === '' ? 0 : text.replace(/\n$/, '').split('\n').length
}

/** `edit 3:5`, the new lines, `end_of_edit`. */
function editCounts(command: string | undefined): { added?: number; removed?: number } {
  const match = /^\s*edit (\d{1,9}):(\d{1,9})\r?\n/.exec(command ?? '')
  if (match === null || command === undefined) return {}
  const lines = command.slice(match[0].length).split('\n')
  const end = lines.findLastIndex((line) => line.trim() === 'end_of_edit')
  if (end === -1) return {}
  return { added: end, removed: Math.max(0, Number(match[2]) - Number(match[1]) + 1) }
}
