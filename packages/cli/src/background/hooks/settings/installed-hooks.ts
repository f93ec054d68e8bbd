import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseJson } from '../../../terminal/regular-file.ts'
import { unlessRefused } from '../../../terminal/thrown.ts'
import { type HookAgent, hookAgents } from '../hook-agents.ts'
import { codexConfig, hookTrusts, isTrusted } from './codex-trust.ts'
import type { HookScope } from './guarded-command.ts'
import { isCurrentCommand, isHookCommand, type Launcher } from './guarded-command.ts'
import { fileMark, hookFiles, hookSettings, isFileAgent } from './hook-settings.ts'

export interface InstalledHooks {
  readonly agent: HookAgent
  readonly scope: HookScope
  readonly path: string
  /** `outdated`: an earlier version wrote them. `untrusted`: Codex runs none of them. */
  readonly state: 'ready' | 'outdated' | 'untrusted'
  /** The command that `--command` named when they were installed. */
  readonly command?: string
}

/** Any launcher: the places of hooks do not depend on it. */
export const anyLauncher: Launcher = { words: 'tenfold', folders: [] }

export function installedHooks(): InstalledHooks[] {
  const scopes = ['user', 'project'] as const
  return hookAgents.flatMap((agent) => scopes.flatMap((scope) => hooksOf(agent, scope) ?? []))
}

function hooksOf(agent: HookAgent, scope: HookScope): InstalledHooks | undefined {
  const paths = isFileAgent(agent)
    ? hookFiles(agent, scope, anyLauncher).map(({ path }) => path)
    : [hookSettings(agent, scope, anyLauncher).path]
  for (const path of paths) {
    const text = unlessRefused(() => readFileSync(path, 'utf8'), '')
    const commands = stringsIn(text).filter((word) => isHookCommand(word, agent))
    if (commands.length === 0 && !(isFileAgent(agent) && text.includes(fileMark))) continue
    const isCurrent = commands.length > 0 && commands.every(isCurrentCommand)
    const isRun = agent !== 'codex' || isTrustedIn(path, text)
    const state = isCurrent ? (isRun ? 'ready' : 'untrusted') : 'outdated'
    const command = givenCommand(commands[0])
    return { agent, scope, path: resolve(path), state, ...(command !== undefined && { command }) }
  }
  return undefined
}

function isTrustedIn(path: string, text: string): boolean {
  const config = codexConfig(hookSettings('codex', 'user', anyLauncher).path)
  const trusted = unlessRefused(() => readFileSync(config, 'utf8'), '')
  return hookTrusts(path, text).every((trust) => isTrusted(trusted, trust))
}

/** The strings of a JSON file, with or without comments, or of a plugin. */
function stringsIn(text: string): string[] {
  return (text.match(/"(?:[^"\\\n]|\\.)*"/g) ?? []).flatMap((literal) => {
    const value = parseJson(literal)
    return typeof value === 'string' ? [value] : []
  })
}

function givenCommand(command = ''): string | undefined {
  const words = /^(?:\/bin\/sh -c '[^']*' (?:'[^']*'|\S+) )?(.+?)\s+hook\s/.exec(command)?.[1]
  return words === undefined || /^tenfold$|\btenfold\.js["']?$/.test(words) ? undefined : words
}
