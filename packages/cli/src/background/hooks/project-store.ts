import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isRemoteStore } from '../../state/trust.ts'
import { projectStoreOf } from '../../store/project-store.ts'
import { unlessRefused } from '../../terminal/thrown.ts'
import type { HookAgent } from './hook-agents.ts'
import type { HookPayload } from './hook-payload.ts'

// The agent may work in a subfolder; these variables name the folder it was started in.
const projectVariables: Readonly<Record<HookAgent, string | undefined>> = {
  'claude-code': 'CLAUDE_PROJECT_DIR',
  codex: undefined,
  cursor: 'CURSOR_PROJECT_DIR',
  gemini: 'GEMINI_PROJECT_DIR',
  opencode: undefined,
  pi: undefined,
  'copilot-cli': undefined,
  cline: undefined,
  'qwen-code': 'QWEN_PROJECT_DIR',
}

export function projectOf({ agent, cwd }: HookPayload): string | undefined {
  const variable = projectVariables[agent]
  const named = variable === undefined ? undefined : process.env[variable]
  return [named, cwd ?? process.cwd()].find((path) => path !== undefined && path !== '' && isFolder(path))
}

export function storeOf(project: string, env: NodeJS.ProcessEnv = process.env): string {
  const named = env.TENFOLD_STORE
  if (named === undefined || named.trim() === '') return projectStoreOf(project)
  return isRemoteStore(named) ? named : resolve(project, named)
}

/** False if a store certainly contains nothing: its folder does not exist. */
export function mayHoldBundles(store: string): boolean {
  return (
    isRemoteStore(store) || ['tracks', 'bundles', 'checkpoints'].some((name) => existsSync(join(store, name)))
  )
}

function isFolder(path: string): boolean {
  return unlessRefused(() => statSync(path).isDirectory(), false)
}
