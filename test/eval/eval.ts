import { parseArgs } from 'node:util'
import { TenfoldError, tiktokenCounter } from '@tenfold/core'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import { type EvalCase, loadCases } from './load-cases.ts'
import { type CaseResult, compressBytes, type MeasureOptions, measureCase } from './measure-case.ts'
import { type NeedleReport, runNeedles } from './needles.ts'
import { renderNeedles, renderReport, renderWorst, summarizeMethods } from './report.ts'

const usage = `Usage: npm run eval -- [FOLDER...] [options]
Measures what a bundle keeps of the logs below the folders, and whether what it states stands in them.

  --max-ratio N     size of a bundle as a share of the log (default 0.1)
  --tokens shipped  give each case the size of its shipped summary instead (needs an index.json)
  --baselines       measure head, tail, SumBasic, ... at the size of each bundle too
  --limit N         only the first N logs
  --worst N         list the N worst cases of each metric below its gate, with what was missed
  --needles N       synthetic sessions with planted facts (default 20; 0 for none)
  --json            all numbers as JSON`

interface Arguments {
  readonly folders: readonly string[]
  readonly maxRatio: number
  readonly limit: number
  readonly worst: number
  readonly needles: number
  readonly json: boolean
  readonly baselines: boolean
  readonly shippedBudget: boolean
}

class UsageError extends Error {}

function readArguments(args: string[]): Arguments {
  const { values, positionals } = parse(args)
  const numberOf = (name: string, text: string | undefined, fallback: number, most: number) => {
    if (text === undefined) return fallback
    const value = Number(text)
    if (text.trim() === '' || !(value >= 0 && value <= most))
      throw new UsageError(`--${name}: expected a number from 0 to ${most}, got ${text}`)
    return value
  }
  const maxRatio = numberOf('max-ratio', values['max-ratio'], 0.1, 1)
  if (maxRatio === 0) throw new UsageError('--max-ratio: expected a number above 0')
  if (values.tokens !== undefined && values.tokens !== 'shipped')
    throw new UsageError(`--tokens: expected shipped, got ${values.tokens}`)
  const needles = numberOf('needles', values.needles, 20, 9999)
  if (positionals.length === 0 && (values.needles === undefined || needles === 0))
    throw new UsageError('expected a folder of logs')
  return {
    folders: positionals,
    maxRatio,
    limit: numberOf('limit', values.limit, Number.POSITIVE_INFINITY, 1e6),
    worst: numberOf('worst', values.worst, 0, 1e6),
    needles,
    json: values.json ?? false,
    baselines: values.baselines ?? false,
    shippedBudget: values.tokens === 'shipped',
  }
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
      },
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

async function findCases(folders: readonly string[]): Promise<EvalCase[]> {
  try {
    return (await Promise.all(folders.map(loadCases))).flat()
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

async function measureAll(cases: readonly EvalCase[], options: MeasureOptions): Promise<CaseResult[]> {
  const results: CaseResult[] = []
  for (const [at, one] of cases.entries()) {
    progress(`${at + 1} of ${cases.length} ${one.name}`)
    try {
      const result = await measureCase(one, options)
      if (result === undefined)
        note(`${one.name}: left out, too small for a ratio or without a shipped summary`)
      else results.push(result)
    } catch (error) {
      if (!TenfoldError.isInstance(error)) throw error
      note(`${one.name}: left out, ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  progress('')
  return results
}

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`)
}

function note(text: string): void {
  progress('')
  process.stderr.write(`${text}\n`)
}

async function main(args: string[]): Promise<void> {
  const given = readArguments(args)
  const cases = (await findCases(given.folders)).slice(0, given.limit)
  if (given.folders.length > 0 && cases.length === 0)
    throw new UsageError(`no logs below ${given.folders.join(', ')}`)
  const options: MeasureOptions = {
    counter: tiktokenCounter(),
    // A fixed id and time: both take tokens, and the same logs must give the same numbers.
    compress: { summarizer: extractiveSummarizer(), now: new Date(Date.UTC(2026, 0, 1)), random: () => 0.5 },
    maxRatio: given.maxRatio,
    shippedBudget: given.shippedBudget,
    baselines: given.baselines,
  }
  const results = await measureAll(cases, options)
  const needles =
    given.needles === 0
      ? undefined
      : await runNeedles(
          given.needles,
          (log, name) => compressBytes(log, name, options),
          (done) => progress(`needles ${done} of ${given.needles}`),
        )
  progress('')
  process.stdout.write(given.json ? asJson(results, needles) : asText(results, needles, given.worst))
}

function asText(results: readonly CaseResult[], needles: NeedleReport | undefined, worst: number): string {
  const parts = [
    ...(results.length > 0 ? [renderReport(results)] : []),
    ...(results.length > 0 && worst > 0 ? [renderWorst(results, worst)] : []),
    ...(needles === undefined ? [] : [renderNeedles(needles)]),
  ]
  return `${parts.join('\n\n')}\n`
}

function asJson(cases: readonly CaseResult[], needles: NeedleReport | undefined): string {
  const report = {
    methods: summarizeMethods(cases),
    cases,
    ...(needles === undefined
      ? {}
      : {
          needles: {
            ...needles,
            byKind: Object.fromEntries(needles.byKind),
            byPlace: Object.fromEntries(needles.byPlace),
          },
        }),
  }
  return `${JSON.stringify(report, null, 2)}\n`
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  process.stderr.write(`${error.message}\n\n${usage}\n`)
  process.exitCode = 2
}
