import type { FileChange } from '../../session/event.ts'
import * as json from '../../session/json.ts'
import { purposeOf } from '../../shell/command-purpose.ts'
import { isAbsolutePath, type ShellRun } from '../../shell/shell-runs.ts'
import { isDone, type ToolUse, textAt } from '../../tools/tool-uses.ts'
import { shellTouches } from './shell-touches.ts'
import {
  type ChangedLines,
  changedLines,
  countLines,
  isPatch,
  linesOf,
  patchTouches,
  readLines,
  type Touch,
} from './touch.ts'

/** Argument names of all agents' tools for the file that they work on. */
const pathKeys = [
  'file_path',
  'filePath',
  'filepath',
  'path',
  'absolute_path',
  'notebook_path',
  'target_file',
  'targetFile',
  'filename',
  'file',
  'relative_workspace_path',
] as const

/** Returns the file in the arguments of a tool call, exactly as written there. */
function namedFile(use: ToolUse): string | undefined {
  return textAt(use.call.input, ...pathKeys)
}

/** Returns the files that a call is about, as written in its arguments, whether or not it succeeded. */
export function namedFiles(use: ToolUse): string[] {
  const patch = patchOf(use.call.input)
  if (patch !== undefined) return patchTouches(patch).map(({ path }) => path)
  const file = namedFile(use) ?? editedByCode(use)
  return file === undefined ? [] : [file]
}

/** OpenHands before 0.20 edits by Python code in a notebook: `edit_file_by_replace('a.ts', …)`. */
function editedByCode({ call }: ToolUse): string | undefined {
  const code = textAt(call.input, 'code')?.slice(0, 2000) ?? ''
  return /\b(?:edit|append|insert)_\w{0,40}\(\s*(?:file_name\s*=\s*)?['"]([^'"\n]{1,400})['"]/.exec(code)?.[1]
}

/** Returns the patch in the arguments of a call, in the form of `apply_patch`. */
function patchOf(input: unknown): string | undefined {
  return [input, textAt(input, 'patch', 'input', 'patchText', 'diff')].find(
    (text): text is string => typeof text === 'string' && isPatch(text),
  )
}

/** Returns the files that a successful tool call touched: from the tool's report, otherwise from its arguments. */
export function fileTouches(use: ToolUse, run: ShellRun | undefined): Touch[] {
  const changes = use.result?.changes ?? []
  if (use.outcome === 'denied' || use.outcome === 'cancelled') return []
  if (run !== undefined) {
    const touches = isDone(use) ? shellTouches(run) : failedTouches(run, use)
    if (changes.length === 0) return touches
    return [...changesWithLines(changes, touches), ...touches.filter(({ action }) => action === 'read')]
  }
  if (!isDone(use)) return []
  return changes.length > 0 ? changesWithLines(changes, inputTouches(use)) : inputTouches(use)
}

/** Returns the changes that a tool reports, with the lines in its arguments. */
function changesWithLines(changes: readonly FileChange[], asked: readonly Touch[]): Touch[] {
  return changes.map((change) => {
    const touch = changeTouch(change)
    const given = asked.find(({ path, diff }) => diff !== undefined && isSamePath(path, change.path))
    return given?.diff !== undefined && agrees(touch, given.diff) ? { ...touch, diff: given.diff } : touch
  })
}

/** Whether a report may be of these lines: it omits those that both texts share, but no others. */
function agrees({ added, removed }: Touch, lines: ChangedLines): boolean {
  if (added === undefined || removed === undefined) return false
  return added <= lines.added.length && added - removed === lines.added.length - lines.removed.length
}

function isSamePath(a: string, b: string): boolean {
  return a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`)
}

/** In a failed `edit; check` chain the check failed; the parts before it were done. */
function failedTouches(run: ShellRun, use: ToolUse): Touch[] {
  if (use.outcome !== 'error') return []
  const check = run.commands.findIndex((command) => purposeOf(command) !== undefined)
  return check < 1 ? [] : shellTouches(run, run.commands.slice(0, check))
}

const changeActions = { created: 'create', modified: 'modify', deleted: 'delete', renamed: 'move' } as const

function changeTouch(change: FileChange): Touch {
  const { path, from, action, added, removed } = change
  const lines = { ...(added === undefined ? {} : { added }), ...(removed === undefined ? {} : { removed }) }
  if (action === 'renamed' && from !== undefined) return { action: 'move', path: from, to: path, ...lines }
  return { action: action === 'renamed' ? 'modify' : (changeActions[action] ?? 'modify'), path, ...lines }
}

function inputTouches(use: ToolUse): Touch[] {
  const { input, kind } = use.call
  const patch = patchOf(input)
  if (patch !== undefined) return patchTouches(patch)
  const path = namedFile(use)
  if (kind === 'move') {
    const from = path ?? textAt(input, 'source', 'from', 'old_path', 'source_path')
    const to = textAt(input, 'destination', 'to', 'new_path', 'destination_path')
    return from === undefined || to === undefined ? [] : [{ action: 'move', path: from, to }]
  }
  if (path === undefined) return []
  if (kind === 'delete') return [{ action: 'delete', path }]
  if (kind === 'read') return isListing(use, path) ? [] : [readTouch(use, path)]
  if (kind !== 'edit') return []
  if (textAt(input, 'command') !== 'view') return [editTouch(use, path)]
  return isListing(use, path) ? [] : [readTouch(use, path)]
}

function readTouch(use: ToolUse, path: string): Touch {
  const lines = readLines(use)
  return { action: 'read', path, ...(lines !== undefined && { lines }) }
}

/** Whether a tool that shows files was given a folder: by its name, the path, or the beginning of the listing. */
function isListing({ call, result }: ToolUse, path: string): boolean {
  if (/^(?:ls|list|glob|tree|dir|find)/i.test(call.name) || /[\\/]$/.test(path)) return true
  const text = result?.text ?? ''
  // opencode
  if (/^<path>[^\n]{0,1000}<\/path>\s{0,10}<type>directory<\/type>/.test(text)) return true
  return /^Here['’]s the files and directories/.test(text) || (call.name === 'view' && isNameList(path, text))
}

/** Copilot shows a folder as bare names, one per line, in order; a file without an extension could look like that too. */
function isNameList(path: string, text: string): boolean {
  if (/[^\\/.]\.\w+$/.test(path) || text.length > 10_000) return false
  const names = text.trimEnd().split('\n')
  return names.every(
    (name, index) =>
      /^[^\s\\/:*?"<>|]{1,200}$/.test(name) && (index === 0 || name > (names[index - 1] ?? '')),
  )
}

function editTouch(use: ToolUse, path: string): Touch {
  const { input, name } = use.call
  const command = textAt(input, 'command')
  const content = textAt(input, 'content', 'file_text', 'contents')
  const before = valueAt(input, oldKeys)
  if (before === '' || command === 'create' || /write|create/i.test(name)) {
    const report = use.result?.text.slice(0, 200) ?? ''
    if (/has been updated|overwr/i.test(report)) return { action: 'modify', path }
    const lines = content ?? textAt(input, ...newKeys) ?? ''
    const action = before === '' || /\bcreated\b/i.test(report) ? 'create' : 'write'
    if (lines === '') return { action, path }
    return { action, path, added: countLines(lines), diff: { added: linesOf(lines), removed: [] } }
  }
  return { action: 'modify', path, ...editedLines(input) }
}

/** Argument names of all agents' tools for the text that an edit removes, and for its replacement. */
const oldKeys = ['old_string', 'old_str', 'oldString', 'oldText', 'old_text'] as const
const newKeys = ['new_string', 'new_str', 'newString', 'newText', 'new_text'] as const

function valueAt(input: unknown, keys: readonly string[]): unknown {
  const record = json.fields(input)
  return keys.filter((key) => Object.hasOwn(record, key)).map((key) => record[key])[0]
}

function editedLines(input: unknown): { added?: number; removed?: number; diff?: ChangedLines } {
  const record = json.fields(input)
  const edits = Array.isArray(record.edits) ? record.edits.map((each) => json.fields(each)) : [record]
  const added: string[] = []
  const removed: string[] = []
  for (const edit of edits) {
    const before = valueAt(edit, oldKeys)
    const after = valueAt(edit, newKeys)
    // With `replace_all` the log does not show how many places changed.
    if (
      typeof before !== 'string' ||
      typeof after !== 'string' ||
      edit.replace_all === true ||
      edit.replaceAll === true
    ) {
      return {}
    }
    const change = changedLines(before, after)
    for (const line of change.added) added.push(line)
    for (const line of change.removed) removed.push(line)
  }
  return { added: added.length, removed: removed.length, diff: { added, removed } }
}

/**
 * Guesses the folder of a session whose log does not name it: the one below which its absolute paths end in its
 * relative ones. `undefined` if there is none, or more than one.
 */
export function guessFolder(
  uses: readonly ToolUse[],
  runs: ReadonlyMap<ToolUse, ShellRun>,
): string | undefined {
  const absolute = new Set<string>()
  const relative = new Set<string>()
  for (const use of uses) {
    for (const { path: written, folder = '' } of fileTouches(use, runs.get(use))) {
      const path = written.replace(/^\.\//, '')
      if (path.startsWith('/')) absolute.add(path)
      else if (!isAbsolutePath(path) && !isAbsolutePath(folder) && /^\w[^\\]*\/[^\\/]+$/.test(path))
        relative.add(path)
    }
  }
  const folders = new Set<string>()
  for (const path of absolute) {
    // Each suffix of the path that equals a relative path.
    for (let at = path.indexOf('/', 1); at > 0; at = path.indexOf('/', at + 1))
      if (relative.has(path.slice(at + 1))) folders.add(path.slice(0, at))
  }
  const [only] = folders
  return folders.size === 1 ? only : undefined
}
