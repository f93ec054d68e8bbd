import { existsSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseJson } from '../terminal/json-input.ts'
import { readTextNow } from '../terminal/regular-file.ts'
import { unlessRefused } from '../terminal/thrown.ts'

// Files next to a log: Gemini CLI names the project in `.project_root`, two folders up; Cline's command line has a
// file `<id>.json` with folder and state; VS Code has `workspace.json` with the URL of the folder, one folder up; Qwen
// Code keeps `<id>.runtime.json` while a session runs.

/** Largest file that is read. */
const maxBytes = 1_000_000

/** A process that did not clean up must not keep its session from being compressed for ever. */
const runsAtMost = 24 * 60 * 60_000

/** The folder that a session ran in, from the files next to its log. */
export function folderBeside(path: string): string | undefined {
  if (basename(dirname(path)) === 'chats') {
    const root = textOf(join(dirname(dirname(path)), '.project_root'))?.trim()
    if (root !== undefined && root !== '') return root
  }
  if (basename(dirname(path)) === 'chatSessions') return folderOfWorkspace(dirname(dirname(path)))
  const cwd = stateOfCline(path)?.cwd
  return typeof cwd === 'string' && cwd !== '' ? cwd : undefined
}

function folderOfWorkspace(storage: string): string | undefined {
  const folder = jsonOf(join(storage, 'workspace.json'))?.folder
  if (typeof folder !== 'string' || !folder.startsWith('file:///')) return undefined
  try {
    return fileURLToPath(folder)
  } catch (error) {
    // It is no path of this machine.
    if (error instanceof TypeError || error instanceof URIError) return undefined
    throw error
  }
}

/** Whether the files next to a log say that its session still runs. */
export function isRunning(path: string): boolean {
  const runtime = path.replace(/\.jsonl$/, '.runtime.json')
  if (runtime !== path && existsSync(runtime)) return isRecent(runtime)
  return stateOfCline(path)?.status === 'running' && isRecent(path)
}

function isRecent(path: string): boolean {
  return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) < runsAtMost
}

function stateOfCline(path: string): Readonly<Record<string, unknown>> | undefined {
  const state = path.replace(/\.messages\.json$/, '.json')
  return state === path ? undefined : jsonOf(state)
}

function jsonOf(path: string): Readonly<Record<string, unknown>> | undefined {
  const text = textOf(path)
  if (text === undefined) return undefined
  // Not JSON while it is being written.
  const value = parseJson(text)
  return typeof value === 'object' && value !== null ? { ...value } : undefined
}

function textOf(path: string): string | undefined {
  return unlessRefused(() => readTextNow(path, maxBytes), undefined)
}
