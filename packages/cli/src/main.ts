import { cleanText } from '@tenfold/core/internal'
import { Command, CommanderError, Option } from 'commander'
import { commandGroups } from './commands/command-list.ts'
import { applyOptionValues, loadConfig } from './config/config-file.ts'
import { ownVersion } from './own-package.ts'
import { failureOf } from './terminal/failure.ts'
import type { StandardStreams } from './terminal/standard-stream.ts'
import {
  type CommandContext,
  type ExitCode,
  exitCodes,
  listenForInterrupt,
  type Terminal,
  terminalOn,
} from './terminal/terminal.ts'

export async function main(args: readonly string[], streams: StandardStreams): Promise<ExitCode> {
  const terminal = terminalOn(streams)
  const interrupt = listenForInterrupt(() =>
    terminal.warn('Stopping at the next safe point; press Ctrl-C again to stop immediately.'),
  )
  let code: ExitCode = exitCodes.done
  try {
    // "help checkpoint save" means "checkpoint save --help", and "help nope" fails as "nope" does.
    const [first, asked = ''] = args
    const isNone = /^[^-]/.test(asked) && !commandNames.includes(asked)
    const [begin = '-'] = args.filter((arg) => arg !== '--no-color')
    const hasCommand = !begin.startsWith('-') || args.some((arg) => /^(?:-h|--help|-V|--version)$/.test(arg))
    const given = hasCommand ? args : ['status', ...args]
    const words = first === 'help' ? [...args.slice(1), ...(isNone ? [] : ['--help'])] : given
    const program = await createProgram(words, {
      terminal,
      streams,
      commandNames,
      shortHelp: words.includes('-h'),
      signal: interrupt.signal,
      finish(end) {
        code = end
      },
    })
    await program.parseAsync(words, { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return exitCodes.done
      // A hook must not exit with 2, which tells an agent to block its tool call.
      return args[0] === 'hook' ? exitCodes.failed : exitCodes.usage
    }
    if (interrupt.signal.aborted) return exitCodes.interrupted
    const failure = failureOf(error)
    if (terminal.json) terminal.printJson({ error: failure })
    terminal.fail(failure.message)
    return exitCodes.failed
  } finally {
    terminal.beforeLine()
    interrupt.release()
  }
}

const commandNames = commandGroups.flatMap(([, commands]) => commands.map(([name]) => name))

/** The program with all commands. Loads only the command that the arguments name. */
async function createProgram(args: readonly string[], context: CommandContext): Promise<Command> {
  const { terminal } = context
  const program = new Command('tenfold')
    .description("Turn an agent's session log into a 5-10 % bundle that the next session can continue from.")
    .version(ownVersion(), '-V, --version', 'print the version')
    .option('--no-color', 'no colours (NO_COLOR works too)')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .exitOverride()
    .configureOutput(usageOutput(terminal))
    .showHelpAfterError('Run the command with --help for its options and examples.')
    .hook('preAction', (command, called) => {
      const { quiet = false, verbose = false, json = false } = called.opts()
      terminal.setDetail({ quiet, verbose, json })
      if (command.opts().color === false) terminal.noColours()
      // A hook's output goes to the agent.
      if (untrusted !== undefined && !['hook', 'trust'].includes(called.name()))
        terminal.warn(`${untrusted} is not used until you trust it: tenfold trust --config`)
    })
    .addHelpText('after', programHelp)
  const { files, untrusted } = await loadConfig(process.cwd(), process.env, commandNames)
  const asked = args.find((arg) => !arg.startsWith('-'))
  // The JSON Schema of config files has the options of all commands.
  const loadsAll = asked === 'trust'
  // Completion needs the options of the typed command.
  const used =
    asked === 'complete' ? ['completion', ...args.filter((arg) => commandNames.includes(arg))] : [asked]
  // The program's help and the error for a misspelled command need the names of all commands.
  const isAlone = !loadsAll && args[0] === asked && commandNames.includes(asked ?? '')
  for (const [title, commands] of commandGroups) {
    for (const [name, summary, load] of commands) {
      if (isAlone && name !== asked) continue
      const isUsed = loadsAll || used.includes(name)
      if (isUsed) (await load()).addCommand(program, context)
      const command = program.commands.find((added) => added.name() === name) ?? program.command(name)
      if (isUsed && !readByPrograms.includes(name)) addDetailOptions(command)
      command.summary(summary).helpGroup(title)
      if (name === asked) applyOptionValues(command, process.env, files)
    }
  }
  return program
}

/** Commands whose whole output is read by an agent or a shell. */
const readByPrograms = ['hook', 'completion']

function addDetailOptions(command: Command): void {
  for (const inner of command.commands) addDetailOptions(inner)
  if (command.commands.length > 0) return
  command
    .addOption(new Option('-q, --quiet', 'print results, warnings and errors only').conflicts('verbose'))
    .option('-v, --verbose', 'print details too: every note, and why files of a folder were skipped')
}

/** Usage errors quote what was typed, so they are cleaned. */
function usageOutput(terminal: Terminal) {
  return {
    writeOut: (text: string) => terminal.write(text),
    writeErr: (text: string) => terminal.warn(cleanText(text).trimEnd()),
    // Prints `--limit <n>: expected …` instead of commander's sentence followed by ours.
    outputError: (text: string, write: (text: string) => void) =>
      write(text.replace(invalidValue, (_, option, argument) => `error: ${option ?? `<${argument}>`}: `)),
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  }
}

const invalidValue =
  /^error: (?:option '(?:-\w, )?([^']*)' argument|command-argument value) '[\s\S]*' is invalid(?: for argument '([^']*)')?\. (?=expected )/

const programHelp = `
Examples:
  tenfold                                 where the work in this folder stands
  tenfold compress session.jsonl          compress a log into .agents/bundles
  tenfold compress ~/.claude/projects     compress all logs below a folder
  tenfold resume                          the brief for the next prompt
  tenfold recall "exact error text"       search the whole logs of past sessions
  tenfold inspect session.jsonl           what the tokens of a log are spent on
  tenfold view session.jsonl --open       the session as one HTML page

Exit codes: 0 done, 1 a log failed (the others are done), 2 wrong usage, 130 interrupted.
TENFOLD_STORE names the store, a folder or s3://bucket/prefix; TENFOLD_DEBUG=1 adds stacks to errors.
TENFOLD_COMPRESS_MAX_RATIO sets --max-ratio of compress, and so on; so does {"compress": {"max-ratio": 0.08}} in
tenfold.config.json of the project, which you trust once with tenfold trust --config, or in ~/.config/tenfold/config.json.`
