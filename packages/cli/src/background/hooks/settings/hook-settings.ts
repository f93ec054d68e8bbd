import { homedir } from 'node:os'
import { join } from 'node:path'
import type { HookAgent } from '../hook-agents.ts'
import { guardedCommand, hookLimit, type Launcher, windowsCommand } from './guarded-command.ts'

interface WantedHook {
  readonly event: string
  readonly entry: Readonly<Record<string, unknown>>
}

export interface HookSettings {
  readonly agent: HookAgent
  readonly path: string
  /** Fields that a file must have. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly hooks: readonly WantedHook[]
  readonly hint?: string
}

export type HookScope = 'user' | 'project'

export const settingsAgents = ['claude-code', 'codex', 'cursor', 'gemini', 'qwen-code'] as const
export type SettingsAgent = (typeof settingsAgents)[number]

/** Codex cuts the time of this event to three seconds, and warns at every run if it is given more. */
const codexEndLimit = 2

/** The settings that start tenfold at the events of an agent. None of them is at every call of a tool. */
export function hookSettings(agent: SettingsAgent, scope: HookScope, launcher: Launcher): HookSettings {
  const root = (variable: string | undefined, name: string): string =>
    scope === 'project' ? name : variable || join(homedir(), name)
  const { CLAUDE_CONFIG_DIR, CODEX_HOME, GEMINI_CLI_HOME, QWEN_HOME } = process.env
  const args = ['hook', agent]
  const windows = windowsCommand(launcher, args)
  // Claude Code runs its hooks in Git's bash there.
  const isWindows = process.platform === 'win32' && scope === 'user' && agent !== 'claude-code'
  const command = (limit: number) => (isWindows ? windows : guardedCommand(launcher, args, limit))
  const inMilliseconds = agent === 'gemini' || agent === 'qwen-code'
  const handler = (limit: number) => ({
    type: 'command',
    command: command(limit),
    ...(agent === 'codex' && { commandWindows: windows }),
    timeout: (limit + 1) * (inMilliseconds ? 1000 : 1),
  })
  const group = (event: string, matcher?: string, limit = hookLimit): WantedHook => ({
    event,
    entry: { matcher, hooks: [handler(limit)] },
  })
  const shared = { agent, fields: {} }
  switch (agent) {
    case 'claude-code':
      return {
        ...shared,
        path: join(root(CLAUDE_CONFIG_DIR, '.claude'), 'settings.json'),
        hooks: [
          group('SessionStart'),
          group('SessionEnd'),
          group('PreCompact'),
          group('SubagentStop'),
          group('PreToolUse', 'Task|Agent'),
        ],
      }
    case 'codex':
      return {
        ...shared,
        path: join(root(CODEX_HOME, '.codex'), 'hooks.json'),
        hooks: [
          group('SessionStart'),
          group('Stop'),
          group('SessionEnd', undefined, codexEndLimit),
          group('PreCompact'),
          // SubagentStart does not carry the task.
          group('PreToolUse', '.*spawn_agent'),
          group('SubagentStop'),
        ],
        hint: 'Codex does not run new or changed hooks until you trust them: open Codex, type /hooks and press t, or run: tenfold install codex --trust. "codex exec" skips untrusted hooks without a word.',
      }
    case 'cursor': {
      const entry = (event: string): WantedHook => ({
        event,
        entry: { command: command(hookLimit), timeout: hookLimit + 1 },
      })
      return {
        ...shared,
        path: join(root(undefined, '.cursor'), 'hooks.json'),
        fields: { version: 1 },
        hooks: [
          entry('sessionStart'),
          entry('sessionEnd'),
          entry('stop'),
          entry('preCompact'),
          entry('subagentStart'),
          entry('subagentStop'),
        ],
      }
    }
    case 'gemini':
      return {
        ...shared,
        path: join(root(GEMINI_CLI_HOME && join(GEMINI_CLI_HOME, '.gemini'), '.gemini'), 'settings.json'),
        hooks: [
          group('SessionStart'),
          // Closing the window gives no SessionEnd.
          group('AfterAgent'),
          group('SessionEnd'),
          // The automatic one is said before every request.
          group('PreCompress', 'manual'),
          group('BeforeTool', 'delegate_to_agent|invoke_agent|codebase_investigator|generalist'),
        ],
      }
    case 'qwen-code':
      return {
        ...shared,
        path: join(root(QWEN_HOME, '.qwen'), 'settings.json'),
        hooks: [
          group('SessionStart'),
          // Without a terminal it gives no SessionEnd.
          group('Stop'),
          group('SessionEnd'),
          group('PreCompact'),
          group('PreToolUse', 'task|agent'),
          group('SubagentStop'),
        ],
      }
  }
}
