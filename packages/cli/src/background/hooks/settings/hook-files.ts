import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { TenfoldError } from '@tenfold/core'
import type { HookAgent } from '../hook-agents.ts'
import { clinePlugin, openCodePlugin, piExtension, pluginTell } from './agent-plugins.ts'
import { hookTrusts, withoutTrust, withTrust } from './codex-trust.ts'
import { addHooks, type EditedHooks, type HookSettings, removeHooks } from './edit-hooks.ts'
import {
  guardedCommand,
  type HookScope,
  hookLimit,
  type Launcher,
  windowsCommand,
} from './guarded-command.ts'

interface Row {
  /** The hooks' folder in a project, and below the home folder unless `home` or the variable names another one. */
  readonly folder: string
  readonly home?: string
  readonly variable?: string
  readonly below?: string
  readonly file: string
  /** The text of a file that only tenfold writes. Without it, the hooks are elements of a settings file. */
  readonly text?: (launcher: Launcher, mark: string) => string
  readonly fields?: Readonly<Record<string, unknown>>
  /** Events, some followed by a matcher for tools. None of them runs at every tool call. */
  readonly events?: readonly string[]
  readonly hint?: string
}

/** Seconds. Codex limits `SessionEnd` to three seconds, and warns at every run if a hook sets more. */
const codexEndLimit = 2
/** Seconds. Cline stops waiting for a plugin after three seconds. */
const clineLimit = 2

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
    hint: 'Codex does not run new or changed hooks until you trust them: open Codex, type /hooks and press t, or run: tenfold install codex --trust. "codex exec" skips untrusted hooks silently.',
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
    // Closing the window sends no SessionEnd. PreCompress with `auto` is sent before every request.
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
    // Without a terminal, the agent sends no SessionEnd.
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

export interface HookFile {
  readonly path: string
  /** Folders below this one are removed with the file if they are then empty. */
  readonly root: string
  readonly mode: number
  /** Both return no text if the file is to be removed or stays absent. Both throw TenfoldError `invalid-settings`. */
  add(text: string | undefined): Edited
  remove(text: string): Edited
}

interface Edited {
  readonly text: string | undefined
  readonly did: string
}

/** Marks the files that tenfold wrote, so that a later run recognizes them. */
export const fileMark = 'Written by: tenfold install'

export const anyLauncher: Launcher = { words: 'tenfold', folders: [] }

export function hookHint(agent: HookAgent): string | undefined {
  return rows[agent].hint
}

export function hookFile(agent: HookAgent, scope: HookScope, launcher = anyLauncher): HookFile {
  const { folder, home = folder, variable = '', below = '', file, text } = rows[agent]
  const named = process.env[variable]
  const root = scope === 'project' ? '' : named || homedir()
  const place = join(root, scope === 'project' ? folder : named ? below : home)
  const path = join(place, file)
  if (text === undefined) return settingsFile(hookSettings(agent, path, scope, launcher), root, scope)
  const mark = `${fileMark} ${agent}. To remove it: tenfold install ${agent} --uninstall`
  return ownFile(path, root, text(launcher, mark))
}

function ownFile(path: string, root: string, wanted: string): HookFile {
  const isOwn = (text: string | undefined): boolean => text === undefined || text.includes(fileMark)
  return {
    path,
    root,
    mode: 0o644,
    add(text) {
      if (isOwn(text)) return { text: wanted, did: 'written' }
      const message = `${path} was not changed: it was not written by tenfold. Move it and try again.`
      throw new TenfoldError('invalid-settings', message)
    },
    remove: (text) => ({ text: isOwn(text) ? undefined : text, did: 'removed' }),
  }
}

function settingsFile(settings: HookSettings, root: string, scope: HookScope): HookFile {
  const edited = ({ text, events }: EditedHooks, before: string | undefined, verb: string): Edited => ({
    text: events.length === 0 ? before : text,
    did: `${verb} ${events.join(', ')}`,
  })
  return {
    path: settings.path,
    root,
    mode: scope === 'user' ? 0o600 : 0o644,
    add: (text) => edited(addHooks(text?.trim() ? text : '{}\n', settings), text, 'added'),
    remove: (text) =>
      text.trim() ? edited(removeHooks(text, settings), text, 'removed') : { text, did: '' },
  }
}

export function codexTrustFile(hooksPath: string, hooks: string): HookFile {
  const trusts = hookTrusts(hooksPath, hooks)
  const count = `${trusts.length} ${trusts.length === 1 ? 'hook' : 'hooks'}`
  const path = codexConfig()
  return {
    path,
    root: dirname(path),
    mode: 0o600,
    add: (text = '') => ({ text: withTrust(text, trusts), did: `trusts ${count}` }),
    remove: (text) => ({ text: withoutTrust(text, trusts), did: 'no longer trusts the hooks' }),
  }
}

export function codexConfig(): string {
  return join(dirname(hookFile('codex', 'user').path), 'config.toml')
}

export function hookSettings(agent: HookAgent, path: string, scope: HookScope, launcher: Launcher) {
  const { fields = {}, events = [] } = rows[agent]
  const args = ['hook', agent]
  const windows = windowsCommand(launcher, args)
  // On Windows, Claude Code runs hooks in Git's bash.
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
  return { agent, path, fields, hooks }
}

/** Copilot CLI's input does not name the event: https://docs.github.com/en/copilot/reference/hooks-configuration */
function copilotHooks(launcher: Launcher, mark: string): string {
  const events = ['sessionStart', 'agentStop', 'sessionEnd'].map((event) => {
    const args = ['hook', 'copilot-cli', event]
    const commands = { bash: guardedCommand(launcher, args), powershell: windowsCommand(launcher, args) }
    return [event, [{ type: 'command', ...commands, timeoutSec: hookLimit + 1, comment: mark }]]
  })
  return `${JSON.stringify({ version: 1, hooks: Object.fromEntries(events) }, null, 2)}\n`
}
