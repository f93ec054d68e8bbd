import { homedir } from 'node:os'
import { join } from 'node:path'
import type { HookAgent } from '../hook-agents.ts'

/** One hook that tenfold needs in the settings of an agent: an element of the list of an event. */
interface WantedHook {
  readonly event: string
  readonly entry: Readonly<Record<string, unknown>>
}

/** The settings of an agent: where they are, what else the file needs, and the hooks. */
export interface HookSettings {
  readonly agent: HookAgent
  /** The command that the hooks run. */
  readonly command: string
  readonly path: string
  /** Fields that a file must have. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly hooks: readonly WantedHook[]
  /** Advice on what the user still has to do. */
  readonly hint?: string
}

/** Whose settings: the user's, for all projects, or those of the project in this folder. */
export type HookScope = 'user' | 'project'

/** Agents whose hooks are elements of a settings file; the others get files of their own. */
export const settingsAgents = ['claude-code', 'codex', 'cursor', 'gemini', 'qwen-code'] as const
export type SettingsAgent = (typeof settingsAgents)[number]

// Seconds; for Gemini CLI and Qwen Code milliseconds. Hooks that answer at once get little, those that pack a log or read a repository
// more.
const short = 5
const long = 60
/** Codex cuts the time of this event to three seconds, and warns at every run if it is given more. */
const codexEnd = 3

/** The settings that run `command` at the events of an agent. */
export function hookSettings(agent: SettingsAgent, scope: HookScope, command: string): HookSettings {
  const root = (variable: string | undefined, name: string): string =>
    scope === 'project' ? name : variable || join(homedir(), name)
  const { CLAUDE_CONFIG_DIR, CODEX_HOME, GEMINI_CLI_HOME, QWEN_HOME } = process.env
  const group = (event: string, timeout: number, matcher?: string): WantedHook => ({
    event,
    entry: { matcher, hooks: [{ type: 'command', command, timeout }] },
  })
  const shared = { agent, command, fields: {} }
  switch (agent) {
    case 'claude-code':
      return {
        ...shared,
        path: join(root(CLAUDE_CONFIG_DIR, '.claude'), 'settings.json'),
        hooks: [
          group('SessionStart', long),
          group('SessionEnd', short),
          group('PreCompact', long),
          group('SubagentStop', short),
          group('PreToolUse', long, 'Task|Agent'),
        ],
      }
    case 'codex':
      return {
        ...shared,
        path: join(root(CODEX_HOME, '.codex'), 'hooks.json'),
        hooks: [
          group('SessionStart', long),
          group('Stop', short),
          group('SessionEnd', codexEnd),
          group('PreCompact', long),
          // SubagentStart does not carry the task.
          group('PreToolUse', long, '.*spawn_agent'),
          group('SubagentStop', short),
        ],
        hint: 'Codex does not run new or changed hooks until you trust them: open Codex, type /hooks and press t. "codex exec" skips untrusted hooks without a word.',
      }
    case 'cursor': {
      const entry = (event: string, timeout: number): WantedHook => ({ event, entry: { command, timeout } })
      return {
        ...shared,
        path: join(root(undefined, '.cursor'), 'hooks.json'),
        fields: { version: 1 },
        hooks: [
          entry('sessionStart', long),
          entry('sessionEnd', short),
          entry('stop', short),
          entry('preCompact', long),
          entry('subagentStart', long),
          entry('subagentStop', short),
        ],
      }
    }
    case 'gemini':
      return {
        ...shared,
        path: join(root(GEMINI_CLI_HOME && join(GEMINI_CLI_HOME, '.gemini'), '.gemini'), 'settings.json'),
        hooks: [
          group('SessionStart', long * 1000),
          // Closing the window gives no SessionEnd.
          group('AfterAgent', short * 1000),
          group('SessionEnd', short * 1000),
          // The automatic one is said before every request.
          group('PreCompress', long * 1000, 'manual'),
          group('BeforeTool', long * 1000, 'delegate_to_agent|invoke_agent|codebase_investigator|generalist'),
        ],
      }
    case 'qwen-code':
      return {
        ...shared,
        path: join(root(QWEN_HOME, '.qwen'), 'settings.json'),
        hooks: [
          group('SessionStart', long * 1000),
          // Without a terminal it gives no SessionEnd.
          group('Stop', short * 1000),
          group('SessionEnd', short * 1000),
          group('PreCompact', long * 1000),
          group('PreToolUse', long * 1000, 'task|agent'),
          group('SubagentStop', short * 1000),
        ],
      }
  }
}

/**
 * Whether a command in the settings of an agent is tenfold's own, no matter how it was called when it was installed.
 */
export function isOwnCommand(command: unknown, { agent, command: wanted }: HookSettings): boolean {
  if (typeof command !== 'string') return false
  const own = new RegExp(`\\btenfold(?:\\.js|/cli(?:@\\S+)?)?["']?\\s+hook\\s+${agent}\\s*$`)
  return command === wanted || own.test(command)
}
