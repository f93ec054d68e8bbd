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

const modeNames = [
  'ablate',
  'secrets',
  'agents',
  'brief',
  'planted',
  'reading',
  'judge',
  'gold',
  'commands',
  'retention',
] as const

export type Mode = (typeof modeNames)[number]

/** What each mode measures beside its own argument; everything else is refused with it. */
const measuredWith: Readonly<Record<Mode, readonly string[]>> = {
  ablate: ['folders', 'gold', 'agents'],
  secrets: [],
  agents: [],
  brief: ['folders', 'gold'],
  planted: [],
  reading: ['folders', 'gold'],
  judge: ['gold'],
  gold: [],
  commands: ['folders'],
  retention: ['folders'],
}

export interface Arguments {
  readonly mode: Mode
  readonly folders: readonly string[]
  /** Arguments of the options that take a text. */
  readonly given: Readonly<Record<string, string | undefined>>
  readonly maxRatio: number | undefined
  readonly maxReadRatio: number | undefined
  readonly limit: number
  readonly worst: number
  readonly needles: number
  readonly json: boolean
  readonly baselines: boolean
  readonly shippedBudget: boolean
  /** Tokens of the briefs to measure. */
  readonly brief: number
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
  const { given, flags, folders } = parse(args)
  const numberOf = (name: string, most: number, least = 0): number | undefined => {
    const text = given[name]
    if (text === undefined) return undefined
    const value = Number(text)
    if (text.trim() === '' || !(value >= least && value <= most))
      throw new UsageError(`--${name}: expected a number from ${least} to ${most}, got ${text}`)
    return value
  }
  const shareOf = (name: string): number | undefined => numberOf(name, 1, Number.MIN_VALUE)
  const { tokens, gold, logs } = given
  if (tokens !== undefined && tokens !== 'shipped')
    throw new UsageError(`--tokens: expected shipped, got ${tokens}`)
  if (logs !== undefined && gold === undefined) throw new UsageError('--logs: expected --gold with it')
  const judge = judgeOf(given)
  const asked = modeNames.filter((name) => given[name] !== undefined || flags.has(name))
  const [mode = 'retention'] = asked
  const stray = [...asked, ...(folders.length > 0 ? ['folders'] : [])].find(
    (name) => name !== mode && !measuredWith[mode].includes(name),
  )
  if (stray !== undefined) throw new UsageError(`--${mode}: expected no ${stray} with it`)
  const needles = numberOf('needles', 9999)
  const needsFolders = mode === 'commands' || (mode === 'retention' && !needles)
  const needsLogs = ['ablate', 'brief', 'reading'].includes(mode) && asked.length === 1
  if (folders.length === 0 && (needsFolders || needsLogs)) throw new UsageError('expected a folder of logs')
  return {
    ...{ mode, folders, given, judge },
    maxRatio: shareOf('max-ratio'),
    maxReadRatio: shareOf('max-read-ratio'),
    limit: numberOf('limit', 1e6) ?? Number.POSITIVE_INFINITY,
    worst: numberOf('worst', 1e6) ?? 0,
    needles: needles ?? 20,
    json: flags.has('json'),
    baselines: flags.has('baselines'),
    shippedBudget: tokens === 'shipped',
    brief: numberOf('brief', 1e6, 100) ?? 0,
    fit: given.fit?.split(','),
    seed: numberOf('seed', 2 ** 32 - 1) ?? 1,
    values: numberOf('values', 1e5) ?? 200,
  }
}

function judgeOf(given: Arguments['given']): JudgeArguments | undefined {
  const { judge: folder, gold, summarizer = 'extractive', answerer, judges } = given
  if (folder === undefined) {
    const stray = ['summarizer', 'answerer', 'judges'].find((name) => given[name] !== undefined)
    if (stray !== undefined) throw new UsageError(`--${stray}: expected --judge with it`)
    return undefined
  }
  if (gold === undefined || answerer === undefined || judges === undefined)
    throw new UsageError('--judge: expected --gold, --answerer and --judges with it')
  return { folder, summarizers: summarizer.split(','), answerer, judges: judges.split(',') }
}

/** The options are those of the usage: `--name VALUE` takes a text, `--name` alone is a flag. */
function parse(args: string[]) {
  const named = [...usage.matchAll(/^ {2}--([a-z-]+)( (?:[A-Z]+|shipped)\b)?/gm)]
  const options = Object.fromEntries(
    named.map(([, name, value]) => [name, { type: value === undefined ? 'boolean' : 'string' } as const]),
  )
  try {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options })
    const entries = Object.entries(values as Record<string, unknown>)
    const given = Object.fromEntries(entries.filter(([, value]) => typeof value === 'string'))
    const flags = new Set(entries.flatMap(([name, value]) => (value === true ? [name] : [])))
    return { given: given as Arguments['given'], flags, folders: positionals }
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}
