import { createHash } from 'node:crypto'
import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { LockOwner } from '@tenfold/core/internal/locks'
import { stateFiles, stateFolder, writeState } from '../../state/trust.ts'
import { hasTexts, readJson } from '../../terminal/regular-file.ts'
import { messageOf } from '../../terminal/thrown.ts'
import { type HookAgent, isHookAgent } from './hook-agents.ts'
import type { HookPayload } from './hook-payload.ts'
import { logHook } from './job-queue.ts'

// One small file per session in the state folder, written at the session's first event, because not every agent reports
// the end of a session or logs what a hook gives it. A resumed session needs its file again, so a file is deleted only
// 30 days after the last event that used it.

export interface SessionMark {
  readonly agent: HookAgent
  readonly session: string
  readonly store?: string
  readonly log?: string
  readonly process?: LockOwner
  readonly brief?: string
  readonly ended?: boolean
}

const folder = 'begun'
const fileName = /^[0-9a-f]{32}$/
const maxAge = 30 * 24 * 60 * 60_000

export function markSession({ agent, session }: HookPayload, fields: Omit<SessionMark, 'agent' | 'session'>) {
  if (session === undefined) return undefined
  const name = createHash('sha256').update(`${agent}\0${session}`).digest('hex').slice(0, 32)
  const path = join(stateFolder(), folder, name)
  if (!existsSync(path)) dropOldMarks()
  const mark: SessionMark = { ...readMark(path), ...fields, agent, session }
  writeState(path, mark)
  return mark
}

export function marksOf(store: string): (SessionMark & { readonly used: number })[] {
  return stateFiles(folder, fileName).flatMap((path) => {
    const mark = readMark(path)
    const used = statSync(path, { throwIfNoEntry: false })?.mtimeMs
    return mark?.store === store && used !== undefined ? [{ ...mark, used }] : []
  })
}

function readMark(path: string): SessionMark | undefined {
  const value = readJson(path)
  if (!hasTexts(value, ['agent', 'session']) || !isHookAgent(value.agent)) return undefined
  return { ...value, agent: value.agent }
}

/** Never throws. */
function dropOldMarks(): void {
  const oldest = Date.now() - maxAge
  try {
    for (const path of stateFiles(folder, fileName)) {
      const used = statSync(path, { throwIfNoEntry: false })?.mtimeMs
      if (used !== undefined && used < oldest) rmSync(path, { force: true })
    }
  } catch (error) {
    logHook({ fault: `old session marks were not deleted: ${messageOf(error)}` })
  }
}
