import { exec } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import {
  type DumpedHalt,
  type DumpNote,
  dumpHalt,
  environmentSecrets,
  type Halt,
  type HaltedAgent,
  type Redactor,
  valueRedactor,
} from '@tenfold/core'
import { makeRedactors } from '../options/redact-options.ts'
import { openStorage, rememberMade } from '../store/open-store.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { messageOf } from '../terminal/thrown.ts'
import type { CreateOptions } from './create-options.ts'

/** Dumps what the options name. An unreadable file costs only itself; `failed` and the dump say why. */
export async function createDump(
  options: CreateOptions,
  { signal, terminal }: CommandContext,
): Promise<{ readonly dumped: DumpedHalt; readonly failed: readonly string[] }> {
  const notes: DumpNote[] = []
  rememberMade(options.store, terminal)
  const storage = await openStorage(options.store)
  const sandbox = options.sandbox === false ? undefined : resolve(options.sandbox)
  const dumped = await dumpHalt(await haltOf(options, sandbox, notes), {
    storage,
    enabled: options.off !== true && !/^(?:0|off|false|no)$/i.test(process.env.TENFOLD_DUMP ?? ''),
    // A store in the sandbox is not something that the agent made.
    ignore: /^s3:\/\//i.test(options.store) ? [] : [resolve(options.store)],
    snapshots: options.snapshot,
    envNames: options.env,
    gitFilters: options.gitFilters,
    maxLogBytes: options.maxLogSize,
    redactors: await redactorsOf(options),
    stateTimeout: options.stateTimeout,
    notes,
    signal,
  })
  return { dumped, failed: notes.map(({ message }) => message) }
}

/** As in core: the values of secret variables are redacted everywhere in the dump. */
async function redactorsOf(options: CreateOptions): Promise<Redactor[]> {
  const redactors = await makeRedactors(options)
  return redactors.length === 0 ? [] : [...redactors, valueRedactor(environmentSecrets(process.env))]
}

async function haltOf(options: CreateOptions, sandbox: string | undefined, notes: DumpNote[]): Promise<Halt> {
  const { reason, details, task, iteration, project, stateKey, nextCmd } = options
  const readState = stateReader(options)
  return {
    reason,
    agent: await agentOf(options, notes),
    ...(details !== undefined && { details: jsonOrText(details) }),
    taskId: task,
    iteration,
    projectId: project,
    sandboxRoot: sandbox,
    stateKey,
    readState,
    nextCommand: nextCmd,
  }
}

async function agentOf(options: CreateOptions, notes: DumpNote[]): Promise<HaltedAgent> {
  const { agent, model, mode, cwd, log, exitCode, exitSignal, durationMs } = options
  const text = async (path: string | undefined, field: string): Promise<Record<string, string>> => {
    if (path === undefined) return {}
    try {
      return { [field]: await readFile(path, 'utf8') }
    } catch (error) {
      const why = messageOf(error)
      notes.push({ code: 'file-unreadable', message: `the ${field} cannot be read: ${why}` })
      return {}
    }
  }
  return {
    name: agent,
    model,
    mode,
    cwd,
    conversation: log,
    exitCode,
    ...(exitSignal !== undefined && { exitCode: null, exitSignal }),
    durationMs,
    ...(await text(options.promptFile, 'prompt')),
    ...(await text(options.responseFile, 'response')),
    ...(await text(options.stdoutFile, 'stdout')),
    ...(await text(options.stderrFile, 'stderr')),
  }
}

const maxState = 256 * 2 ** 20

function stateReader({ stateFile, stateCommand }: CreateOptions): Halt['readState'] {
  if (stateFile !== undefined) return ({ signal }) => readFile(stateFile, { encoding: 'utf8', signal })
  if (stateCommand === undefined) return undefined
  return async ({ stateKey = '', signal }) => {
    const env = { ...process.env, TENFOLD_STATE_KEY: stateKey }
    const { stdout } = await promisify(exec)(stateCommand, { signal, env, maxBuffer: maxState })
    return stdout.trim() === '' ? undefined : stdout
  }
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Plain words, not JSON.
    return text
  }
}
