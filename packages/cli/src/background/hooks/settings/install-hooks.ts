import { TenfoldError } from '@tenfold/core'
import { cleanLine, cleanText } from '@tenfold/core/internal'
import { structuredPatch } from 'diff'
import { formatNumberOf } from '../../../terminal/numbers.ts'
import type { CommandContext } from '../../../terminal/terminal.ts'
import type { HookAgent } from '../hook-agents.ts'
import { addHooks, type ChangedSettings, removeHooks } from './change-hooks.ts'
import { codexConfig, hookTrusts, withoutTrust, withTrust } from './codex-trust.ts'
import type { HookScope } from './guarded-command.ts'
import { findLauncher, type Launcher, testedLauncher } from './guarded-command.ts'
import { fileMark, type HookSettings, hookFiles, hookSettings, isFileAgent } from './hook-settings.ts'
import { anyLauncher } from './installed-hooks.ts'
import {
  inState,
  missingFolder,
  readRecord,
  readSettingsFile,
  removeRecord,
  removeSettingsFile,
  withAdvice,
  writeRecord,
  writeSettingsFile,
} from './settings-file.ts'

interface InstallOptions {
  readonly project?: true | undefined
  readonly uninstall?: true | undefined
  readonly dryRun?: true | undefined
  readonly command?: string | undefined
  readonly trust?: true | undefined
}

/** One file, before and after. Undefined: it does not exist. */
interface Change {
  readonly path: string
  readonly before: string | undefined
  readonly after: string | undefined
  readonly mode: number
  readonly did: string
  readonly made: readonly string[]
}

/**
 * Adds tenfold's hooks to an agent, or removes them, and prints what it did. Nothing else in a settings file changes,
 * and a second run changes nothing. The command of the hooks is run once. Throws TenfoldError `invalid-settings` for a
 * file that is not JSON, or not tenfold's own, and `out-failed` for one that this user cannot read or write.
 */
export async function installHooks(
  agent: HookAgent,
  options: InstallOptions,
  { terminal }: CommandContext,
): Promise<void> {
  const { project, uninstall, dryRun, trust } = options
  const scope: HookScope = project ? 'project' : 'user'
  const { launcher, fault } = await launcherFor(agent, options)
  const changes = await changesFor(agent, scope, launcher, uninstall === true)
  const [hooks] = changes
  if (agent === 'codex' && hooks !== undefined && (trust || uninstall))
    changes.push(await trustChange(hooks, uninstall))
  const real = changes.filter(({ before, after }) => before !== after)
  if (real.length === 0) {
    const paths = changes.map(({ path }) => cleanLine(path)).join(', ')
    const state = uninstall ? 'has no hooks of tenfold' : 'already has the hooks'
    terminal.say(`${paths} ${state}; nothing to change.`)
  }
  const folders = new Map(real.map(({ path }) => [path, missingFolder(path)]))
  for (const change of real) {
    if (dryRun) sayDiff(change, terminal)
    else if (change.after === undefined || uninstall) await remove(change, scope, terminal)
    else await write(change, { scope, madeFolder: folders.get(change.path) }, terminal)
  }
  if (dryRun || uninstall) return
  const command = cleanLine(launcher.words)
  if (fault !== undefined)
    terminal.warn(`warning: the command of the hooks does not run here: ${command}: ${fault}`)
  else if (real.length > 0) terminal.say(`Tested: ${command} hook ${agent}`)
  const hint = isFileAgent(agent) ? undefined : hookSettings(agent, scope, launcher).hint
  if (real.length > 0 && hint !== undefined && !trust) terminal.say(hint)
  if (real.length > 0 && fault === undefined)
    terminal.hint(
      'From now on a session is compressed when it ends, and the next one in its folder starts with its brief. To see where things stand: tenfold',
    )
}

async function launcherFor(
  agent: HookAgent,
  { project, uninstall, dryRun, command }: InstallOptions,
): Promise<{ readonly launcher: Launcher; readonly fault?: string }> {
  if (uninstall) return { launcher: anyLauncher }
  const scope = project ? 'project' : 'user'
  return dryRun ? { launcher: findLauncher(command, scope) } : await testedLauncher(agent, command, scope)
}

async function changesFor(
  agent: HookAgent,
  scope: HookScope,
  launcher: Launcher,
  uninstall: boolean,
): Promise<Change[]> {
  if (isFileAgent(agent))
    return await Promise.all(
      hookFiles(agent, scope, launcher).map(async ({ path, text }) => {
        const before = await readAs(scope, path)
        const own = before === undefined || before.includes(fileMark)
        if (!own && !uninstall && text !== undefined)
          throw new TenfoldError(
            'invalid-settings',
            `${path} was not changed: it is not tenfold's. Move it and try again.`,
          )
        const after = own ? (uninstall ? undefined : text) : before
        return {
          path,
          before,
          after,
          mode: 0o644,
          did: after === undefined ? 'removed' : 'written',
          made: [],
        }
      }),
    )
  const settings = hookSettings(agent, scope, launcher)
  const mode = scope === 'user' ? 0o600 : 0o644
  return [uninstall ? await removal(settings, scope) : await addition(settings, scope, mode)]
}

async function addition(settings: HookSettings, scope: HookScope, mode: number): Promise<Change> {
  const { path } = settings
  const before = await readAs(scope, path)
  const { text, events, made } = addHooks(before?.trim() ? before : '{}\n', settings)
  const after = events.length === 0 ? before : text
  return { path, before, after, mode, did: `added ${events.join(', ')}`, made }
}

/** What changes in the file in which Codex keeps what is trusted. */
async function trustChange(hooks: Change, uninstall: true | undefined): Promise<Change> {
  const path = codexConfig(hookSettings('codex', 'user', anyLauncher).path)
  const before = await readAs('user', path)
  const trusts = hookTrusts(hooks.path, (uninstall ? hooks.before : hooks.after) ?? '')
  const text = uninstall ? withoutTrust(before ?? '', trusts) : withTrust(before ?? '', trusts)
  const isGone =
    uninstall && text.trim() === '' && (before === undefined || readRecord(path)?.created === true)
  const did = uninstall ? 'no longer trusts the hooks' : `trusts ${formatNumberOf(trusts.length, 'hook')}`
  return { path, before, after: isGone ? undefined : text, mode: 0o600, did, made: [] }
}

async function removal(settings: HookSettings, scope: HookScope): Promise<Change> {
  const { path } = settings
  const before = await readAs(scope, path)
  const none: ChangedSettings = { text: before ?? '', events: [], made: [] }
  const record = readRecord(path)
  const { text, events } = before?.trim() ? removeHooks(before, settings, record) : none
  const change = { path, before, mode: 0o600, made: [] }
  if (before === undefined || events.length === 0) return { ...change, after: before, did: '' }
  const gone = record?.created === true && /^\s*\{\s*\}\s*$/.test(text)
  const did = `removed ${events.join(', ')}${gone ? ', and the file, which was created for them' : ''}`
  return { ...change, after: gone ? undefined : text, did }
}

type Terminal = CommandContext['terminal']

async function write(
  { path, before, after, mode, did, made }: Change,
  { scope, madeFolder }: { readonly scope: HookScope; readonly madeFolder: string | undefined },
  terminal: Terminal,
): Promise<void> {
  const record = readRecord(path)
  const folder = record?.folder ?? madeFolder
  // Recorded first: a record of something that does not exist yet does no harm.
  const notes = {
    created: before === undefined || (record?.created ?? false),
    made: [...new Set([...(record?.made ?? []), ...made])],
    ...(folder !== undefined && { folder }),
  }
  await inState(() => writeRecord(path, notes))
  await withAdvice({ path, done: 'written', advice: adviceFor(scope) }, () =>
    writeSettingsFile(path, after ?? '', mode),
  )
  terminal.say(`${cleanLine(path)}: ${did}.`)
}

async function remove(
  { path, after, mode, did }: Change,
  scope: HookScope,
  terminal: Terminal,
): Promise<void> {
  const done = after === undefined ? 'removed' : 'written'
  await withAdvice({ path, done, advice: adviceFor(scope) }, async () => {
    if (after === undefined) await removeSettingsFile(path, readRecord(path)?.folder)
    else await writeSettingsFile(path, after, mode)
  })
  await inState(() => removeRecord(path))
  terminal.say(`${cleanLine(path)}: ${did}.`)
}

function readAs(scope: HookScope, path: string): Promise<string | undefined> {
  return withAdvice({ path, done: 'read', advice: adviceFor(scope) }, () => readSettingsFile(path))
}

function adviceFor(scope: HookScope): string {
  const other =
    scope === 'user'
      ? 'use --project for the settings of the project in this folder'
      : 'leave out --project for the settings of your user'
  return `Check the owner and the mode of its folder, or ${other}.`
}

function sayDiff({ path, before = '', after = '' }: Change, terminal: Terminal): void {
  const { hunks } = structuredPatch(path, path, before, after, '', '', { context: 2 })
  const lines = hunks.flatMap(({ oldStart, newStart, lines }) => [
    `@@ -${oldStart} +${newStart} @@`,
    ...lines,
  ])
  terminal.print(cleanText([`--- ${path}`, `+++ ${path}`, ...lines].join('\n')))
  terminal.say('Nothing was written.')
}
