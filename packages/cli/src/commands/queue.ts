import type { Command } from 'commander'
import { addLogOptions } from '../options/log-options.ts'
import {
  addQueuedModelOptions,
  baseUrlOption,
  maxCostOption,
  modelConcurrencyOption,
  modelFault,
  pricesOption,
} from '../options/model-options.ts'
import { storeOption, wholeNumber } from '../options/options.ts'
import { addPlanOptions, minRatioOf, ratioFault } from '../options/plan-options.ts'
import { addReaderOptions, type ReaderOptions, readersOf } from '../options/readers-option.ts'
import { addQueuedRedactOptions, redactEnvOption, redactFault } from '../options/redact-options.ts'
import { timeAt } from '../options/time-options.ts'
import {
  type AddOptions,
  isRedisPlace,
  type PlaceOptions,
  queueOption,
  rateOption,
  redisOption,
  type WorkOptions,
} from '../queue/queue-options.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { exitCodes } from '../terminal/exit-codes.ts'

export function addCommand(program: Command, context: CommandContext): void {
  const queue = program
    .command('queue')
    .description('Compress logs on many machines: any number of workers share a queue in Redis.')
    .hook('preAction', (_, command) => {
      if (!isRedisPlace(command.opts<PlaceOptions>().redis))
        command.error(
          'error: expected --redis to be a URL that begins with redis:// or rediss://, or the path of a socket',
        )
    })
    .addHelpText('after', queueHelp)
  addAdd(queue, context)
  addWork(queue, context)
  addStatus(queue, context)
  addRetry(queue, context)
  addDrain(queue, context)
}

/** Adds a command with the options that say which queue it works with. */
function placed(queue: Command, name: string, description: string): Command {
  return queue.command(name).description(description).addOption(redisOption()).addOption(queueOption())
}

function addAdd(queue: Command, context: CommandContext): void {
  const command = placed(queue, 'add', 'Queue logs, each once, except those that the store has already.')
    .argument('<log...>', 'paths of logs, or of folders (every log in them)')
    .addOption(storeOption())
    .option(
      '--upload',
      'copy the logs into the store, for workers that do not see this folder (default for s3://)',
    )
    .option('--no-upload', 'send only the paths of the logs')
    .option('--attempts <n>', 'how often to try a log if its failure may pass', wholeNumber(1, 100), 3)
    .option(
      '--since <time>',
      'of the logs in folders only those changed since a date, or an age such as 7d',
      timeAt('start'),
    )
  addPlanOptions(command)
  command.option('--json', 'print one line of JSON per log')
  addQueuedModelOptions(command)
  addQueuedRedactOptions(command)
  command.addHelpText('after', addHelp)
  command.action(async (logs: string[], given: AddOptions & ReaderOptions) => {
    const fault = ratioFault(given) ?? modelFault(given) ?? redactFault(given)
    if (fault !== undefined) command.error(`error: ${fault}`)
    const readers = await readersOf(given, command)
    const { addLogs } = await import('../queue/add-logs.ts')
    context.finish(await addLogs(logs, { ...given, minRatio: minRatioOf(given), readers }, context))
  })
}

function addWork(queue: Command, context: CommandContext): void {
  const command = placed(
    queue,
    'work',
    'Compress logs of the queue until stopped. Start it on any number of machines.',
  ).option('--until-empty', 'end when the queue is empty')
  const listed = (value: string, before: readonly string[] = []) => [...before, value]
  command
    .option(
      '--allow-logs <folder>',
      'read only logs below this folder, no matter what jobs name; may be repeated',
      listed,
    )
    .option(
      '--allow-store <store>',
      'use only this store, or one below it: a folder or URL; may be repeated',
      listed,
    )
  addLogOptions(command)
  addReaderOptions(command)
  command
    .addOption(redactEnvOption())
    .option('--json', 'print one line of JSON per log')
    .optionsGroup('Model options:')
    .addOption(rateOption())
    .addOption(baseUrlOption())
    .addOption(modelConcurrencyOption())
    .addOption(pricesOption())
    .addHelpText('after', workHelp)
  command.action(async (given: WorkOptions & ReaderOptions) => {
    const readers = await readersOf(given, command)
    const { workLogs } = await import('../queue/work-logs.ts')
    context.finish(await workLogs({ ...given, readers }, context))
  })
}

function addStatus(queue: Command, context: CommandContext): void {
  placed(queue, 'status', 'Print what waits, what was done, what it cost, and what failed.')
    .option('--failures <n>', 'failed logs to print at most', wholeNumber(0), 20)
    .option('--json', 'print one JSON object')
    .addHelpText('after', statusHelp)
    .action(async (options: PlaceOptions & { json?: true; failures: number }) => {
      const { showQueue } = await import('../queue/show-queue.ts')
      await showQueue(options, context)
    })
}

function addRetry(queue: Command, context: CommandContext): void {
  placed(queue, 'retry', 'Try failed logs again.')
    .argument('[job...]', 'ids of jobs that queue status prints (default: all that failed)')
    .addOption(maxCostOption())
    .option('--json', 'print one JSON object')
    .addHelpText('after', retryHelp)
    .action(async (jobs: string[], options: PlaceOptions & { json?: true; maxCost?: number }) => {
      const { retryFailed } = await import('../queue/show-queue.ts')
      const retried = await retryFailed(jobs, options, context)
      context.finish(retried < jobs.length ? exitCodes.failed : exitCodes.done)
    })
}

function addDrain(queue: Command, context: CommandContext): void {
  placed(
    queue,
    'drain',
    'Remove the logs that no worker has taken. Those under way end; nothing stored is removed.',
  )
    .option('--failed', 'also remove the logs that failed')
    .option('--json', 'print one JSON object')
    .addHelpText('after', drainHelp)
    .action(async (options: PlaceOptions & { json?: true; failed?: true }) => {
      const { emptyQueue } = await import('../queue/show-queue.ts')
      await emptyQueue(options, context)
    })
}

const queueHelp = `
Redis holds references to logs, never their text. Set "appendonly yes", so that it keeps the queue over a restart, and
"maxmemory-policy noeviction", and let nobody in whom you would not let read your logs: workers read the paths and
write to the stores that jobs name, unless --allow-logs and --allow-store limit them. TENFOLD_REDIS_URL names it.

Examples:
  tenfold queue add --store s3://team-sessions/agents logs/
  tenfold queue work --redis redis://queue.example.com:6379
  tenfold queue status`

const addHelp = `
The options shape the bundles, as those of tenfold compress do. Servers and keys of models are options and environment
of the workers. --max-cost is for all logs of this call together, on all workers.

Examples:
  tenfold queue add --store s3://team-sessions/agents ~/.claude/projects
  tenfold queue add --store /mnt/shared/bundles /mnt/shared/logs
  tenfold queue add --summarizer anthropic --model MODEL --max-cost 20 --store s3://team-sessions/agents logs/`

const workHelp = `
SIGTERM and Ctrl-C let the logs under way end. If a worker is killed, another one takes its logs over after about half a
minute, and each log still gets one bundle.

Examples:
  tenfold queue work
  tenfold queue work --allow-logs /mnt/logs --allow-store s3://team-sessions
  tenfold queue work --concurrency 8 --rate anthropic=50/m --rate openai=10/s
  tenfold queue work --until-empty --json`

const statusHelp = `
Examples:
  tenfold queue status
  tenfold queue status --json | jq '.failures[].log'`

const retryHelp = `
--max-cost is a new limit for all logs that were queued together with these.

Examples:
  tenfold queue retry
  tenfold queue retry --max-cost 40 w0123456789abcdef0123456789abcde`

const drainHelp = `
Examples:
  tenfold queue drain
  tenfold queue drain --failed`
