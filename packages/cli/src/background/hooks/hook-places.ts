import { existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { isRemoteStore } from '../../state/trust.ts'
import { projectStoreOf } from '../../store/project-store.ts'
import { unlessRefused } from '../../terminal/thrown.ts'
import { type HookAgent, traitsOf } from './hook-agents.ts'
import type { HookPayload } from './hook-payload.ts'

/** The log that a hook is about, or why there is none, and where it will be. `isLate`: the agent has yet to write it. */
type FoundTranscript =
  | { readonly path: string; readonly isLate?: true }
  | { readonly fault: string; readonly expected?: string }

/** `PATH#ID` in a database. If the agent does not name it, the path follows from the session or the project. */
export function findTranscript({ agent, transcript, session, cwd }: HookPayload): FoundTranscript {
  if (transcript !== undefined) return fileAt(transcript, cwd, agent)
  const places = isPlainId(session) ? (traitsOf(agent).logs?.(session, cwd) ?? []) : []
  const [place] = places
  if (place === undefined) return { fault: 'the agent gave no transcript_path' }
  const found = fileAt(places.find(isFile) ?? place, cwd, agent)
  return 'path' in found && agent === 'opencode' ? { path: `${found.path}#${session}` } : found
}

/** The file that the agent names, otherwise the one that Claude Code writes next to the session's. */
export function findSubagentTranscript({ subagent, transcript, session, cwd }: HookPayload): FoundTranscript {
  if (subagent.transcript !== undefined) return fileAt(subagent.transcript, cwd)
  if (!isPlainId(subagent.id) || transcript === undefined)
    return { fault: 'the agent gave no agent_transcript_path' }
  const folder = dirname(resolve(cwd ?? '.', transcript))
  const name = `agent-${subagent.id}.jsonl`
  const inner = isPlainId(session) ? [join(folder, session, 'subagents', name)] : []
  const path = [...inner, join(folder, name)].find(isFile)
  return path === undefined ? { fault: `no file ${name} next to the transcript` } : { path }
}

export function subagentTrack({ subagent }: HookPayload, log: string): string {
  const name = subagent.id ?? /([^/\\]+?)(?:\.[a-z]+)*$/i.exec(log)?.[1] ?? 'unknown'
  const plain = name
    .replace(/^agent-/, '')
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .slice(0, 100)
  return `subagent-${plain.replace(/^-+|-+$/g, '') || 'unknown'}`
}

function fileAt(path: string, cwd: string | undefined, agent?: HookAgent): FoundTranscript {
  const expanded = path.startsWith('~/') ? join(homedir(), path.slice(2)) : path
  const whole = isAbsolute(expanded) ? expanded : resolve(cwd ?? '.', expanded)
  if (whole.includes('\0')) return { fault: 'transcript_path is not a path' }
  if (isFile(whole)) return { path: whole }
  const isAwaited = agent !== undefined && traitsOf(agent).writesLate && !existsSync(whole)
  return isAwaited && existsSync(dirname(whole))
    ? { path: whole, isLate: true }
    : { fault: `there is no file at ${whole}`, expected: whole }
}

function isThere(path: string, what: 'file' | 'folder'): boolean {
  return unlessRefused(
    () => (what === 'file' ? statSync(path).isFile() : statSync(path).isDirectory()),
    false,
  )
}

const isFile = (path: string): boolean => isThere(path, 'file')

function isPlainId(id: string | undefined): id is string {
  return id !== undefined && /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(id)
}

export function projectOf({ agent, cwd }: HookPayload): string | undefined {
  const named = process.env[traitsOf(agent).projectVariable ?? '']
  return [named, cwd ?? process.cwd()].find(
    (path) => path !== undefined && path !== '' && isThere(path, 'folder'),
  )
}

export function storeOf(project: string, env: NodeJS.ProcessEnv = process.env): string {
  const named = env.TENFOLD_STORE
  if (named === undefined || named.trim() === '') return projectStoreOf(project)
  return isRemoteStore(named) ? named : resolve(project, named)
}

/** False if a store certainly contains nothing. */
export function mayHoldBundles(store: string): boolean {
  return (
    isRemoteStore(store) || ['tracks', 'bundles', 'checkpoints'].some((name) => existsSync(join(store, name)))
  )
}
