import { resolve } from 'node:path'
import { parseJson, readTextNow } from '../../../terminal/regular-file.ts'
import { unlessRefused } from '../../../terminal/thrown.ts'
import { type HookAgent, hookAgents } from '../hook-agents.ts'
import { hookTrusts, isTrusted } from './codex-trust.ts'
import { type HookScope, isCurrentCommand, isHookCommand } from './guarded-command.ts'
import { codexConfig, fileMark, hookFile } from './hook-files.ts'

export interface InstalledHooks {
  readonly agent: HookAgent
  readonly scope: HookScope
  readonly path: string
  /** `outdated`: an earlier version wrote the hooks. `untrusted`: Codex does not run them. */
  readonly state: 'ready' | 'outdated' | 'untrusted'
  readonly command?: string
}

export function installedHooks(): InstalledHooks[] {
  const scopes = ['user', 'project'] as const
  return hookAgents.flatMap((agent) => scopes.flatMap((scope) => hooksOf(agent, scope) ?? []))
}

function hooksOf(agent: HookAgent, scope: HookScope): InstalledHooks | undefined {
  const { path } = hookFile(agent, scope)
  const text = readText(path)
  const commands = stringsIn(text).filter((word) => isHookCommand(word, agent))
  if (commands.length === 0 && !text.includes(fileMark)) return undefined
  const isCurrent = commands.length > 0 && commands.every(isCurrentCommand)
  const trusted = readText(codexConfig())
  const isRun = agent !== 'codex' || hookTrusts(path, text).every((trust) => isTrusted(trusted, trust))
  const state = isCurrent ? (isRun ? 'ready' : 'untrusted') : 'outdated'
  const command = givenCommand(commands[0])
  return { agent, scope, path: resolve(path), state, ...(command !== undefined && { command }) }
}

function readText(path: string): string {
  return unlessRefused(() => readTextNow(path), '')
}

/** The string literals in a JSON file, with or without comments, or in a plugin. */
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
