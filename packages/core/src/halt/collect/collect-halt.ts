import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Redaction } from '@tenfold/redact'
import { messageOf } from '../../errors.ts'
import { type GitReading, readGit } from '../../git/read-git.ts'
import { known } from '../../session/known.ts'
import { encodeJson } from '../../storage/stored-json.ts'
import { dumpPaths } from '../dump-keys.ts'
import type { DumpNote } from '../dump-schema.ts'
import { type CollectedFiles, collectFiles, type DumpLosses } from '../files/collect-files.ts'
import type { DumpHaltOptions, Halt } from '../halt.ts'
import { collectConversation, type HaltedConversation, toolCallRecords } from './collect-conversation.ts'
import { environmentValues } from './environment.ts'
import { plainJson } from './plain-json.ts'

/** Everything for a dump, secrets included; whatever was not available is missing. */
export interface CollectedHalt {
  readonly git?: GitReading
  readonly files?: CollectedFiles
  /** The parts that are no files of the sandbox, by path. */
  readonly parts: ReadonlyMap<string, (redaction: Redaction) => Uint8Array | Promise<Uint8Array>>
}

/** Collects one part after the other; the failure of one costs only that one. Throws only if `signal` is aborted. */
export async function collectHalt(
  halt: Halt,
  options: DumpHaltOptions,
  losses: DumpLosses,
): Promise<CollectedHalt> {
  const { signal, env = process.env, envNames = [], gitTimeout: timeout, gitFilters: filters } = options
  const { agent, sandboxRoot } = halt
  const sandbox = sandboxRoot === undefined ? undefined : resolve(sandboxRoot)
  const note = (added: DumpNote): void => void losses.notes.push(added)
  const absent = (path: string, reason: string): undefined =>
    void losses.missing.push({ path, code: 'not-given', reason })
  const attempt = async <T>(path: string, run: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await run()
    } catch (error) {
      signal?.throwIfAborted()
      losses.missing.push({ path, code: 'failed', reason: messageOf(error) })
      return undefined
    }
  }
  const git =
    sandbox === undefined
      ? undefined
      : await readGit(sandbox, { ignore: options.ignore, signal, timeout, filters })
  const noSandbox = 'no sandboxRoot was given'
  if (sandbox === undefined) for (const path of [dumpPaths.files, dumpPaths.patch]) absent(path, noSandbox)
  if (halt.readState === undefined) absent(dumpPaths.state, 'no readState was given')
  if (agent?.conversation === undefined) absent(dumpPaths.conversation, 'no conversation was given')
  const [state, conversation, files] = await Promise.all([
    attempt(dumpPaths.state, () => readState(halt, note, options)),
    attempt(dumpPaths.conversation, () => collectConversation(agent?.conversation, note, options)),
    attempt(
      dumpPaths.files,
      async () => sandbox && git && (await collectFiles(sandbox, git, options, losses)),
    ),
  ])
  const cwd = resolve(agent?.cwd ?? sandbox ?? '.')
  const parts = new Map<string, (redaction: Redaction) => Uint8Array | Promise<Uint8Array>>()
  const json = (path: string, value: unknown): unknown =>
    parts.set(path, (redaction) => encodeJson(redaction.redactValue(value)))
  if (state !== undefined) json(dumpPaths.state, state)
  if (conversation !== undefined)
    parts.set(dumpPaths.conversation, (redaction) => conversation.redacted(redaction))
  if (agent === undefined) absent(dumpPaths.execution, 'no agent was given')
  else {
    const { conversation: _, toolCalls: __, ...run } = agent
    json(dumpPaths.execution, { ...(plainJson(run) as object), cwd })
  }
  const calls = toolCallsOf(halt, conversation)
  if (typeof calls === 'string') absent(dumpPaths.toolCalls, calls)
  else json(dumpPaths.toolCalls, calls)
  parts.set(dumpPaths.workingDirectory, (redaction) => Buffer.from(`${redaction.redact(cwd)}\n`))
  json(dumpPaths.environment, environmentValues(env, envNames))
  return { parts, ...known({ git, files: files || undefined }) }
}

/** The calls, or why there are none. */
function toolCallsOf({ agent }: Halt, conversation: HaltedConversation | undefined): unknown[] | string {
  if (agent?.toolCalls !== undefined) return agent.toolCalls.map((call) => plainJson(call))
  if (conversation === undefined) return 'no conversation was given, or it could not be read'
  const { session } = conversation
  return session === undefined ? 'the conversation is in no known format' : toolCallRecords(session)
}

/** Content of `supervisor/state-snapshot.json`. Throws if that cannot be read, takes too long, or finds nothing. */
async function readState(
  { stateKey, readState: read }: Halt,
  note: (note: DumpNote) => void,
  { stateTimeout = 10_000, signal }: DumpHaltOptions,
): Promise<{ readonly stateKey?: string; readonly state: unknown } | undefined> {
  if (read === undefined) return undefined
  const done = new AbortController()
  const late = new AbortController()
  const stop = AbortSignal.any([late.signal, ...(signal === undefined ? [] : [signal])])
  const ends = signal === undefined ? done.signal : AbortSignal.any([done.signal, signal])
  const tooLate = async (): Promise<never> => {
    await sleep(stateTimeout, undefined, { signal: ends })
    late.abort()
    throw new Error(`it gave no answer within ${stateTimeout} ms`)
  }
  try {
    const state = await Promise.race([read({ ...known({ stateKey }), signal: stop }), tooLate()])
    if (state === undefined || state === null)
      throw new Error(`the state store holds nothing${stateKey === undefined ? '' : ` under ${stateKey}`}`)
    return { ...known({ stateKey }), state: plainJson(parsed(state), note) }
  } finally {
    done.abort()
  }
}

/** Parses a text of JSON into its value if nothing gets lost: a long number would. */
function parsed(state: unknown): unknown {
  if (typeof state !== 'string') return state
  try {
    const value: unknown = JSON.parse(state)
    return JSON.stringify(value) === state.trim() ? value : state
  } catch {
    // Not JSON, or too deep for it: the text itself is kept.
    return state
  }
}
