import { readFileSync } from 'node:fs'
import { cleanText } from '@tenfold/core'
import { Command, CommanderError } from 'commander'
import { addBatchCommand } from './commands/batch.ts'
import { addCheckpointCommand } from './commands/checkpoint.ts'
import { addCompressCommand } from './commands/compress.ts'
import { addConvertCommand } from './commands/convert.ts'
import { addCopyCommand } from './commands/copy.ts'
import { addDumpCommand } from './commands/dump.ts'
import { addHookCommand } from './commands/hook.ts'
import { addInspectCommand } from './commands/inspect.ts'
import { addInstallCommand } from './commands/install.ts'
import { addListCommand } from './commands/list.ts'
import { addMcpCommand } from './commands/mcp.ts'
import { addPruneCommand } from './commands/prune.ts'
import { addRecallCommand } from './commands/recall.ts'
import { addReplayCommand } from './commands/replay.ts'
import { addResumeCommand } from './commands/resume.ts'
import { addShowCommand } from './commands/show.ts'
import { addSourcesCommand } from './commands/sources.ts'
import { addSweepCommand } from './commands/sweep.ts'
import { addTrustCommand } from './commands/trust.ts'
import { addVerifyCommand } from './commands/verify.ts'
import { addViewCommand } from './commands/view.ts'
import type { CommandContext } from './terminal/command-context.ts'
import { type ExitCode, exitCodes } from './terminal/exit-codes.ts'
import { failureOf } from './terminal/failure.ts'
import { listenForInterrupt } from './terminal/interrupt.ts'
import { processTerminal, type Terminal } from './terminal/terminal.ts'

/** Runs the command line `tenfold …args` and gives its exit code. Never throws. */
export async function main(args: readonly string[]): Promise<ExitCode> {
  const terminal = processTerminal()
  const interrupt = listenForInterrupt(() =>
    terminal.warn('Stopping at the next safe point; press Ctrl-C again to stop at once.'),
  )
  let code: ExitCode = exitCodes.done
  const finish = (end: ExitCode): void => {
    code = end
  }
  try {
    await createProgram({ terminal, signal: interrupt.signal, finish }).parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return exitCodes.done
      // Of a hook 2 means to an agent that its tool call is to be blocked.
      return args[0] === 'hook' ? exitCodes.failed : exitCodes.usage
    }
    if (interrupt.signal.aborted) return exitCodes.interrupted
    terminal.fail(failureOf(error).message)
    return exitCodes.failed
  } finally {
    interrupt.release()
  }
}

function createProgram(context: CommandContext): Command {
  const { terminal } = context
  const program = new Command('tenfold')
    .description(
      "Compress an agent's session log to a 5-10 % context bundle that the next session can resume from.",
    )
    .version(readVersion(), '-V, --version', 'print the version')
    .option('--no-color', 'no colours (NO_COLOR works too)')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .exitOverride()
    .configureOutput(usageOutput(terminal))
    .showHelpAfterError('Run the command with --help for its options and examples.')
    .hook('preAction', (command) => {
      if (command.opts().color === false) terminal.noColours()
    })
    .addHelpText('after', programHelp)
  addCompressCommand(program, context)
  addBatchCommand(program, context)
  addShowCommand(program, context)
  addListCommand(program, context)
  addResumeCommand(program, context)
  addRecallCommand(program, context)
  addCheckpointCommand(program, context)
  addDumpCommand(program, context)
  addMcpCommand(program, context)
  addInspectCommand(program, context)
  addViewCommand(program, context)
  addConvertCommand(program, context)
  addReplayCommand(program, context)
  addVerifyCommand(program, context)
  addPruneCommand(program, context)
  addCopyCommand(program, context)
  addSourcesCommand(program, context)
  addSweepCommand(program, context)
  addInstallCommand(program, context)
  addTrustCommand(program, context)
  addHookCommand(program, context)
  return program
}

/** Messages about wrong usage quote what was typed, so they are cleaned. */
function usageOutput(terminal: Terminal) {
  return {
    writeOut: (text: string) => terminal.write(text),
    writeErr: (text: string) => terminal.warn(cleanText(text).trimEnd()),
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  }
}

function readVersion(): string {
  const manifest: { version: string } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  )
  return manifest.version
}

const programHelp = `
Examples:
  tenfold compress session.jsonl          compress a log into .agents/bundles
  tenfold compress ~/.claude/projects     compress all logs below a folder
  tenfold resume                          the brief for the next prompt
  tenfold recall "exact error text"       search the whole log behind a bundle
  tenfold checkpoint save --help          hand work over in the middle of it
  tenfold inspect session.jsonl           where the tokens of a log are
  tenfold view session.jsonl --open       the session as one HTML page
  tenfold replay session.jsonl            what a crashed run said and did

Exit codes: 0 done, 1 a log failed (the others are done), 2 wrong usage, 130 interrupted.
TENFOLD_STORE names the store, a folder or s3://bucket/prefix; TENFOLD_DEBUG=1 adds stacks to errors.`
