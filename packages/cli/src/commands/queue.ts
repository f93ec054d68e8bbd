import type { RunStatus } from '@tenfold/queue'
import { modelFault } from '../options/model-options.ts'
import {
  addOptions,
  drainOptions,
  placeFault,
  retryOptions,
  statusOptions,
  workOptions,
} from '../queue/queue-options.ts'
import { openStorage } from '../store/open-store.ts'
import { type ColumnOf, tableOf } from '../terminal/report.ts'
import { formatTable } from '../terminal/table.ts'
import { formatCount, formatNumberOf, formatShare } from '../terminal/text.ts'
import { defineCommand, defineGroup } from './define-command.ts'

// The Redis client is slow to load, so each command loads it when it runs.

const add = defineCommand({
  name: 'add',
  description: 'Queue logs, each once, except those that the store has already.',
  arguments: [['<log...>', 'paths of logs, or of folders (every log in them)']],
  options: addOptions,
  help: `
Each log goes to a track named after the folder that its session ran in, unless --track is given. The options shape the
bundles as in tenfold compress. Workers choose the servers and keys of models, by their options and environment.
--max-cost limits all logs of this call together, on all workers.

Examples:
  tenfold queue add --store s3://team-sessions/agents ~/.claude/projects
  tenfold queue add --summarizer anthropic --model MODEL --max-cost 20 --store s3://team-sessions/agents logs/`,
  fault: (options) => placeFault(options) ?? modelFault(options),
  async run(options, context, logs) {
    const { addLogs } = await import('../queue/run-queue.ts')
    return await addLogs(logs, { ...options, trackByProject: context.isDefault('track') }, context)
  },
})

const work = defineCommand({
  name: 'work',
  description: 'Compress logs of the queue until stopped. Start it on any number of machines.',
  options: workOptions,
  help: `
SIGTERM and Ctrl-C let the logs in progress finish. If a worker is killed, another one takes its logs over after about
half a minute, and each log still gets one bundle.

Examples:
  tenfold queue work
  tenfold queue work --allow-logs /mnt/logs --allow-store s3://team-sessions
  tenfold queue work --concurrency 8 --rate anthropic=50/m --rate openai=10/s
  tenfold queue work --until-empty --json`,
  fault: placeFault,
  run: async (options, context) => (await import('../queue/run-queue.ts')).workLogs(options, context),
})

const shownRuns = 10

const status = defineCommand({
  name: 'status',
  description: 'Print what waits, what was done, what it cost, and what failed.',
  options: statusOptions,
  json: 'one JSON object',
  help: `
Examples:
  tenfold queue status
  tenfold queue status --json | jq '.failures[].log'`,
  fault: placeFault,
  async run(options, { terminal: { style, columns: width } }) {
    const found = await (await import('@tenfold/queue')).queueStatus(options)
    const { waiting, active, delayed, failed, workers, runs, failures } = found
    const later = delayed === 0 ? '' : `, ${delayed} waiting for a retry`
    const counts = `${formatCount(waiting)} waiting, ${active} in progress${later}, ${failed} failed`
    const { columns, rows } = tableOf(runs.slice(0, shownRuns), runColumns)
    return {
      json: found,
      lines: [
        `${style.bold(counts)}; ${formatNumberOf(workers, 'worker')}`,
        ...(rows.length === 0 ? [] : ['', ...formatTable(columns, rows, width)]),
        ...(failures.length === 0 ? [] : ['', style.bold('Failed:')]),
        ...tableOf(failures, [
          [
            '',
            ({ job, log, code, message, attempts }) =>
              `${job} ${log}: ${message} (${code}, ${formatNumberOf(attempts, 'attempt')})`,
          ],
        ]).rows.map(([line]) => `  ${line}`),
        failed > failures.length && `  … and ${failed - failures.length} more: --failures ${failed}`,
        failed > 0 && 'To try them again: tenfold queue retry',
      ],
    }
  },
})

const runColumns: readonly ColumnOf<RunStatus>[] = [
  ['QUEUED AT', ({ startedAt }) => startedAt.slice(0, 16).replace('T', ' ')],
  ['DONE', ({ done, known }) => formatCount(done + known), { align: 'right' }],
  ['TOKENS', ({ sourceTokens }) => formatCount(sourceTokens), { align: 'right' }],
  [
    'RATIO',
    ({ sourceTokens: source, bundleTokens }) => (source === 0 ? '' : formatShare(bundleTokens / source, 2)),
    { align: 'right' },
  ],
  ['CALLS', ({ calls }) => formatCount(calls), { align: 'right', drop: 1 }],
  ['COST', ({ calls, spent }) => (calls === 0 ? '' : spent.toFixed(4)), { align: 'right' }],
  ['LIMIT', ({ maxCost }) => maxCost?.toString(), { align: 'right', drop: 2 }],
  [
    'LOST CALLS',
    ({ lostCalls, lost }) =>
      lostCalls === 0 ? '' : `${formatNumberOf(lostCalls, 'call')}, at most ${lost.toFixed(4)}`,
    { align: 'right', drop: 3 },
  ],
]

const retry = defineCommand({
  name: 'retry',
  description: 'Try failed logs again.',
  arguments: [['[job...]', 'ids of jobs that queue status prints (default: all that failed)']],
  options: retryOptions,
  json: 'one JSON object',
  help: `
--max-cost is a new limit for all logs that were queued together with these.

Examples:
  tenfold queue retry
  tenfold queue retry --max-cost 40 w0123456789abcdef0123456789abcde`,
  fault: placeFault,
  async run(options, _, jobs) {
    const { retryJobs } = await import('@tenfold/queue')
    const retried = await retryJobs({ ...options, ...(jobs.length > 0 && { jobs }) })
    const said = [`${formatNumberOf(retried.length, 'log')} will be tried again.`]
    return { json: { retried }, said, failed: retried.length < jobs.length }
  },
})

const drain = defineCommand({
  name: 'drain',
  description:
    'Remove the logs that no worker has taken. Those in progress finish; nothing stored is removed.',
  options: drainOptions,
  json: 'one JSON object',
  help: `
Examples:
  tenfold queue drain
  tenfold queue drain --failed`,
  fault: placeFault,
  async run(options) {
    const removed = await (await import('@tenfold/queue')).drainQueue({ ...options, openStorage })
    return { json: { removed }, said: [`${formatNumberOf(removed, 'log')} removed from the queue.`] }
  },
})

export const addCommand = defineGroup(
  {
    name: 'queue',
    description: 'Compress logs on many machines: any number of workers share a queue in Redis.',
    help: `
Redis holds references to logs, never their text. Set "appendonly yes", so that it keeps the queue over a restart, and
"maxmemory-policy noeviction", and give access only to people who may read your logs: workers read the paths and write
to the stores that jobs name, unless --allow-logs and --allow-store limit them. TENFOLD_REDIS_URL names the server.

Examples:
  tenfold queue add --store s3://team-sessions/agents logs/
  tenfold queue work --redis redis://queue.example.com:6379
  tenfold queue status`,
  },
  [add, work, status, retry, drain],
)
