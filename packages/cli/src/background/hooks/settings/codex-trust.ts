import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseJson } from '../../../terminal/regular-file.ts'
import { isHookCommand } from './guarded-command.ts'

// Codex runs a hook only if its config.toml has the hook's digest, which its /hooks command writes as trusted_hash in
// [hooks.state."<hooks.json>:<event>:<group>:<hook>"]. Without a terminal, Codex skips the hook silently.
// https://developers.openai.com/codex/hooks

interface HookTrust {
  readonly key: string
  readonly hash: string
}

export function hookTrusts(path: string, text: string): HookTrust[] {
  const { hooks = {} } = (parseJson(text) ?? {}) as { hooks?: Record<string, unknown> }
  return Object.entries(hooks).flatMap(([event, groups]) =>
    listOf(groups).flatMap((group, at) =>
      listOf(group.hooks).flatMap((hook, index) => {
        if (!isHookCommand(String(hook.command), 'codex')) return []
        const name = event.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()
        const key = `${placeOf(path)}:${name}:${at}:${index}`
        return [{ key, hash: hashOf(name, group.matcher, hook) }]
      }),
    ),
  )
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'object' && each !== null) : []
}

/** Codex resolves symbolic links in the folder's path only if CODEX_HOME names the folder. */
function placeOf(path: string): string {
  const { CODEX_HOME } = process.env
  const folder = dirname(resolve(path))
  return CODEX_HOME && resolve(CODEX_HOME) === folder
    ? join(realpathSync(folder), 'hooks.json')
    : resolve(path)
}

/** SHA-256 of the hook as JSON with sorted names and no white space. */
function hashOf(event: string, matcher: unknown, hook: Record<string, unknown>): string {
  const { command, commandWindows, timeout } = hook
  const used = process.platform === 'win32' ? (commandWindows ?? command) : command
  const handler = { async: false, command: used, timeout, type: 'command' }
  const identity = { event_name: event, hooks: [handler], ...(matcher !== undefined && { matcher }) }
  return `sha256:${createHash('sha256').update(JSON.stringify(identity)).digest('hex')}`
}

export function isTrusted(config: string, { key, hash }: HookTrust): boolean {
  return stateOf(config, key)?.[2] === hash
}

export function withTrust(config: string, trusts: readonly HookTrust[]): string {
  let now = config
  for (const { key, hash } of trusts) {
    const state = stateOf(now, key)
    const end = now === '' || now.endsWith('\n') ? '' : '\n'
    now =
      state === undefined
        ? `${now}${end}${now === '' ? '' : '\n'}[hooks.state.${JSON.stringify(key)}]\ntrusted_hash = "${hash}"\n`
        : now.replace(state[0], () => `${state[1]}"${hash}"`)
  }
  return now
}

export function withoutTrust(config: string, trusts: readonly HookTrust[]): string {
  let now = config
  for (const trust of trusts) {
    const table = `[hooks.state.${JSON.stringify(trust.key)}]\ntrusted_hash = "${trust.hash}"\n`
    for (const text of [`\n${table}`, table]) now = now.replace(text, () => '')
  }
  return now
}

function stateOf(config: string, key: string): RegExpExecArray | undefined {
  const name = JSON.stringify(key).replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return new RegExp(`(${name}[^"[]*trusted_hash\\s*=\\s*)"([^"]*)"`).exec(config) ?? undefined
}
