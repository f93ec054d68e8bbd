import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { errorCode } from '../../terminal/thrown.ts'
import type { HookPayload } from './hook-payload.ts'

/** The log that a hook is about, or why there is none. */
export type FoundTranscript = { readonly path: string } | { readonly fault: string }

/**
 * The log of the session. Cursor's command line never names it, but the path follows from the folder of the project.
 */
export function findTranscript({ agent, transcript, session, cwd }: HookPayload): FoundTranscript {
  if (transcript !== undefined) return fileAt(transcript, cwd)
  const id = agent === 'cursor' && session !== undefined && isPlainId(session) ? session : undefined
  if (id === undefined || cwd === undefined) return { fault: 'the agent gave no transcript_path' }
  const slug = cwd.replace(/^[/\\]+/, '').replaceAll(/[^A-Za-z0-9]/g, '-')
  const folder = join(homedir(), '.cursor', 'projects', slug, 'agent-transcripts')
  const places = [join(folder, id, `${id}.jsonl`), join(folder, `${id}.jsonl`), join(folder, `${id}.txt`)]
  const path = places.find(isFile)
  return path === undefined ? { fault: `no transcript of this session in ${folder}` } : { path }
}

/**
 * The log of a sub-agent: the file that the agent names, otherwise the one that Claude Code writes next to the
 * session's.
 */
export function findSubagentTranscript({ subagent, transcript, session, cwd }: HookPayload): FoundTranscript {
  if (subagent.transcript !== undefined) return fileAt(subagent.transcript, cwd)
  const { id } = subagent
  if (id === undefined || !isPlainId(id) || transcript === undefined)
    return { fault: 'the agent gave no agent_transcript_path' }
  const folder = dirname(resolve(cwd ?? '.', transcript))
  const name = `agent-${id}.jsonl`
  const places = [
    ...(session !== undefined && isPlainId(session) ? [join(folder, session, 'subagents', name)] : []),
    join(folder, name),
  ]
  const path = places.find(isFile)
  return path === undefined ? { fault: `no file ${name} next to the transcript` } : { path }
}

/** The track of a sub-agent, named after its id or its log. */
export function subagentTrack({ subagent }: HookPayload, log: string): string {
  const name = subagent.id ?? /([^/\\]+?)(?:\.[a-z]+)*$/i.exec(log)?.[1] ?? 'unknown'
  const plain = name
    .replace(/^agent-/, '')
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .slice(0, 100)
  return `subagent-${plain.replace(/^-+|-+$/g, '') || 'unknown'}`
}

function fileAt(path: string, cwd: string | undefined): FoundTranscript {
  const expanded = path.startsWith('~/') ? join(homedir(), path.slice(2)) : path
  const whole = isAbsolute(expanded) ? expanded : resolve(cwd ?? '.', expanded)
  if (whole.includes('\0')) return { fault: 'transcript_path is not a path' }
  return isFile(whole) ? { path: whole } : { fault: `there is no file at ${whole}` }
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
  } catch (error) {
    // A path through a file, or an unreadable folder: there is no log for us.
    if (errorCode(error) !== undefined) return false
    throw error
  }
}

/** Whether an id is safe as a file name. */
function isPlainId(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(id)
}
