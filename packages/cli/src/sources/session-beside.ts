import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { errorCode } from '../terminal/thrown.ts'

// Files next to a log: Gemini CLI names the project in `.project_root`, two folders up; Cline's command line has a
// file `<id>.json` with folder and state; Qwen Code keeps `<id>.runtime.json` while a session runs.

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
  const cwd = stateOfCline(path)?.cwd
  return typeof cwd === 'string' && cwd !== '' ? cwd : undefined
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
  const text = state === path ? undefined : textOf(state)
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch (error) {
    // It is being written.
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function textOf(path: string): string | undefined {
  try {
    return statSync(path).size > maxBytes ? undefined : readFileSync(path, 'utf8')
  } catch (error) {
    if (errorCode(error) !== undefined) return undefined
    throw error
  }
}
