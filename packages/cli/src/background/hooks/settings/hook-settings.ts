import { homedir } from 'node:os'
import { join } from 'node:path'
import type { HookAgent } from '../hook-agents.ts'
import { clinePlugin, openCodePlugin, piExtension, pluginTell } from './agent-plugins.ts'
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
  /** The folder of the hooks: in a project, and below the home folder unless that is `home` or a variable names one. */
  readonly folder: string
  readonly home?: string
  readonly variable?: string
  /** The folder in the one that the variable names. */
  readonly below?: string
  readonly file: string
  /** The text of a file of our own; without it the hooks are elements of a settings file. */
  readonly text?: (launcher: Launcher, mark: string) => string
  readonly fields?: Readonly<Record<string, unknown>>
  /** Events, some with the matcher of their calls. None of them is at every call of a tool. */
  readonly events?: readonly string[]
  readonly hint?: string
}

const rows: Readonly<Record<HookAgent, Row>> = {
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
    below: '.gemini',
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
  opencode: {
    folder: '.opencode',
    home: '.config/opencode',
    variable: 'XDG_CONFIG_HOME',
    below: 'opencode',
    file: 'plugin/tenfold.ts',
    text: (launcher, mark) => openCodePlugin(pluginTell(launcher, 'opencode'), mark),
  },
  pi: {
    folder: '.pi',
    home: '.pi/agent',
    variable: 'PI_CODING_AGENT_DIR',
    file: 'extensions/tenfold.ts',
    text: (launcher, mark) => piExtension(pluginTell(launcher, 'pi'), mark),
  },
  'copilot-cli': {
    folder: '.github',
    home: '.copilot',
    variable: 'COPILOT_HOME',
    file: 'hooks/tenfold.json',
    text: copilotHooks,
  },
  cline: {
    folder: '.cline',
    variable: 'CLINE_DIR',
    file: 'plugins/tenfold.ts',
    text: (launcher, mark) => clinePlugin(pluginTell(launcher, 'cline', clineLimit), mark),
  },
}

function placeOf(agent: HookAgent, scope: HookScope): { readonly folder: string; readonly path: string } {
  const { folder, home = folder, variable = '', below = '', file } = rows[agent]
  const named = process.env[variable]
  const own = named ? join(named, below) : join(homedir(), home)
  const place = scope === 'project' ? folder : own
  return { folder: place, path: join(place, file) }
}

export function hookSettings(agent: HookAgent, scope: HookScope, launcher: Launcher): HookSettings {
  const { fields = {}, events = [], hint } = rows[agent]
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
  return { agent, path: placeOf(agent, scope).path, fields, hooks, ...(hint !== undefined && { hint }) }
}

export interface HookFile {
  readonly path: string
  readonly text?: string
}

/** Words in each of these files by which a later run knows it. */
export const fileMark = 'Written by: tenfold install'

export function isFileAgent(agent: HookAgent): boolean {
  return rows[agent].text !== undefined
}

/** The files that make an agent start tenfold at its events. Without a text: one that an earlier version wrote. */
export function hookFiles(agent: HookAgent, scope: HookScope, launcher: Launcher): HookFile[] {
  const { folder, path } = placeOf(agent, scope)
  const mark = `${fileMark} ${agent}. To remove it: tenfold install ${agent} --uninstall`
  const text = rows[agent].text?.(launcher, mark)
  const former = join(scope === 'project' ? '.clinerules' : folder, 'hooks')
  const events = agent === 'cline' ? ['PreToolUse', 'TaskComplete', 'TaskCancel'] : []
  return [
    { path, ...(text !== undefined && { text }) },
    ...events.map((event) => ({ path: join(former, event) })),
  ]
}

/** Cline gives up a plugin after three seconds. */
const clineLimit = 2

/** Copilot CLI does not name the event in the input: https://docs.github.com/en/copilot/reference/hooks-configuration */
function copilotHooks(launcher: Launcher, mark: string): string {
  const events = ['sessionStart', 'agentStop', 'sessionEnd'].map((event) => {
    const args = ['hook', 'copilot-cli', event]
    const commands = { bash: guardedCommand(launcher, args), powershell: windowsCommand(launcher, args) }
    return [event, [{ type: 'command', ...commands, timeoutSec: hookLimit + 1, comment: mark }]]
  })
  return `${JSON.stringify({ version: 1, hooks: Object.fromEntries(events) }, null, 2)}\n`
}
