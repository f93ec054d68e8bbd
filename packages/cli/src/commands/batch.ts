import { jobOptions, submitOptions, vendorOptions } from '../batch/batch-options.ts'
import { storeToRead } from '../options/options.ts'
import { defineCommand, defineGroup } from './define-command.ts'

// The batch APIs are slow to load, so each command loads them when it runs.
const jobs = () => import('../batch/jobs.ts')

const submit = defineCommand({
  name: 'submit',
  description: 'Store the sessions of logs as a job and send it to the vendor.',
  arguments: [['<log...>', 'paths of logs, or of folders (every log in them)']],
  options: submitOptions,
  json: 'one JSON object',
  help: `
Examples:
  tenfold batch submit --summarizer openai --model MODEL --max-cost 20 logs/
  tenfold batch submit --summarizer anthropic --model MODEL --track archive old/*.jsonl`,
  run: async (options, context, logs) => (await jobs()).submitLogs(logs, options, context),
})

const status = defineCommand({
  name: 'status',
  description: 'Print the status of jobs from the store, without asking the vendor.',
  arguments: [['[job]', 'name of a job (default: all)']],
  options: [storeToRead],
  json: 'JSON',
  run: async ({ store }, context, job) => (await jobs()).showJobs(job, store, context),
})

const collect = defineCommand({
  name: 'collect',
  description:
    'Save the bundles whose answers have arrived, and resend what must be resent. Safe to run again.',
  arguments: [['[job]', 'name of a job (default: the only open one)']],
  options: jobOptions,
  json: 'one JSON object',
  help: `
Examples:
  tenfold batch collect --wait
  tenfold batch collect 20260304T050607Z-k3j2h1 --json`,
  run: async (options, context, job) => (await jobs()).collectJob(job, options, context),
})

const cancel = defineCommand({
  name: 'cancel',
  description: 'Ask the vendor to end a job. Finished requests are billed and can still be collected.',
  arguments: [['<job>', 'name of a job']],
  options: vendorOptions,
  run: async (options, context, job) => (await jobs()).cancelJob(job, options, context),
})

export const addCommand = defineGroup(
  {
    name: 'batch',
    description: "Summarize many sessions through a vendor's batch API, for half the price and within a day.",
    help: `
Examples:
  tenfold batch submit --summarizer anthropic --model MODEL ~/.claude/projects
  tenfold batch status
  tenfold batch collect --wait`,
  },
  [submit, status, collect, cancel],
)
