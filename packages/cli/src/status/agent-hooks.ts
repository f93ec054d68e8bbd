import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TenfoldError } from '@tenfold/core'
import { findLauncher } from '../background/hooks/settings/find-launcher.ts'
import { installHooks } from '../background/hooks/settings/install-hooks.ts'
import { type InstalledHooks, installedHooks } from '../background/hooks/settings/installed-hooks.ts'
import { stateFolder } from '../state/state-folder.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { parseJson } from '../terminal/json-input.ts'
import { unlessRefused } from '../terminal/thrown.ts'

/** Something that a hook did. */
interface Deed {
  /** ISO 8601. */
  readonly at: string
  readonly event?: string
  readonly bundle?: string
}

/** The hooks of an agent, and what they did last, in any project. */
export interface AgentHooks extends InstalledHooks {
  readonly lastRun?: Deed
  readonly lastBrief?: Deed
  /** The newest session that became a bundle. */
  readonly lastKept?: Deed
}

/** The installed hooks. Those of the user that an earlier version wrote are renewed first, and a line on stderr says so. */
export async function currentHooks(context: CommandContext): Promise<AgentHooks[]> {
  for (const hooks of installedHooks())
    if (hooks.scope === 'user' && hooks.state === 'outdated') await renew(hooks, context)
  const deeds = lastDeeds()
  return installedHooks().map((hooks) => ({ ...hooks, ...deeds.get(hooks.agent) }))
}

async function renew({ agent, command }: InstalledHooks, context: CommandContext): Promise<void> {
  const { terminal } = context
  const quiet = { ...terminal, say: () => {}, print: () => {}, hint: () => {} }
  try {
    // A checkout that is tried out must not get into the settings.
    if (findLauncher(command, 'user').words !== (command ?? 'tenfold')) return
    await installHooks(agent, { command }, { ...context, terminal: quiet })
    terminal.note(`The hooks of ${agent}, which an earlier version wrote, were renewed.`)
  } catch (error) {
    // The list of hooks says how to renew them.
    if (!TenfoldError.isInstance(error)) throw error
  }
}

type Deeds = Pick<AgentHooks, 'lastRun' | 'lastBrief' | 'lastKept'>

/** What the log of the hooks says last of each agent. */
function lastDeeds(): Map<string, Deeds> {
  const deeds = new Map<string, Deeds>()
  for (const line of ['hooks.log.1', 'hooks.log'].flatMap(linesOf)) {
    const value = parseJson(line)
    if (typeof value !== 'object' || value === null) continue
    const { at, agent, event, job, bundle }: Record<string, unknown> = { ...value }
    if (typeof at !== 'string' || typeof agent !== 'string') continue
    const made = typeof bundle === 'string' ? { at, bundle } : undefined
    deeds.set(agent, {
      ...deeds.get(agent),
      ...(typeof event === 'string' && { lastRun: { at, event } }),
      ...(typeof event === 'string' && made && { lastBrief: made }),
      ...(typeof job === 'string' && made && { lastKept: made }),
    })
  }
  return deeds
}

function linesOf(name: string): string[] {
  return unlessRefused(() => readFileSync(join(stateFolder(), name), 'utf8'), '').split('\n')
}
