import { TenfoldError } from '@tenfold/core'
import { compressAll } from '../compress/compress-all.ts'
import { type CompressOptions, compressOptions } from '../compress/compress-options.ts'
import { logArguments, stdinTwice } from '../logs/gather-logs.ts'
import { chainOf, modelFault } from '../options/model-options.ts'
import { chooseSession } from '../sources/sessions-of-folder.ts'
import { defineCommand } from './define-command.ts'

export const addCommand = defineCommand({
  name: 'compress',
  description:
    'Compress logs, each to a bundle in the store. The store also keeps the log, compressed; secrets are redacted. The sessions of a folder go to the tracks of their projects, unless --track is given.',
  arguments: [['[log...]', `${logArguments} (default: the newest session of this folder)`]],
  options: compressOptions,
  help: `
Examples:
  tenfold compress                        the newest session of this folder
  tenfold compress session.jsonl
  tenfold compress --track review --kind progress session.jsonl
  tenfold compress --summarizer anthropic --model MODEL --max-cost 0.50 session.jsonl
  tenfold compress --since 7d --max-cost 5 --summarizer anthropic --model MODEL ~/.claude/projects
  tenfold compress --json logs/ | jq '.tokens.ratio // empty'
  gunzip -c session.jsonl.gz | tenfold compress -`,
  fault: usageFault,
  async run(options, context, named) {
    const newest = named.length > 0 ? undefined : await chooseSession(process.cwd(), context)
    const logs = newest === undefined ? named : [newest]
    if (logs.length === 0)
      throw new TenfoldError(
        'log-missing',
        'There is no agent session for this folder. Give the path of a log, or - to read stdin; tenfold sources shows where agents keep theirs.',
      )
    return await compressAll(logs, { ...options, trackByProject: context.isDefault('track') }, context)
  },
})

function usageFault(options: CompressOptions, logs: readonly string[]): string | undefined {
  const { output, json, dryRun, previous } = options
  const fault = stdinTwice(logs)
  if (fault !== undefined) return fault
  const ofOne = output !== undefined ? '--output' : previous !== undefined ? '--previous' : undefined
  if (ofOne !== undefined && logs.length > 1) return `expected a single log with ${ofOne}, got ${logs.length}`
  if (output === '-' && json) return 'expected a file for --output with --json: both would write to stdout'
  if (output !== undefined && output !== '-' && dryRun)
    return 'expected --output - with --dry-run, which writes no file'
  if (output !== undefined && dryRun && chainOf(options).some(({ name }) => name !== 'extractive'))
    return 'expected --dry-run without --output: a dry run asks no model, so there is no bundle'
  return modelFault(options)
}
