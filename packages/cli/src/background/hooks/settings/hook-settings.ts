import { homedir } from 'node:os'
import { join } from 'node:path'
import type { HookAgent } from '../hook-agents.ts'
import {
  guardedCommand,
  type HookScope,
  hookLimit,
  type Launcher,
  windowsCommand,
} from './guarded-command.ts'

export interface HookSettings {
  readonly agent: HookAgent
  readonly path: string
  /** Fields that a file must have. */
  readonly fields: Readonly<Record<string, unknown>>
  /** Each an element of the list of an event. */
  readonly hooks: readonly { readonly event: string; readonly entry: Readonly<Record<string, unknown>> }[]
  readonly hint?: string
}

/** Codex cuts the time of its `SessionEnd` to three seconds, and warns at every run if it is given more. */
const codexEndLimit = 2

interface Row {
  /** The folder of the settings: in a project, otherwise below the home folder unless a variable names another. */
  readonly folder: string
  readonly variable?: string
  /** The folder is in the one that the variable names. */
  readonly isBelow?: true
  readonly file: string
  readonly fields?: Readonly<Record<string, unknown>>
  /** Events, some with the matcher of their calls. None of them is at every call of a tool. */
  readonly events: readonly string[]
  readonly hint?: string
}

/** Agents whose hooks are elements of a settings file; the others get files of their own. */
const rows = {
  'claude-code': {
    folder: '.claude',
    variable: 'CLAUDE_CONFIG_DIR',
    file: 'settings.json',
    events: ['SessionStart', 'SessionEnd', 'PreCompact', 'SubagentStop', 'PreToolUse Task|Agent'],
  },
  codex: {
    folder: '.codex',
    variable: 'CODEX_HOME',
    file: 'hooks.json',
    // SubagentStart does not carry the task.
    events: ['SessionStart', 'Stop', 'SessionEnd', 'PreCompact', 'PreToolUse .*spawn_agent', 'SubagentStop'],
    hint: 'Codex does not run new or changed hooks until you trust them: open Codex, type /hooks and press t, or run: tenfold install codex --trust. "codex exec" skips untrusted hooks without a word.',
  },
  cursor: {
    folder: '.cursor',
    file: 'hooks.json',
    fields: { version: 1 },
    events: ['sessionStart', 'sessionEnd', 'stop', 'preCompact', 'subagentStart', 'subagentStop'],
  },
  gemini: {
    folder: '.gemini',
    variable: 'GEMINI_CLI_HOME',
    isBelow: true,
    file: 'settings.json',
    // Closing the window gives no SessionEnd.
    // The automatic one is said before every request.
    events: [
      'SessionStart',
      'AfterAgent',
      'SessionEnd',
      'PreCompress manual',
      'BeforeTool delegate_to_agent|invoke_agent|codebase_investigator|generalist',
    ],
  },
  'qwen-code': {
    folder: '.qwen',
    variable: 'QWEN_HOME',
    file: 'settings.json',
    // Without a terminal it gives no SessionEnd.
    events: ['SessionStart', 'Stop', 'SessionEnd', 'PreCompact', 'PreToolUse task|agent', 'SubagentStop'],
  },
} as const satisfies Partial<Record<HookAgent, Row>>

export type SettingsAgent = keyof typeof rows

export const settingsAgents = Object.keys(rows) as SettingsAgent[]

export function hookSettings(agent: SettingsAgent, scope: HookScope, launcher: Launcher): HookSettings {
  const { folder, variable = '', isBelow, file, fields = {}, events, hint }: Row = rows[agent]
  const named = process.env[variable]
  const home = named && isBelow ? join(named, folder) : named || join(homedir(), folder)
  const args = ['hook', agent]
  const windows = windowsCommand(launcher, args)
  // Claude Code runs its hooks in Git's bash there.
  const isWindows = process.platform === 'win32' && scope === 'user' && agent !== 'claude-code'
  const inMilliseconds = agent === 'gemini' || agent === 'qwen-code'
  const hooks = events.map((each) => {
    const [event = '', matcher] = each.split(' ')
    const limit = agent === 'codex' && event === 'SessionEnd' ? codexEndLimit : hookLimit
    const command = isWindows ? windows : guardedCommand(launcher, args, limit)
    const timeout = (limit + 1) * (inMilliseconds ? 1000 : 1)
    if (agent === 'cursor') return { event, entry: { command, timeout } }
    const more = agent === 'codex' ? { commandWindows: windows } : {}
    return { event, entry: { matcher, hooks: [{ type: 'command', command, ...more, timeout }] } }
  })
  const path = join(scope === 'project' ? folder : home, file)
  return { agent, path, fields, hooks, ...(hint !== undefined && { hint }) }
}
