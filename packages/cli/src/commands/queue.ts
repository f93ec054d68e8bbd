import { modelFault } from '../options/model-options.ts'
import { ratioFault } from '../options/plan-options.ts'
import {
  addOptions,
  drainOptions,
  placeFault,
  retryOptions,
  statusOptions,
  workOptions,
} from '../queue/queue-options.ts'
import { defineCommand, defineGroup } from './define-command.ts'

export const addCommand = defineGroup(
  {
    name: 'queue',
    description: 'Compress logs on many machines: any number of workers share a queue in Redis.',
    help: `
Redis holds references to logs, never their text. Set "appendonly yes", so that it keeps the queue over a restart, and
"maxmemory-policy noeviction", and let nobody in whom you would not let read your logs: workers read the paths and
write to the stores that jobs name, unless --allow-logs and --allow-store limit them. TENFOLD_REDIS_URL names it.

Examples:
  tenfold queue add --store s3://team-sessions/agents logs/
  tenfold queue work --redis redis://queue.example.com:6379
  tenfold queue status`,
  },
  [
    defineCommand({
      name: 'add',
      description: 'Queue logs, each once, except those that the store has already.',
      arguments: [['<log...>', 'paths of logs, or of folders (every log in them)']],
      options: addOptions,
      help: `
Each log goes to a track named after the folder that its session ran in, unless --track is given. The options shape the
bundles, as those of tenfold compress do. Servers and keys of models are options and environment
of the workers. --max-cost is for all logs of this call together, on all workers.

Examples:
  tenfold queue add --store s3://team-sessions/agents ~/.claude/projects
  tenfold queue add --store /mnt/shared/bundles /mnt/shared/logs
  tenfold queue add --summarizer anthropic --model MODEL --max-cost 20 --store s3://team-sessions/agents logs/`,
      fault: (options) => placeFault(options) ?? ratioFault(options) ?? modelFault(options),
      async run(options, context, logs) {
        const { addLogs } = await import('../queue/add-logs.ts')
        return await addLogs(logs, { ...options, trackByProject: context.isDefault('track') }, context)
      },
    }),
    defineCommand({
      name: 'work',
      description: 'Compress logs of the queue until stopped. Start it on any number of machines.',
      options: workOptions,
      help: `
SIGTERM and Ctrl-C let the logs under way end. If a worker is killed, another one takes its logs over after about half a
minute, and each log still gets one bundle.

Examples:
  tenfold queue work
  tenfold queue work --allow-logs /mnt/logs --allow-store s3://team-sessions
  tenfold queue work --concurrency 8 --rate anthropic=50/m --rate openai=10/s
  tenfold queue work --until-empty --json`,
      fault: placeFault,
      run: async (options, context) => (await import('../queue/work-logs.ts')).workLogs(options, context),
    }),
    defineCommand({
      name: 'status',
      description: 'Print what waits, what was done, what it cost, and what failed.',
      options: statusOptions,
      help: `
Examples:
  tenfold queue status
  tenfold queue status --json | jq '.failures[].log'`,
      fault: placeFault,
      run: async (options, context) => (await import('../queue/show-queue.ts')).showQueue(options, context),
    }),
    defineCommand({
      name: 'retry',
      description: 'Try failed logs again.',
      arguments: [['[job...]', 'ids of jobs that queue status prints (default: all that failed)']],
      options: retryOptions,
      help: `
--max-cost is a new limit for all logs that were queued together with these.

Examples:
  tenfold queue retry
  tenfold queue retry --max-cost 40 w0123456789abcdef0123456789abcde`,
      fault: placeFault,
      run: async (options, context, jobs) =>
        (await import('../queue/show-queue.ts')).retryFailed(jobs, options, context),
    }),
    defineCommand({
      name: 'drain',
      description:
        'Remove the logs that no worker has taken. Those under way end; nothing stored is removed.',
      options: drainOptions,
      help: `
Examples:
  tenfold queue drain
  tenfold queue drain --failed`,
      fault: placeFault,
      run: async (options, context) => (await import('../queue/show-queue.ts')).emptyQueue(options, context),
    }),
  ],
)
