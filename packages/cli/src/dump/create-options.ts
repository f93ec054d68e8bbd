import { type Command, Option } from 'commander'
import { maxLogSizeOption } from '../options/max-log-size.ts'
import { notEmpty, parseCommand, storeOption, wholeNumber } from '../options/options.ts'
import { addRedactOptions, type RedactOptions } from '../options/redact-options.ts'

/** Options of `tenfold dump create`. */
export interface CreateOptions extends RedactOptions {
  readonly store: string
  readonly reason: string
  readonly details?: string | undefined
  readonly log?: string | undefined
  readonly maxLogSize?: number | undefined
  readonly task?: string | undefined
  readonly off?: true | undefined
  readonly iteration?: number | undefined
  readonly project?: string | undefined
  /** False if `--no-sandbox` was given. */
  readonly sandbox: string | false
  readonly stateKey?: string | undefined
  readonly stateFile?: string | undefined
  readonly stateCommand?: string | undefined
  readonly stateTimeout: number
  readonly snapshot?: readonly string[] | undefined
  readonly env?: readonly string[] | undefined
  readonly gitFilters?: true | undefined
  readonly agent?: string | undefined
  readonly model?: string | undefined
  readonly mode?: string | undefined
  readonly cwd?: string | undefined
  readonly promptFile?: string | undefined
  readonly responseFile?: string | undefined
  readonly stdoutFile?: string | undefined
  readonly stderrFile?: string | undefined
  readonly exitCode?: number | undefined
  readonly exitSignal?: string | undefined
  readonly durationMs?: number | undefined
  readonly nextCmd?: string | undefined
  readonly json?: true | undefined
}

/** Flags and description of the option that lets Git LFS and the like run. */
export const gitFiltersOption = [
  '--git-filters',
  'run the filters (Git LFS) that the repository names; they are programs, so trust its settings first',
] as const

/** Adds the options of `tenfold dump create` to a command. */
export function addCreateOptions(command: Command): void {
  const file = (flags: string, what: string): Option => new Option(flags, `file with ${what}`)
  command
    .addOption(storeOption())
    .addOption(
      new Option('--reason <text>', 'why the run was halted')
        .argParser(notEmpty('a reason'))
        .makeOptionMandatory(),
    )
    .option('--details <text>', 'further details; JSON is stored as a value')
    .option('--log <log>', 'log of the session, in any format; the whole conversation is kept')
    .addOption(maxLogSizeOption())
    .option('--task <id>', 'task of the run', notEmpty('a task'))
    .option('--off', 'write nothing: a switch for a config file')
    .option('--iteration <n>', 'iteration of the task', wholeNumber(0))
    .option('--project <id>', 'project of the run', notEmpty('a project'))
    .option('--next-cmd <command>', 'the next command, on one line; it is shown, never run', parseCommand)
    .optionsGroup('Sandbox options:')
    .option('--sandbox <dir>', 'folder that the agent worked in', '.')
    .option('--no-sandbox', 'dump no files')
    .option('--snapshot <glob...>', 'files to store whole, including ignored ones', collect)
    .option(...gitFiltersOption)
    .option('--env <name...>', 'variables whose values are dumped, in addition to PATH and the like', collect)
    .optionsGroup('State options:')
    .option('--state-key <key>', 'key of the live state in its store, such as Redis')
    .addOption(file('--state-file <file>', 'the state').conflicts('stateCommand'))
    .option(
      '--state-command <command>',
      'shell command that prints the state; TENFOLD_STATE_KEY holds the key',
    )
    .option('--state-timeout <ms>', 'longest time to get the state, in milliseconds', wholeNumber(1), 10_000)
    .optionsGroup('Options of the last run:')
    .option('--agent <name>', 'name of the agent')
    .option('--model <name>', 'name of the model')
    .option('--mode <name>', 'mode of the agent')
    .option('--cwd <dir>', 'working folder of the run (default: the sandbox)')
    .addOption(file('--prompt-file <file>', 'the last prompt'))
    .addOption(file('--response-file <file>', 'the last response'))
    .addOption(file('--stdout-file <file>', 'what the run wrote to stdout'))
    .addOption(file('--stderr-file <file>', 'what the run wrote to stderr'))
    .addOption(
      new Option('--exit-code <n>', 'exit code of the run')
        .argParser(wholeNumber(0, 255))
        .conflicts('exitSignal'),
    )
    .option('--exit-signal <name>', 'signal that ended the run')
    .option('--duration-ms <n>', 'duration of the run in milliseconds', wholeNumber(0))
  addRedactOptions(command)
  command
    .optionsGroup('Options:')
    .option('--json', 'print one JSON object: state, haltId, parts, missing, notes')
}

function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, notEmpty('a value')(value)]
}
