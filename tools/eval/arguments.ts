import { parseArgs } from 'node:util'

export const usage = `Usage: npm run eval -- [FOLDER...] [options]
Measures what a bundle keeps of the logs below the folders, and whether its statements occur in them.

  --max-ratio N     size of a bundle as a share of the log (default 0.1)
  --tokens shipped  give each case the size of its shipped summary instead (needs an index.json)
  --baselines       also measure head, tail, SumBasic, ... at the size of each bundle
  --limit N         only the first N logs
  --worst N         list the N worst cases of each metric below its gate, with what was missed
  --needles N       synthetic sessions with planted facts (default 20; 0 for none)
  --json            all numbers as JSON

  --gold FOLDER     measure bundles against labelled sessions instead: constraints, open problems, decisions,
                    resume point, state, last check. --worst N lists what each missed or got wrong
  --logs FOLDER     folder of the labelled logs, packed or not (default: ../../corpus from the labels)
  --secrets FILE    measure the redactor instead: on the labelled cases of a file (JSON, plain or in gzip and base64) and
                    on our own random values. --worst N lists misses of the families to fit on, never of those
                    held out
  --seed N          with --secrets: selects the held-out families and the random values (default 1)
  --fit SOURCES     with --secrets: names of the sources to fit on, joined by commas; all others are held out
  --values N        with --secrets: random values of each family in each syntax (default 200; 0 for none)
  --agents FOLDER   compare what the readers find in logs with a manifest.json of what the sessions really did: tool
                    calls, exit codes, files, usage, subagents, unknown records. --worst N lists what N logs lack
  --reading         measure what a model reads instead: the share of the source tokens of the logs below the folders,
                    and with --gold whether the evidence of the labels is still readable; without folders, only
                    the labelled logs
  --max-read-ratio N  with --reading: share of the source tokens that a model reads (default 0.35)
  --brief N         measure briefs of N tokens instead, beside their bundles: with --gold which labels and which exact
                    values they hold, and for the logs below the folders what of each half of the session
  --planted FOLDER  plant each text of a folder of JSON files in what a session reads, and count how many become a
                    constraint, next step or decision of the user if the summarizer obeys every text that it reads
  --judge FOLDER    with --gold: have a model answer questions about each labelled session from the bundle alone, and
                    judges score the answers without knowing the method. Results are kept in FOLDER: a run that
                    was stopped goes on, and no call is paid twice. Models are VENDOR:MODEL (anthropic, openai,
                    ollama); keys and servers come from the usual variables
  --summarizer LIST with --judge: summarizers to compare, joined by commas (default extractive)
  --answerer NAME   with --judge: the model that answers
  --judges LIST     with --judge: the models that judge, joined by commas; two show whether they agree
  --ablate PART     with --gold, --agents or folders of logs: switch off each module of the rooms that decide by rules of
                    thumb whose path holds PART ("" for all), and list which figures change
  --commands        check only the commands of next steps, in every file below the folders: each must have been
                    proposed and not run since, or still fail`

export interface Arguments {
  readonly folders: readonly string[]
  readonly maxRatio: number | undefined
  readonly limit: number
  readonly worst: number
  readonly needles: number
  readonly json: boolean
  readonly baselines: boolean
  readonly shippedBudget: boolean
  readonly gold: string | undefined
  readonly logs: string | undefined
  readonly commands: boolean
  readonly reading: boolean
  readonly maxReadRatio: number | undefined
  /** Tokens of the briefs to measure. */
  readonly brief: number | undefined
  readonly secrets: string | undefined
  readonly agents: string | undefined
  readonly planted: string | undefined
  /** Part of the paths of the modules to switch off. */
  readonly ablate: string | undefined
  readonly fit: readonly string[] | undefined
  readonly seed: number
  readonly values: number
  readonly judge: JudgeArguments | undefined
}

export interface JudgeArguments {
  readonly folder: string
  readonly summarizers: readonly string[]
  readonly answerer: string
  readonly judges: readonly string[]
}

/** A mistake in the arguments, for the caller of the program to correct. */
export class UsageError extends Error {}

/** Reads the arguments of the program. Throws UsageError. */
export function readArguments(args: string[]): Arguments {
  const { values, positionals } = parse(args)
  const { ablate } = values
  const numberOf = (name: NumberOption, most: number): number | undefined => {
    const text = values[name]
    if (text === undefined) return undefined
    const value = Number(text)
    if (text.trim() === '' || !(value >= 0 && value <= most))
      throw new UsageError(`--${name}: expected a number from 0 to ${most}, got ${text}`)
    return value
  }
  const shareOf = (name: NumberOption): number | undefined => {
    const share = numberOf(name, 1)
    if (share === 0) throw new UsageError(`--${name}: expected a number above 0`)
    return share
  }
  const maxRatio = shareOf('max-ratio')
  if (values.tokens !== undefined && values.tokens !== 'shipped')
    throw new UsageError(`--tokens: expected shipped, got ${values.tokens}`)
  const { gold, logs, secrets, agents, planted, commands = false, reading = false } = values
  const needles = numberOf('needles', 9999)
  if (logs !== undefined && gold === undefined) throw new UsageError('--logs: expected --gold with it')
  const brief = numberOf('brief', 1e6)
  if (brief !== undefined && (brief < 100 || reading || commands || (secrets ?? agents) !== undefined))
    throw new UsageError('--brief: expected at least 100 tokens, and only folders of logs and --gold with it')
  const hasFolders = positionals.length > 0
  if (
    ablate === undefined &&
    gold !== undefined &&
    ((hasFolders && !reading && brief === undefined) || commands)
  )
    throw new UsageError('--gold: expected neither folders of logs nor --commands with it')
  if (reading && ((secrets ?? agents) !== undefined || commands))
    throw new UsageError('--reading: expected only folders of logs and --gold with it')
  const maxReadRatio = shareOf('max-read-ratio')
  if (secrets !== undefined && (hasFolders || commands || gold !== undefined))
    throw new UsageError('--secrets: expected neither folders of logs nor --gold nor --commands with it')
  if (
    ablate === undefined &&
    agents !== undefined &&
    (hasFolders || commands || (gold ?? secrets) !== undefined)
  )
    throw new UsageError('--agents: expected nothing else to measure with it')
  const isAlone = !hasFolders && !commands && !reading && (gold ?? secrets ?? agents) === undefined
  if (planted !== undefined && !isAlone)
    throw new UsageError('--planted: expected nothing else to measure with it')
  const judge = judgeOf(values)
  const measuresOther = (gold ?? secrets ?? agents ?? planted) !== undefined || (!!needles && !commands)
  if (!hasFolders && !measuresOther) throw new UsageError('expected a folder of logs')
  return {
    folders: positionals,
    maxRatio,
    limit: numberOf('limit', 1e6) ?? Number.POSITIVE_INFINITY,
    worst: numberOf('worst', 1e6) ?? 0,
    needles: needles ?? 20,
    json: values.json ?? false,
    baselines: values.baselines ?? false,
    shippedBudget: values.tokens === 'shipped',
    ...{ gold, logs, commands, reading, maxReadRatio, brief, secrets, agents, planted, ablate, judge },
    fit: values.fit?.split(','),
    seed: numberOf('seed', 2 ** 32 - 1) ?? 1,
    values: numberOf('values', 1e5) ?? 200,
  }
}

type NumberOption =
  | 'max-ratio'
  | 'max-read-ratio'
  | 'limit'
  | 'worst'
  | 'needles'
  | 'brief'
  | 'seed'
  | 'values'

function judgeOf(values: ReturnType<typeof parse>['values']): JudgeArguments | undefined {
  const { judge: folder, gold, summarizer = 'extractive', answerer, judges } = values
  if (folder === undefined) {
    const stray = (['summarizer', 'answerer', 'judges'] as const).find((name) => values[name] !== undefined)
    if (stray !== undefined) throw new UsageError(`--${stray}: expected --judge with it`)
    return undefined
  }
  if (gold === undefined || answerer === undefined || judges === undefined)
    throw new UsageError('--judge: expected --gold, --answerer and --judges with it')
  return { folder, summarizers: summarizer.split(','), answerer, judges: judges.split(',') }
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        'max-ratio': { type: 'string' },
        limit: { type: 'string' },
        worst: { type: 'string' },
        needles: { type: 'string' },
        tokens: { type: 'string' },
        json: { type: 'boolean' },
        baselines: { type: 'boolean' },
        gold: { type: 'string' },
        logs: { type: 'string' },
        secrets: { type: 'string' },
        agents: { type: 'string' },
        planted: { type: 'string' },
        ablate: { type: 'string' },
        fit: { type: 'string' },
        seed: { type: 'string' },
        values: { type: 'string' },
        commands: { type: 'boolean' },
        brief: { type: 'string' },
        judge: { type: 'string' },
        summarizer: { type: 'string' },
        answerer: { type: 'string' },
        judges: { type: 'string' },
        reading: { type: 'boolean' },
        'max-read-ratio': { type: 'string' },
      },
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}
