import { heading, option, optionOf, type ValuesOf } from '../options/option.ts'
import { maxLogSizeOption, storeOption, taskOption } from '../options/options.ts'
import { listOf, notEmpty, parseCommand, wholeNumber } from '../options/parsers.ts'
import { redactOptions } from '../options/redact-options.ts'

export const gitFiltersOption = option(
  '--git-filters',
  'run the filters (Git LFS) that the repository names; they are programs, so trust its settings first',
)

const values = { parse: listOf(notEmpty('a value')) } as const

export const createOptions = [
  storeOption,
  option('--reason <text>', 'why the run was halted', { parse: notEmpty('a reason'), mandatory: true }),
  option('--details <text>', 'further details; JSON is stored as a value'),
  option('--log <log>', 'log of the session, in any format; the whole conversation is kept'),
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
  option('--snapshot <glob...>', 'files to store whole, including ignored ones', values),
  gitFiltersOption,
  option('--env <name...>', 'variables whose values are dumped, in addition to PATH and the like', values),
  heading('State options:'),
  option('--state-key <key>', 'key of the live state in its store, such as Redis'),
  option('--state-file <file>', 'file with the state', { conflicts: 'stateCommand' }),
  option('--state-command <command>', 'shell command that prints the state; TENFOLD_STATE_KEY holds the key'),
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

export type CreateOptions = ValuesOf<typeof createOptions>
