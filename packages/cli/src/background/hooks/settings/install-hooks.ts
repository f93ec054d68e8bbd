import { cleanLine, cleanText } from '@tenfold/core/internal'
import { structuredPatch } from 'diff'
import type { CommandContext } from '../../../terminal/terminal.ts'
import type { HookAgent } from '../hook-agents.ts'
import { findLauncher, type HookScope, type Launcher, testedLauncher } from './guarded-command.ts'
import { anyLauncher, codexTrustFile, type HookFile, hookFiles, hookHint } from './hook-files.ts'
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
  const { project, uninstall = false, dryRun, trust } = options
  const scope: HookScope = project ? 'project' : 'user'
  const { launcher, fault } = await launcherFor(agent, scope, options)
  const change = (file: HookFile) => changeOf(file, uninstall, scope)
  const changes = await Promise.all(hookFiles(agent, scope, launcher).map(change))
  const [{ path = '', before, after } = {}] = changes
  if (agent === 'codex' && (trust || uninstall))
    changes.push(await change(codexTrustFile(path, (uninstall ? before : after) ?? '')))
  const real = changes.filter((each) => each.before !== each.after)
  if (real.length === 0) {
    const state = uninstall ? 'has no hooks of tenfold' : 'already has the hooks'
    terminal.say(`${changes.map((each) => cleanLine(each.path)).join(', ')} ${state}; nothing to change.`)
  }
  const folders = new Map(real.map((each) => [each.path, missingFolder(each.path)]))
  for (const each of real) {
    if (dryRun) terminal.print(diffOf(each))
    else {
      await apply(each, { uninstall, scope, folder: folders.get(each.path) })
      terminal.say(`${cleanLine(each.path)}: ${each.did}.`)
    }
  }
  if (dryRun && real.length > 0) terminal.say('Nothing was written.')
  if (dryRun || uninstall) return
  const words = cleanLine(launcher.words)
  if (fault !== undefined)
    terminal.warn(`warning: the command of the hooks does not run here: ${words}: ${fault}`)
  else if (real.length > 0) terminal.say(`Tested: ${words} hook ${agent}`)
  const hint = hookHint(agent)
  if (real.length > 0 && hint !== undefined && !trust) terminal.say(hint)
  if (real.length > 0 && fault === undefined)
    terminal.hint(
      'From now on each session is compressed when it ends, and the next one in its folder starts with its brief. To see where things stand: tenfold',
    )
}

async function launcherFor(
  agent: HookAgent,
  scope: HookScope,
  { uninstall, dryRun, command }: InstallOptions,
): Promise<{ readonly launcher: Launcher; readonly fault?: string }> {
  if (uninstall) return { launcher: anyLauncher }
  return dryRun ? { launcher: findLauncher(command, scope) } : await testedLauncher(agent, command, scope)
}

async function changeOf(file: HookFile, uninstall: boolean, scope: HookScope): Promise<Change> {
  const { path, mode } = file
  const before = await withAdvice({ path, done: 'read', advice: adviceFor(scope) }, () =>
    readSettingsFile(path),
  )
  if (!uninstall) {
    const { text: after, did } = file.add(before)
    return { path, mode, before, after, did }
  }
  const { text: after, did } = before === undefined ? { text: before, did: '' } : file.remove(before)
  const isCreated = after !== undefined && after !== before && readRecord(path)?.created === true
  // Cursor's file has a version.
  if (!isCreated || !/^\s*(?:\{\s*(?:"version": 1)?\s*\})?\s*$/.test(after ?? ''))
    return { path, mode, before, after, did }
  return { path, mode, before, after: undefined, did: `${did}, and the file, which was created for them` }
}

async function apply(
  { path, before, after, mode }: Change,
  { uninstall, scope, folder }: { uninstall: boolean; scope: HookScope; folder: string | undefined },
): Promise<void> {
  const record = readRecord(path)
  // Recorded first: a record of something that does not exist yet does no harm.
  if (!uninstall && after !== undefined)
    await inState(() =>
      writeRecord(path, {
        created: before === undefined || (record?.created ?? false),
        folder: record?.folder ?? folder,
      }),
    )
  const done = after === undefined ? 'removed' : 'written'
  await withAdvice({ path, done, advice: adviceFor(scope) }, async () => {
    if (after === undefined) await removeSettingsFile(path, record?.folder)
    else await writeSettingsFile(path, after, mode)
  })
  if (uninstall || after === undefined) await inState(() => removeRecord(path))
}

function adviceFor(scope: HookScope): string {
  const other =
    scope === 'user'
      ? 'use --project for the settings of the project in this folder'
      : 'leave out --project to change your own settings'
  return `Check the owner and the mode of its folder, or ${other}.`
}

function diffOf({ path, before = '', after = '' }: Change): string {
  const { hunks } = structuredPatch(path, path, before, after, '', '', { context: 2 })
  const lines = hunks.flatMap(({ oldStart, newStart, lines }) => [
    `@@ -${oldStart} +${newStart} @@`,
    ...lines,
  ])
  return cleanText([`--- ${path}`, `+++ ${path}`, ...lines].join('\n'))
}
