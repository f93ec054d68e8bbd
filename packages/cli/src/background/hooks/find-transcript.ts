import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { errorCode } from '../../terminal/thrown.ts'
import type { HookPayload } from './hook-payload.ts'

/** The log that a hook is about, or why there is none. */
export type FoundTranscript = { readonly path: string } | { readonly fault: string }

/** The log of the session. Cursor's command line never names it: it lies where the folder of the project says. */
export function findTranscript({ agent, transcript, session, cwd }: HookPayload): FoundTranscript {
  if (transcript !== undefined) return fileAt(transcript, cwd)
  const id = agent === 'cursor' && session !== undefined && isPlainId(session) ? session : undefined
  if (id === undefined || cwd === undefined) return { fault: 'the agent named no transcript_path' }
  const slug = cwd.replace(/^[/\\]+/, '').replaceAll(/[^A-Za-z0-9]/g, '-')
  const folder = join(homedir(), '.cursor', 'projects', slug, 'agent-transcripts')
  const places = [join(folder, id, `${id}.jsonl`), join(folder, `${id}.jsonl`), join(folder, `${id}.txt`)]
  const path = places.find(isFile)
  return path === undefined ? { fault: `no transcript of this session in ${folder}` } : { path }
}

/** The log of a sub-agent: what the agent names, else the file that Claude Code writes beside that of the session. */
export function findSubagentTranscript({ subagent, transcript, session, cwd }: HookPayload): FoundTranscript {
  if (subagent.transcript !== undefined) return fileAt(subagent.transcript, cwd)
  const { id } = subagent
  if (id === undefined || !isPlainId(id) || transcript === undefined)
    return { fault: 'the agent named no agent_transcript_path' }
  const folder = dirname(resolve(cwd ?? '.', transcript))
  const name = `agent-${id}.jsonl`
  const places = [
    ...(session !== undefined && isPlainId(session) ? [join(folder, session, 'subagents', name)] : []),
    join(folder, name),
  ]
  const path = places.find(isFile)
  return path === undefined ? { fault: `no file ${name} beside the transcript` } : { path }
}

/** The track of a sub-agent, after its id or the name of its log. */
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
  if (whole.includes('\0')) return { fault: 'transcript_path is no path' }
  return isFile(whole) ? { path: whole } : { fault: `there is no file at ${whole}` }
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
  } catch (error) {
    // A path through a file, or a folder that may not be looked into: there is no log for us.
    if (errorCode(error) !== undefined) return false
    throw error
  }
}

/** An id that can be a name in a folder. */
function isPlainId(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(id)
}
