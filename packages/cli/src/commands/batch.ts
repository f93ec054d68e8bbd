import { type Command, Option } from 'commander'
import { batchVendors, type JobOptions, type SubmitOptions } from '../batch/batch-options.ts'
import { cancelJob, collectJob, showJobs } from '../batch/collect.ts'
import { submitLogs } from '../batch/submit.ts'
import { addLimitOptions, addRequestOptions } from '../options/model-options.ts'
import { kindOption, notEmpty, storeOption, wholeNumber } from '../options/options.ts'
import { addPlanOptions } from '../options/plan-options.ts'
import { type ReaderOptions, readersOf } from '../options/readers-option.ts'
import { addRedactOptions, redactFault } from '../options/redact-options.ts'
import type { CommandContext } from '../terminal/command-context.ts'

export function addCommand(program: Command, context: CommandContext): void {
  const batch = program
    .command('batch')
    .description("Summarize many sessions through a vendor's batch API, for half the price and within a day.")
    .addHelpText('after', batchHelp)
  addSubmit(batch, context)
  addStatus(batch, context)
  addCollect(batch, context)
  addCancel(batch, context)
}

function addSubmit(batch: Command, context: CommandContext): void {
  const command = batch
    .command('submit')
    .description('Store the sessions of logs as a job and send it to the vendor.')
    .argument('<log...>', 'paths of logs, or of folders (every log in them)')
    .addOption(storeOption())
    .addOption(
      new Option('--summarizer <vendor>', 'vendor whose batch API to use')
        .choices(batchVendors)
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--model <name>', 'model to ask')
        .env('TENFOLD_MODEL')
        .argParser(notEmpty('a model'))
        .makeOptionMandatory(),
    )
  addPlanOptions(command, kindOption('kind of the bundles').default('context'))
  command
    .option('--again', 'also send logs that an earlier job of the store has, with the same model and options')
    .option('--json', 'print one JSON object')
  command.optionsGroup('Model options:')
  addRequestOptions(command)
  addLimitOptions(command)
  addRedactOptions(command)
  command.addHelpText('after', submitHelp)
  command.action(async (logs: string[], options: SubmitOptions & ReaderOptions) => {
    const fault = redactFault(options)
    if (fault !== undefined) command.error(`error: ${fault}`)
    const readers = await readersOf(options, command)
    context.finish(await submitLogs(logs, { ...options, readers }, context))
  })
}

function addStatus(batch: Command, context: CommandContext): void {
  batch
    .command('status')
    .description('Print the status of jobs from the store, without asking the vendor.')
    .argument('[job]', 'name of a job (default: all)')
    .addOption(storeOption())
    .option('--json', 'print JSON')
    .action((job: string | undefined, options: JobOptions) => showJobs(job, options, context))
}

function addCollect(batch: Command, context: CommandContext): void {
  const command = vendorOptions(
    batch
      .command('collect')
      .description(
        'Save the bundles whose answers have arrived, and resend what must be resent. Safe to run again.',
      )
      .argument('[job]', 'name of a job (default: the only open one)'),
  )
    .option('--wait', 'wait until every session is saved or failed')
    .option('--poll-seconds <n>', 'first pause between two checks', wholeNumber(1), 60)
    .option('--no-resubmit', 'resend nothing')
    .option('--resubmit-uncertain', 'also resend what the vendor may already have; it may be billed twice')
    .addOption(
      new Option(
        '--fallback <name>',
        'summarizer for the parts that the model did not summarize, also in sessions that failed before (default: the session fails)',
      ).choices(['extractive']),
    )
    .option('--json', 'print one JSON object')
  addRedactOptions(command)
  command.addHelpText('after', collectHelp).action(async (job: string | undefined, options: JobOptions) => {
    const fault = redactFault(options)
    if (fault !== undefined) command.error(`error: ${fault}`)
    context.finish(await collectJob(job, options, context))
  })
}

function addCancel(batch: Command, context: CommandContext): void {
  vendorOptions(
    batch
      .command('cancel')
      .description('Ask the vendor to end a job. Finished requests are billed and can still be collected.')
      .argument('<job>', 'name of a job'),
  ).action((job: string, options: JobOptions) => cancelJob(job, options, context))
}

function vendorOptions(command: Command): Command {
  return command
    .addOption(storeOption())
    .option('--base-url <url>', 'server of the vendor, if not the usual one')
    .option('--effort <level>', 'effort level for resent requests, passed on as given')
}

const batchHelp = `
Examples:
  tenfold batch submit --summarizer anthropic --model MODEL ~/.claude/projects
  tenfold batch status
  tenfold batch collect --wait`

const submitHelp = `
Examples:
  tenfold batch submit --summarizer openai --model MODEL --max-cost 20 logs/
  tenfold batch submit --summarizer anthropic --model MODEL --track archive old/*.jsonl`

const collectHelp = `
Examples:
  tenfold batch collect --wait
  tenfold batch collect 20260304T050607Z-k3j2h1 --json`
