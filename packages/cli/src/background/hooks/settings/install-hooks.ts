import { mkdir, rm, rmdir } from 'node:fs/promises'
import { dirname, resolve, sep } from 'node:path'
import { cleanLine, cleanText } from '@tenfold/core/internal'
import { structuredPatch } from 'diff'
import { option, type ValuesOf } from '../../../options/option.ts'
import { notEmpty } from '../../../options/parsers.ts'
import { readTextNow } from '../../../terminal/regular-file.ts'
import type { CommandContext } from '../../../terminal/terminal.ts'
import { unlessFaulty, unlessRefused } from '../../../terminal/thrown.ts'
import { linkedFile, replaceFile, withAdvice } from '../../../terminal/user-files.ts'
import type { HookAgent } from '../hook-agents.ts'
import { findLauncher, type HookScope, testedLauncher } from './guarded-command.ts'
import { anyLauncher, codexTrustFile, type HookFile, hookFile, hookHint } from './hook-files.ts'

export const installOptions = [
  option(
    '--project',
    'change the settings of the project in this folder (default: your own, for all projects)',
  ),
  option('--uninstall', 'remove the hooks'),
  option('--dry-run', 'show what would change, and write nothing'),
  option('--command <command>', 'how the agent calls tenfold, such as "npx tenfold"', {
    parse: notEmpty('a command'),
  }),
  option('--trust', 'trust the hooks in the settings of Codex too, as its command /hooks does'),
] as const

type InstallOptions = ValuesOf<typeof installOptions>

/** `before` and `after` are undefined if the file does not exist. */
interface Change extends Pick<HookFile, 'path' | 'root' | 'mode'> {
  readonly before: string | undefined
  readonly after: string | undefined
  readonly did: string
}

/** Changes nothing else in a settings file; a second run changes nothing. Runs the hooks' command once to test it. */
export async function installHooks(agent: HookAgent, options: InstallOptions, { terminal }: CommandContext) {
  const { project, uninstall = false, dryRun, trust, command } = options
  const scope: HookScope = project ? 'project' : 'user'
  const { launcher, fault } = uninstall
    ? { launcher: anyLauncher }
    : dryRun
      ? { launcher: findLauncher(command, scope) }
      : await testedLauncher(agent, command, scope)
  const change = (file: HookFile) => changeOf(file, uninstall, scope)
  const own = await change(hookFile(agent, scope, launcher))
  const changes = [own]
  if (agent === 'codex' && (trust || uninstall))
    changes.push(await change(codexTrustFile(own.path, (uninstall ? own.before : own.after) ?? '')))
  const real = changes.filter((each) => each.before !== each.after)
  if (real.length === 0) {
    const state = uninstall ? 'has no hooks of tenfold' : 'already has the hooks'
    terminal.say(`${changes.map((each) => cleanLine(each.path)).join(', ')} ${state}; nothing to change.`)
  }
  for (const each of real) {
    if (dryRun) terminal.print(diffOf(each))
    else {
      await apply(each, scope)
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

async function changeOf(file: HookFile, uninstall: boolean, scope: HookScope): Promise<Change> {
  const { path, root, mode } = file
  const before = await withAdvice({ path, done: 'read', advice: adviceFor(scope) }, () =>
    unlessRefused(() => readTextNow(path), undefined, 'ENOENT'),
  )
  const same = { text: before, did: '' }
  const { text, did } = uninstall ? (before === undefined ? same : file.remove(before)) : file.add(before)
  const change = { path, root, mode, before, after: text, did }
  // Cursor's file always has a version.
  const isEmptied =
    uninstall && text !== before && /^\s*(?:\{\s*(?:"version": 1)?\s*\})?\s*$/.test(text ?? '')
  if (text === undefined || !isEmptied) return change
  return { ...change, after: undefined, did: `${did}, and the file, which has nothing else` }
}

/** Keeps the file's mode and a link to it. Removes the folders that are empty after a file is removed. */
async function apply({ path, root, after, mode }: Change, scope: HookScope): Promise<void> {
  const done = after === undefined ? 'removed' : 'written'
  await withAdvice({ path, done, advice: adviceFor(scope) }, async () => {
    const file = await linkedFile(path)
    if (after !== undefined) {
      await mkdir(dirname(file), { recursive: true, mode: 0o755 })
      return await replaceFile(path, [after], { mode })
    }
    await rm(file, { force: true })
    for (let at = dirname(resolve(path)); at.startsWith(`${resolve(root)}${sep}`); at = dirname(at)) {
      // The folder is not empty, or no longer exists.
      if ((await unlessFaulty(rmdir(at), false)) === false) return
    }
  })
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
  const lines = hunks.flatMap((hunk) => [`@@ -${hunk.oldStart} +${hunk.newStart} @@`, ...hunk.lines])
  return cleanText([`--- ${path}`, `+++ ${path}`, ...lines].join('\n'))
}
