import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isRemoteStore } from '../../state/trust.ts'
import { projectStoreOf } from '../../store/project-store.ts'
import { unlessRefused } from '../../terminal/thrown.ts'
import { traitsOf } from './hook-agents.ts'
import type { HookPayload } from './hook-payload.ts'

export function projectOf({ agent, cwd }: HookPayload): string | undefined {
  const named = process.env[traitsOf(agent).projectVariable ?? '']
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
