import { homedir } from 'node:os'
import { join } from 'node:path'
import type { HookAgent } from '../hook-agents.ts'
import { clinePlugin, openCodePlugin, piExtension, pluginTell } from './agent-plugins.ts'
import type { HookScope } from './guarded-command.ts'
import { guardedCommand, hookLimit, type Launcher, windowsCommand } from './guarded-command.ts'
import { type SettingsAgent, settingsAgents } from './hook-settings.ts'

export type FileAgent = Exclude<HookAgent, SettingsAgent>

export interface HookFile {
  readonly path: string
  readonly text?: string
}

/** Words in each of these files by which a later run knows it. */
export const fileMark = 'Written by: tenfold install'

export function isFileAgent(agent: HookAgent): agent is FileAgent {
  return !settingsAgents.some((name) => name === agent)
}

/** The files that make an agent start tenfold at its events. Without a text: one that an earlier version wrote. */
export function hookFiles(agent: FileAgent, scope: HookScope, launcher: Launcher): HookFile[] {
  const inProject = scope === 'project'
  const { XDG_CONFIG_HOME, PI_CODING_AGENT_DIR, COPILOT_HOME, CLINE_DIR } = process.env
  const home = (...parts: string[]) => join(homedir(), ...parts)
  const mark = `${fileMark} ${agent}. To remove it: tenfold install ${agent} --uninstall`
  switch (agent) {
    case 'opencode': {
      const folder = inProject ? '.opencode' : join(XDG_CONFIG_HOME || home('.config'), 'opencode')
      const text = openCodePlugin(pluginTell(launcher, agent), mark)
      return [{ path: join(folder, 'plugin', 'tenfold.ts'), text }]
    }
    case 'pi': {
      const folder = inProject ? '.pi' : PI_CODING_AGENT_DIR || home('.pi', 'agent')
      return [
        {
          path: join(folder, 'extensions', 'tenfold.ts'),
          text: piExtension(pluginTell(launcher, agent), mark),
        },
      ]
    }
    case 'copilot-cli': {
      const folder = inProject ? '.github' : COPILOT_HOME || home('.copilot')
      return [{ path: join(folder, 'hooks', 'tenfold.json'), text: copilotHooks(launcher, mark) }]
    }
    case 'cline': {
      const folder = inProject ? '.cline' : CLINE_DIR || home('.cline')
      const former = join(inProject ? '.clinerules' : folder, 'hooks')
      return [
        {
          path: join(folder, 'plugins', 'tenfold.ts'),
          text: clinePlugin(pluginTell(launcher, agent, clineLimit), mark),
        },
        ...['PreToolUse', 'TaskComplete', 'TaskCancel'].map((event) => ({ path: join(former, event) })),
      ]
    }
  }
}

/** Cline gives up a plugin after three seconds. */
const clineLimit = 2

/** Copilot CLI does not name the event in the input: https://docs.github.com/en/copilot/reference/hooks-configuration */
function copilotHooks(launcher: Launcher, mark: string): string {
  const events = ['sessionStart', 'agentStop', 'sessionEnd'].map((event) => {
    const args = ['hook', 'copilot-cli', event]
    const commands = { bash: guardedCommand(launcher, args), powershell: windowsCommand(launcher, args) }
    return [event, [{ type: 'command', ...commands, timeoutSec: hookLimit + 1, comment: mark }]]
  })
  return `${JSON.stringify({ version: 1, hooks: Object.fromEntries(events) }, null, 2)}\n`
}
