import { homedir } from 'node:os'
import { join } from 'node:path'
import type { HookAgent } from '../hook-agents.ts'
import { type HookScope, type SettingsAgent, settingsAgents } from './hook-settings.ts'
import { openCodePlugin } from './opencode-plugin.ts'
import { piExtension } from './pi-extension.ts'

/** Agents that read hooks from files of their own. */
export type FileAgent = Exclude<HookAgent, SettingsAgent>

/** A file that is tenfold's alone. */
export interface HookFile {
  readonly path: string
  readonly text: string
  readonly mode: number
}

/** Words in each of these files by which a later run knows it. */
export const fileMark = 'Written by: tenfold install'

export function isFileAgent(agent: HookAgent): agent is FileAgent {
  return !settingsAgents.some((name) => name === agent)
}

/** The files that make an agent run `command` at its events. */
export function hookFiles(agent: FileAgent, scope: HookScope, command: string): HookFile[] {
  const inProject = scope === 'project'
  const { XDG_CONFIG_HOME, PI_CODING_AGENT_DIR, COPILOT_HOME, CLINE_DIR } = process.env
  const home = (...parts: string[]) => join(homedir(), ...parts)
  const mark = `${fileMark} ${agent}. To remove it: tenfold install ${agent} --uninstall`
  switch (agent) {
    case 'opencode': {
      const folder = inProject ? '.opencode' : join(XDG_CONFIG_HOME || home('.config'), 'opencode')
      const text = openCodePlugin(`${command} hook opencode`, mark)
      return [{ path: join(folder, 'plugin', 'tenfold.ts'), text, mode: 0o644 }]
    }
    case 'pi': {
      const folder = inProject ? '.pi' : PI_CODING_AGENT_DIR || home('.pi', 'agent')
      const text = piExtension(command, mark)
      return [{ path: join(folder, 'extensions', 'tenfold.ts'), text, mode: 0o644 }]
    }
    case 'copilot-cli': {
      const folder = inProject ? '.github' : COPILOT_HOME || home('.copilot')
      return [{ path: join(folder, 'hooks', 'tenfold.json'), text: copilotHooks(command, mark), mode: 0o644 }]
    }
    case 'cline': {
      const folder = inProject ? '.clinerules' : CLINE_DIR || home('.cline')
      return ['PreToolUse', 'TaskComplete', 'TaskCancel'].map((event) => ({
        path: join(folder, 'hooks', event),
        text: `#!/bin/sh\n# ${mark}\nexec ${command} hook cline ${event}\n`,
        mode: 0o755,
      }))
    }
  }
}

/** Copilot CLI does not name the event in the input: https://docs.github.com/en/copilot/reference/hooks-configuration */
function copilotHooks(command: string, mark: string): string {
  const entry = (event: string, timeoutSec: number) => ({
    type: 'command',
    bash: `${command} hook copilot-cli ${event}`,
    powershell: `${command} hook copilot-cli ${event}`,
    timeoutSec,
    comment: mark,
  })
  const hooks = {
    sessionStart: [entry('sessionStart', 60)],
    agentStop: [entry('agentStop', 5)],
    sessionEnd: [entry('sessionEnd', 5)],
    preToolUse: [entry('preToolUse', 60)],
  }
  return `${JSON.stringify({ version: 1, hooks }, null, 2)}\n`
}
