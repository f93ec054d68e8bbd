import { isAbsolutePath } from './log-path.ts'
import type { ShellDialect, ShellText, SimpleCommand } from './shell-words.ts'
import { shellScript, splitArguments, splitShellDeep } from './shell-wrappers.ts'
import { asRecord, type ToolUse, textAt } from './tool-uses.ts'

/** A shell command that an agent ran, taken apart. */
export interface ShellRun {
  readonly use: ToolUse
  /** The text that ran; of `["bash", "-lc", text]` the text. */
  readonly text: string
  readonly commands: readonly SimpleCommand[]
  /** Where it started, as the log tells: relative to the session's cwd, or absolute; absent where unknown. */
  readonly folder?: string
}

/**
 * The shell commands among tool uses. Folders are followed through `cd` where the tool keeps one shell per agent
 * (Claude Code's Bash), and taken from the arguments where each call tells its own (Codex).
 */
export function readShellRuns(uses: readonly ToolUse[]): ShellRun[] {
  const folders = new Map<string, string | null>()
  const runs: ShellRun[] = []
  for (const use of uses) {
    const { call, outcome, result } = use
    if (call.kind !== 'execute' || call.name === 'write_stdin' || isToolScript(use)) continue
    const script = commandOf(call.input, call.name)
    if (script === undefined) continue
    const told = textAt(call.input, 'workdir', 'working_directory', 'cwd', 'directory', 'dir_path')
    const keeps = call.name === 'Bash' && call.agent === 'main'
    const folder = told ?? (keeps ? (folders.get(call.agent) ?? '') : '')
    const known = keeps && told === undefined && folders.get(call.agent) === null ? undefined : folder
    const base = known === undefined ? {} : { folder: known }
    runs.push({ use, text: script.text, commands: script.shell.commands, ...base })
    if (!keeps) continue
    const reset = /^Shell cwd was reset to (.+)$/m.exec(result?.text.slice(-1000) ?? '')?.[1]
    if (reset !== undefined) folders.set(call.agent, reset)
    else if (outcome === 'ok') folders.set(call.agent, joinFolders(known, script.shell.folder) ?? null)
  }
  return runs
}

/** A folder told relative to another; `undefined` where it cannot be known. */
export function joinFolders(base: string | undefined, folder: string | undefined): string | undefined {
  if (folder === undefined || isAbsolutePath(folder)) return folder
  if (base === undefined || base === '' || folder === '') return base === '' ? folder : base
  return `${base}/${folder}`
}

/** Codex's `exec` takes a script that calls tools, not a shell command. */
function isToolScript({ call }: ToolUse): boolean {
  return call.name === 'exec' && typeof call.input === 'string' && /\btools\.\w/.test(call.input)
}

function commandOf(input: unknown, name: string): { text: string; shell: ShellText } | undefined {
  const record = asRecord(input)
  // Codex `local_shell_call`: `{ action: { type: "exec", command: […] } }`.
  const inner = 'action' in record ? asRecord(record.action) : record
  const dialect: ShellDialect = /powershell|pwsh/i.test(name) ? 'powershell' : 'posix'
  for (const value of [input, inner.command, inner.cmd, inner.script, inner.commands]) {
    const words = Array.isArray(value) ? value.filter((word) => typeof word === 'string') : undefined
    const text = typeof value === 'string' ? value : shellScript(words ?? [])?.text
    // A bare patch, as Codex lets through.
    if (text?.startsWith('*** Begin Patch')) return { text, shell: splitArguments(['apply_patch', text]) }
    if (words !== undefined && words.length > 0) {
      return { text: text ?? words.map(quoteWord).join(' '), shell: splitArguments(words) }
    }
    if (text !== undefined && text.trim() !== '') return { text, shell: splitShellDeep(text, dialect) }
  }
  return undefined
}

function quoteWord(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
