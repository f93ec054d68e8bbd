import { existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { isRemoteStore } from '../../state/trust.ts'
import { projectStoreOf } from '../../store/project-store.ts'
import { asObject, parseJson } from '../../terminal/regular-file.ts'
import type { StandardStreams } from '../../terminal/standard-stream.ts'
import { unlessRefused } from '../../terminal/thrown.ts'
import { actionOf, type HookAction, type HookAgent, traitsOf } from './hook-agents.ts'

/** A hook's input, with the same field names for all agents. Missing, empty and null fields are undefined. */
export interface HookPayload {
  readonly agent: HookAgent
  readonly event: string
  readonly action?: HookAction | undefined
  readonly session?: string | undefined
  readonly transcript?: string | undefined
  readonly cwd?: string | undefined
  /** Why a session starts: `startup`, `resume`, `fork`, `clear` or `compact`. */
  readonly source?: string | undefined
  /** What caused a compaction: `auto` or `manual`. */
  readonly trigger?: string | undefined
  readonly tool?: string | undefined
  readonly subagent: { readonly id?: string | undefined; readonly transcript?: string | undefined }
}

/** `named` is the event if the JSON does not have it. Returns a message if the input is invalid. */
export function parseHookPayload(agent: HookAgent, text: string, named?: string): HookPayload | string {
  if (text.trim() === '') return 'stdin was empty'
  const parsed = parseJson(text.replace(/^\ufeff/, ''))
  // The text may contain secrets, so the message does not quote it.
  if (parsed === undefined) return 'stdin was not JSON: it does not parse'
  const value = asObject(parsed)
  if (value === undefined) return 'stdin held JSON that is not an object'
  const own = (name: string): unknown => (Object.hasOwn(value, name) ? value[name] : undefined)
  const word = (...names: string[]): string | undefined =>
    names.map(own).find((found): found is string => typeof found === 'string' && found.trim() !== '')
  const event = named ?? word('hook_event_name', 'hookEventName')
  if (event === undefined) return 'the JSON has no hook_event_name'
  const roots = own('workspace_roots') ?? own('workspaceRoots')
  const root: unknown = Array.isArray(roots) ? roots[0] : undefined
  return {
    agent,
    event,
    action: actionOf(event),
    session: word('session_id', 'conversation_id', 'sessionId'),
    transcript: word('transcript_path', 'transcriptPath'),
    cwd: word('cwd') ?? (typeof root === 'string' ? root : undefined),
    source: word('source'),
    trigger: word('trigger'),
    tool: word('tool_name'),
    subagent: { id: word('agent_id', 'subagent_id'), transcript: word('agent_transcript_path') },
  }
}

/** Payloads are small; even one with a whole file as tool input stays below this. */
const maxBytes = 16 * 1024 * 1024
const maxWait = 5_000

/** Also reads excess input, or the agent fails on a broken pipe. Stops at complete JSON without waiting for the end. */
export async function readHookInput(stdin: StandardStreams['stdin']) {
  if (stdin.isTTY) return { fault: 'expected the JSON of a hook on stdin, got a terminal' }
  const blocks: Buffer[] = []
  let bytes = 0
  let late: NodeJS.Timeout | undefined
  const end = new Promise<{ readonly done: true }>((give) => {
    late = setTimeout(() => {
      give({ done: true })
      // A pending read would keep the process alive.
      setTimeout(() => process.exit(), maxWait).unref()
    }, maxWait)
  })
  const input = stdin[Symbol.asyncIterator]()
  try {
    while (!isWhole(blocks)) {
      const next = await Promise.race([input.next(), end])
      if (next.done) break
      bytes += next.value.byteLength
      if (bytes <= maxBytes) blocks.push(Buffer.from(next.value))
      else blocks.length = 0
    }
  } catch (error) {
    if (blocks.length === 0) return { fault: `stdin cannot be read: ${String(error)}` }
  } finally {
    clearTimeout(late)
  }
  if (bytes > maxBytes) return { fault: `stdin held ${bytes} bytes, more than the ${maxBytes} that are read` }
  return { text: Buffer.concat(blocks).toString('utf8') }
}

function isWhole(blocks: readonly Buffer[]): boolean {
  if (!/\}\s*$/.test(blocks.at(-1)?.toString('latin1').slice(-100) ?? '')) return false
  return parseJson(Buffer.concat(blocks).toString('utf8')) !== undefined
}

/** The log of a hook's session, or why it is missing and where it will be. `isLate`: it may not be written yet. */
type FoundTranscript =
  | { readonly path: string; readonly isLate?: true }
  | { readonly fault: string; readonly expected?: string }

/** The path is `PATH#ID` in a database. If the agent names no log, it is found by session and project. */
export function findTranscript({ agent, transcript, session, cwd }: HookPayload): FoundTranscript {
  if (transcript !== undefined) return fileAt(transcript, cwd, agent)
  const places = isPlainId(session) ? (traitsOf(agent).logs?.(session, cwd) ?? []) : []
  const [place] = places
  if (place === undefined) return { fault: 'the agent gave no transcript_path' }
  const found = fileAt(places.find(isFile) ?? place, cwd, agent)
  return 'path' in found && agent === 'opencode' ? { path: `${found.path}#${session}` } : found
}

/** The file that the agent names, otherwise the one that Claude Code writes next to the session's log. */
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
