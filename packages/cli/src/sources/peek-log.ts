import { createHash } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isTrackName } from '@tenfold/core/internal'
import { type OpenLog, openLog } from '@tenfold/core/readers'
import { mainWorkTree } from '../store/project-store.ts'
import { asObject, parseJson, readTextNow } from '../terminal/regular-file.ts'
import { unlessFaulty, unlessRefused } from '../terminal/thrown.ts'

const names = ['cwd', 'working_dir', 'workspaceRoot', 'directory']
const deepest = 4

/**
 * `own`: a session in which tenfold's own summarizer called a model. `isPart`: a sub-agent's log, which is read with
 * the session that started it.
 */
export async function peekLog(path: string) {
  const open = await openLog(path)
  const { text } = open.head
  const cwd = cwdOf(path, open)
  // Codex keeps sub-agents' logs among its sessions.
  const isPart = /^[^\n]*"parent_thread_id":"/.test(text)
  const { promptOpening } = await import('@tenfold/summarizers/model')
  return { own: text.includes(promptOpening), isPart, cwd }
}

/** The folder that a session ran in, from a file next to the log or from the log's beginning. */
export function cwdOf(path: string, { head }: Pick<OpenLog, 'head'>): string | undefined {
  const values = head.document === undefined ? head.records : [head.document]
  return folderBeside(path) ?? values.map((value) => folderIn(value, 0)).find((found) => found !== undefined)
}

function folderIn(value: unknown, depth: number): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth > deepest) return undefined
  const fields = Object.entries(value)
  for (const [name, field] of fields)
    if (names.includes(name) && typeof field === 'string' && /^(?:\/|[A-Za-z]:[\\/])/.test(field))
      return field
  for (const [, field] of fields) {
    const found = folderIn(field, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

// Files next to a log: Gemini CLI has `.project_root` with the project, two folders up; Cline's command line has
// `<id>.json` with folder and state; VS Code has `workspace.json` with the folder's URL, one folder up; Qwen Code keeps
// `<id>.runtime.json` while a session runs.

const maxBytes = 1_000_000

/** A process that did not clean up must not block the compression of its session forever. */
const runsAtMost = 24 * 60 * 60_000

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
    // The URL is not a path on this machine.
    if (error instanceof TypeError || error instanceof URIError) return undefined
    throw error
  }
}

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
  // The file may be incomplete while it is being written.
  return asObject(parseJson(text))
}

function textOf(path: string): string | undefined {
  return unlessRefused(() => readTextNow(path, maxBytes), undefined)
}

/** The track of the log's project. Depends only on the log, not on other logs or the working folder. */
export async function projectTrack(log: string): Promise<string | undefined> {
  // Faults of the log are reported when it is compressed.
  return trackOfFolder((await unlessFaulty(peekLog(log), undefined))?.cwd)
}

export function trackOfFolder(cwd: string | undefined): string | undefined {
  return cwd === undefined ? undefined : trackOf(projectOf(cwd))
}

/** The repository of a session's folder if it exists on this machine, otherwise the folder. */
export function projectOf(folder: string): string {
  // A path of another operating system cannot be looked up here.
  if (!isAbsolute(folder)) return folder
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return mainWorkTree(at) ?? at
    if (dirname(at) === at) return folder
  }
}

/** A track named after a project's folder and its parent, because many projects' folders have the same name. */
export function trackOf(project: string): string {
  const folders = project
    .split(/[/\\]/)
    .filter((part) => part !== '')
    .slice(-2)
    .join('-')
  const plain = folders
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '')
    .slice(0, 60)
  // A track's name cannot have letters of other scripts, so a digest tells these folders apart.
  const name = /[^\x20-\x7e]/.test(folders)
    ? `${plain}-${createHash('sha256').update(folders).digest('hex').slice(0, 6)}`
    : plain
  // These names have other meanings.
  const isOwn = isTrackName(name) && !/^(?:main|earlier|latest)$/i.test(name)
  return isOwn ? name : `project-${name}`.replace(/-$/, '')
}
