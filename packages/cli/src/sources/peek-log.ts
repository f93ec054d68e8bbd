import { openLog } from '@tenfold/core'
import { promptOpening } from '@tenfold/summarizers/model'
import { folderBeside } from './session-beside.ts'

/** Facts that the beginning of a log reveals without reading it all. */
export interface LogPeek {
  /** Folder that the session ran in. */
  readonly cwd?: string
  /** True if it is a session in which tenfold's own summarizer asked a model. */
  readonly own: boolean
  /** True if it is the log of a sub-agent, which the session that started it is read with. */
  readonly isPart: boolean
}

const names = ['cwd', 'working_dir', 'workspaceRoot', 'directory']
const deepest = 4

/** Examines the beginning of a log, and the files next to it that say where it ran. Throws LogReadError if it cannot be opened. */
export async function peekLog(path: string): Promise<LogPeek> {
  const { head } = await openLog(path)
  const values = head.document === undefined ? head.records : [head.document]
  const cwd =
    folderBeside(path) ?? values.map((value) => folderIn(value, 0)).find((found) => found !== undefined)
  // Codex keeps those of sub-agents among its sessions.
  const isPart = /^[^\n]*"parent_thread_id":"/.test(head.text)
  return { own: head.text.includes(promptOpening), isPart, ...(cwd !== undefined && { cwd }) }
}

/** The first absolute path under a name for a working folder; does not search lists. */
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
