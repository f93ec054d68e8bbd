import { resolve } from 'node:path'
import { envValues, type Redaction } from '@tenfold/redact'
import { messageOf } from '../../errors.ts'
import { readGit } from '../../git/read-git.ts'
import { known } from '../../session/known.ts'
import { withinGrace } from '../../session/within-grace.ts'
import { encodeJson } from '../../storage/stored-json.ts'
import { dumpPaths } from '../dump-keys.ts'
import type { DumpNote } from '../dump-schema.ts'
import { collectFiles, type DumpLosses } from '../files/collect-files.ts'
import type { DumpHaltOptions, Halt } from '../halt.ts'
import { collectConversation, plainJson, toolCallRecords } from './collect-conversation.ts'

type PartSource = (redaction: Redaction) => Uint8Array | Promise<Uint8Array>

export type CollectedHalt = Awaited<ReturnType<typeof collectHalt>>

/**
 * Collects everything for a dump, with secrets; unavailable content is listed as missing. `parts` are those other than
 * sandbox files, by path.
 */
export async function collectHalt(halt: Halt, options: DumpHaltOptions, losses: DumpLosses) {
  const { signal, ignore, gitFilters: filters } = options
  const call = { timeout: 60_000, signal, filters }
  const { env = process.env, envNames = [] } = options
  const { agent, sandboxRoot, readState } = halt
  const note = (added: DumpNote): void => void losses.notes.push(added)
  const parts = new Map<string, PartSource>()
  const json = (path: string, value: unknown): unknown =>
    parts.set(path, (redaction) => encodeJson(redaction.redactValue(value)))
  /** Returns the result of `collect`; undefined if the value is absent or `collect` fails. */
  const from = async <T, R>(
    path: string,
    value: T | undefined,
    what: string,
    collect: (value: T) => R | Promise<R>,
  ): Promise<R | undefined> => {
    if (value === undefined)
      return void losses.missing.push({ path, code: 'not-given', reason: `no ${what} was given` })
    try {
      return await collect(value)
    } catch (error) {
      signal?.throwIfAborted()
      return void losses.missing.push({ path, code: 'failed', reason: messageOf(error) })
    }
  }
  const sandbox = sandboxRoot === undefined ? undefined : resolve(sandboxRoot)
  const git = sandbox === undefined ? undefined : await readGit(sandbox, { ...call, ignore, allFiles: true })
  const [, session, files] = await Promise.all([
    from(dumpPaths.state, readState, 'readState', async (read) =>
      json(dumpPaths.state, await stateOf(read, halt.stateKey, note, options)),
    ),
    from(dumpPaths.conversation, agent?.conversation, 'conversation', async (log) => {
      const { session, redacted } = await collectConversation(log, note, options)
      parts.set(dumpPaths.conversation, redacted)
      return session
    }),
    from(dumpPaths.files, sandbox, 'sandboxRoot', (folder) =>
      collectFiles(folder, git ?? { state: 'no-git' }, { ...options, call }, losses),
    ),
  ])
  if (sandbox === undefined) await from(dumpPaths.patch, sandbox, 'sandboxRoot', () => undefined)
  const cwd = resolve(agent?.cwd ?? sandbox ?? '.')
  await from(dumpPaths.execution, agent, 'agent', ({ conversation: _, toolCalls: __, ...run }) =>
    json(dumpPaths.execution, { ...(plainJson(run) as object), cwd }),
  )
  const calls = agent?.toolCalls?.map((call) => plainJson(call)) ?? (session && toolCallRecords(session))
  await from(dumpPaths.toolCalls, calls, 'conversation in a known format', (found) =>
    json(dumpPaths.toolCalls, found),
  )
  parts.set(dumpPaths.workingDirectory, (redaction) => Buffer.from(`${redaction.redact(cwd)}\n`))
  json(dumpPaths.environment, environmentValues(env, envNames))
  return { parts, git, files }
}

/** Makes `supervisor/state-snapshot.json`. Throws if the state cannot be read, takes too long, or does not exist. */
async function stateOf(
  readState: NonNullable<Halt['readState']>,
  stateKey: string | undefined,
  note: (note: DumpNote) => void,
  { stateTimeout = 10_000, signal }: DumpHaltOptions,
): Promise<{ readonly stateKey?: string; readonly state: unknown }> {
  const late = new AbortController()
  const timer = setTimeout(
    () => late.abort(new Error(`it gave no answer within ${stateTimeout} ms`)),
    stateTimeout,
  )
  const stop = signal === undefined ? late.signal : AbortSignal.any([late.signal, signal])
  try {
    const state = await withinGrace(readState({ ...known({ stateKey }), signal: stop }), stop, 0)
    if (state === undefined || state === null)
      throw new Error(`the state store holds nothing${stateKey === undefined ? '' : ` under ${stateKey}`}`)
    return { ...known({ stateKey }), state: plainJson(parsed(state), note) }
  } finally {
    clearTimeout(timer)
  }
}

/** Parses a JSON text if that loses nothing, such as digits of a long number. */
function parsed(state: unknown): unknown {
  if (typeof state !== 'string') return state
  try {
    const value: unknown = JSON.parse(state)
    return JSON.stringify(value) === state.trim() ? value : state
  } catch {
    // Text that is not JSON, or nested too deeply, is kept as it is.
    return state
  }
}

type Environment = Readonly<Record<string, string | undefined>>

/** Variables whose values every dump contains: they describe the process, not its data. */
const defaultEnvNames =
  'CI COLUMNS HOME HOSTNAME LANG LC_ALL LOGNAME NODE_ENV NODE_OPTIONS NODE_VERSION PATH PWD SHELL SHLVL TERM TMPDIR TZ USER VIRTUAL_ENV'

/** Makes `environment/env-vars.json`: the values of allowed variables, and the names of all others. */
function environmentValues(env: Environment, names: readonly string[]) {
  const allowed = new Set([...defaultEnvNames.split(' '), ...names])
  const entries = Object.entries(env)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    variables: Object.fromEntries(entries.filter(([name]) => allowed.has(name))),
    notDumped: entries.map(([name]) => name).filter((name) => !allowed.has(name)),
  }
}

const secretName = /key|token|secret|passw|pwd$|pass$|credential|private|dsn/i

/** Returns the values of variables with names of secrets, and passwords in URLs. No part of a dump may contain them. */
export function environmentSecrets(env: Environment): string[] {
  const secrets = Object.entries(env).flatMap(([name, value = '']) => {
    const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(value)
    // A path is only the place of a secret; a backquote would end the value of a `.env` line.
    if (value.includes('`') || /^[/~]/.test(value) || !(isUrl || secretName.test(name))) return []
    return envValues(`${/^\w+$/.test(name) ? name : 'KEY'}=\`${value}\``)
  })
  return [...new Set(secrets)]
}
