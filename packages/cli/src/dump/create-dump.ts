import { exec } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { type DumpNote, dumpHalt, type Halt } from '@tenfold/core/halt'
import { environmentSecrets } from '@tenfold/core/internal'
import { valueRedactor } from '@tenfold/core/redact'
import { makeRedactors, redactOptions } from '../options/log-options.ts'
import { heading, option, optionOf, type ValuesOf } from '../options/option.ts'
import { maxLogSizeOption, storeOption, taskOption } from '../options/options.ts'
import { listOf, notEmpty, parseCommand, wholeNumber } from '../options/parsers.ts'
import { openStorage, rememberMade } from '../store/open-store.ts'
import { parseJson } from '../terminal/regular-file.ts'
import type { CommandContext } from '../terminal/terminal.ts'
import { messageOf } from '../terminal/thrown.ts'

export async function createDump(options: CreateOptions, { signal, terminal }: CommandContext) {
  const notes: DumpNote[] = []
  rememberMade(options.store, terminal)
  const storage = await openStorage(options.store)
  const redactors = await makeRedactors(options)
  const sandbox = options.sandbox === false ? undefined : resolve(options.sandbox)
  const dumped = await dumpHalt(await haltOf(options, sandbox, notes), {
    storage,
    enabled: options.off !== true && !/^(?:0|off|false|no)$/i.test(process.env.TENFOLD_DUMP ?? ''),
    // Leaves out a store in the sandbox, because the agent did not make it.
    ignore: /^s3:\/\//i.test(options.store) ? [] : [resolve(options.store)],
    snapshots: options.snapshot,
    envNames: options.env,
    gitFilters: options.gitFilters,
    maxLogBytes: options.maxLogSize,
    // As in core, the values of secret variables are redacted everywhere in the dump.
    redactors: options.redact ? [...redactors, valueRedactor(environmentSecrets(process.env))] : [],
    stateTimeout: options.stateTimeout,
    notes,
    signal,
  })
  return { dumped, failed: notes.map(({ message }) => message) }
}

async function haltOf(options: CreateOptions, sandbox: string | undefined, notes: DumpNote[]): Promise<Halt> {
  const { reason, details, task, iteration, project, stateKey, nextCmd, exitCode, exitSignal } = options
  const { agent: name, model, mode, cwd, log, durationMs } = options
  const texts: Partial<Record<'prompt' | 'response' | 'stdout' | 'stderr', string>> = {}
  for (const field of ['prompt', 'response', 'stdout', 'stderr'] as const) {
    const path = options[`${field}File`]
    if (path === undefined) continue
    try {
      texts[field] = await readFile(path, 'utf8')
    } catch (error) {
      const message = `the ${field} cannot be read: ${messageOf(error)}`
      notes.push({ code: 'file-unreadable', message })
    }
  }
  const ended = exitSignal === undefined ? { exitCode } : { exitCode: null, exitSignal }
  return {
    ...{ reason, taskId: task, iteration, projectId: project, sandboxRoot: sandbox, stateKey },
    agent: { name, model, mode, cwd, conversation: log, ...ended, durationMs, ...texts },
    ...(details !== undefined && { details: parseJson(details) ?? details }),
    readState: stateReader(options),
    nextCommand: nextCmd,
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

export const gitFiltersOption = option(
  '--git-filters',
  'run the filters (Git LFS) that the repository names; they are programs, so trust its settings first',
)

const values = { parse: listOf(notEmpty('a value')) } as const

export const createOptions = [
  storeOption,
  option('--reason <text>', 'why the run was halted', { parse: notEmpty('a reason'), mandatory: true }),
  option('--details <text>', 'further details; JSON is stored as a value'),
  option('--log <log>', 'log of the session, in any format; the complete conversation is kept'),
  maxLogSizeOption,
  taskOption('task of the run'),
  option('--off', 'write nothing: a switch for a config file'),
  option('--iteration <n>', 'iteration of the task', { parse: wholeNumber(0) }),
  option('--project <id>', 'project of the run', { parse: notEmpty('a project') }),
  option('--next-cmd <command>', 'the next command, on one line; it is shown, never run', {
    parse: parseCommand,
  }),
  heading('Sandbox options:'),
  optionOf<{ readonly sandbox: string | false }>('--sandbox <dir>', 'folder that the agent worked in', {
    default: '.',
  }),
  optionOf('--no-sandbox', 'dump no files'),
  option('--snapshot <glob...>', 'files to store completely, including ignored ones', values),
  gitFiltersOption,
  option('--env <name...>', 'variables whose values are dumped, in addition to PATH and the like', values),
  heading('State options:'),
  option('--state-key <key>', 'key of the live state in its store, such as Redis'),
  option('--state-file <file>', 'file with the state', { conflicts: 'stateCommand' }),
  option('--state-command <command>', 'shell command that prints the state; the key is in TENFOLD_STATE_KEY'),
  option('--state-timeout <ms>', 'longest time to get the state, in milliseconds', {
    parse: wholeNumber(1),
    default: 10_000,
  }),
  heading('Options of the last run:'),
  option('--agent <name>', 'name of the agent'),
  option('--model <name>', 'name of the model'),
  option('--mode <name>', 'mode of the agent'),
  option('--cwd <dir>', 'working folder of the run (default: the sandbox)'),
  option('--prompt-file <file>', 'file with the last prompt'),
  option('--response-file <file>', 'file with the last response'),
  option('--stdout-file <file>', 'file with what the run wrote to stdout'),
  option('--stderr-file <file>', 'file with what the run wrote to stderr'),
  option('--exit-code <n>', 'exit code of the run', { parse: wholeNumber(0, 255), conflicts: 'exitSignal' }),
  option('--exit-signal <name>', 'signal that ended the run'),
  option('--duration-ms <n>', 'duration of the run in milliseconds', { parse: wholeNumber(0) }),
  ...redactOptions,
  heading('Options:'),
  option('--json', 'print one JSON object: state, haltId, parts, missing, notes'),
] as const

type CreateOptions = ValuesOf<typeof createOptions>
