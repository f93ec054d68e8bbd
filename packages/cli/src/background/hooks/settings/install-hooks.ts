import { existsSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { cleanLine, cleanText } from '@tenfold/core'
import { programPath } from '../../../own-package.ts'
import type { CommandContext } from '../../../terminal/command-context.ts'
import type { HookAgent } from '../hook-agents.ts'
import { addHooks, type ChangedSettings, removeHooks } from './change-hooks.ts'
import { type HookScope, type HookSettings, hookSettings } from './hook-settings.ts'
import { readRecord, removeRecord, writeRecord } from './install-record.ts'
import { diffLines } from './settings-diff.ts'
import { readSettingsFile, removeSettingsFile, writeSettingsFile } from './settings-file.ts'

export interface InstallOptions {
  readonly project?: true | undefined
  readonly uninstall?: true | undefined
  readonly dryRun?: true | undefined
  readonly command?: string | undefined
}

/**
 * Adds tenfold's hooks to the settings of an agent, or removes them. Nothing else in the file changes, and a second run
 * changes nothing. Throws TenfoldError `invalid-settings` for a file that is not JSON.
 */
export async function installHooks(
  agent: HookAgent,
  options: InstallOptions,
  context: CommandContext,
): Promise<void> {
  const scope: HookScope = options.project ? 'project' : 'user'
  const settings = hookSettings(agent, scope, `${options.command ?? ownCommand(scope)} hook ${agent}`)
  if (options.uninstall) await uninstall(settings, options, context)
  else await install(settings, { ...options, scope }, context)
}

async function install(
  settings: HookSettings,
  { dryRun, scope }: InstallOptions & { readonly scope: HookScope },
  { terminal }: CommandContext,
): Promise<void> {
  const { path, hint } = settings
  const before = await readSettingsFile(path)
  const changed = addHooks(before?.trim() ? before : '{}\n', settings)
  const shown = cleanLine(path)
  if (before === changed.text || changed.events.length === 0)
    return terminal.print(`${shown} already has the hooks; nothing to change.`)
  if (dryRun) return sayDiff(before ?? '', changed, settings, terminal)
  const record = readRecord(path)
  // Recorded first: a record of something that does not exist yet does no harm.
  writeRecord(path, {
    created: before === undefined || (record?.created ?? false),
    made: [...new Set([...(record?.made ?? []), ...changed.made])],
  })
  await writeSettingsFile(path, changed.text, scope === 'user' ? 0o600 : 0o644)
  terminal.print(`${shown}: added ${changed.events.join(', ')}.`)
  if (hint !== undefined) terminal.print(hint)
}

async function uninstall(
  settings: HookSettings,
  { dryRun }: InstallOptions,
  { terminal }: CommandContext,
): Promise<void> {
  const { path } = settings
  const shown = cleanLine(path)
  const before = await readSettingsFile(path)
  const record = readRecord(path)
  const changed = before?.trim() ? removeHooks(before, settings, record) : { text: '', events: [], made: [] }
  if (before === undefined || changed.events.length === 0)
    return terminal.print(`${shown} has no hooks of tenfold; nothing to change.`)
  if (dryRun) return sayDiff(before, changed, settings, terminal)
  const gone = record?.created === true && /^\s*\{\s*\}\s*$/.test(changed.text)
  if (gone) await removeSettingsFile(path)
  else await writeSettingsFile(path, changed.text, 0o600)
  removeRecord(path)
  terminal.print(
    `${shown}: removed ${changed.events.join(', ')}${gone ? ', and the file, which was created for them' : ''}.`,
  )
}

function sayDiff(
  before: string,
  { text }: ChangedSettings,
  { path }: HookSettings,
  terminal: CommandContext['terminal'],
): void {
  terminal.print(cleanText([`--- ${path}`, `+++ ${path}`, ...diffLines(before, text)].join('\n')))
  terminal.print('Nothing was written.')
}

/** `tenfold` if the shell finds it, otherwise this very program; a project's settings are for other machines too. */
function ownCommand(scope: HookScope): string {
  if (scope === 'project') return 'tenfold'
  const names = process.platform === 'win32' ? ['tenfold.cmd', 'tenfold.exe'] : ['tenfold']
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  if (folders.some((folder) => names.some((name) => existsSync(join(resolve(folder), name)))))
    return 'tenfold'
  return `${quoted(process.execPath)} ${quoted(programPath)}`
}

function quoted(path: string): string {
  if (/^[\w@%+=:,./\\-]+$/.test(path)) return path
  return process.platform === 'win32' ? `"${path}"` : `'${path.replaceAll("'", `'\\''`)}'`
}
