import { type CompressLogOptions, TenfoldError, tiktokenCounter } from '@tenfold/core'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import { ablate, renderAblation } from './ablate/ablate.ts'
import { loadTruth } from './agents/load-truth.ts'
import { measureAgents } from './agents/measure-agents.ts'
import { renderAgents } from './agents/report-agents.ts'
import {
  type Arguments,
  type JudgeArguments,
  type Mode,
  readArguments,
  UsageError,
  usage,
} from './arguments.ts'
import { measureCaseBriefs, measureLabelledBriefs } from './brief/measure-brief.ts'
import { renderBriefs } from './brief/report-brief.ts'
import { checkCommands, filesBelow, type NamedFile, renderCommands } from './commands/check-commands.ts'
import { type LabelledLog, loadGold } from './gold/load-gold.ts'
import { measureGold } from './gold/measure-gold.ts'
import { renderGold, renderGoldDetails, totalGold } from './gold/report-gold.ts'
import { documentsOf } from './judge/documents.ts'
import { keptResults } from './judge/kept-results.ts'
import { namedModel, namedSummarizer } from './judge/models.ts'
import { runJudge } from './judge/run-judge.ts'
import { renderScorecard, scorecardOf } from './judge/scorecard.ts'
import { type EvalCase, loadCases } from './load-cases.ts'
import { type CaseResult, compressBytes, type MeasureOptions, measureCase } from './measure-case.ts'
import { type NeedleReport, runNeedles } from './needles/needles.ts'
import { loadPlanted } from './planted/load-planted.ts'
import { measurePlanted, renderPlanted } from './planted/measure-planted.ts'
import { measureEvidence, measureReading } from './reading/measure-reading.ts'
import { renderReading } from './reading/report-reading.ts'
import { renderNeedles, renderReport, renderWorst, summarizeMethods } from './report.ts'
import { loadLabelledCases } from './secrets/labelled-cases.ts'
import { measureSecrets } from './secrets/measure-secrets.ts'
import { renderSecrets, secretsJson } from './secrets/report-secrets.ts'

/** A fixed id and time: both take tokens, and the same logs must give the same numbers. */
const compress: CompressLogOptions = {
  summarizer: extractiveSummarizer(),
  now: new Date(Date.UTC(2026, 0, 1)),
  random: () => 0.5,
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

type Report = (given: Arguments, options: CompressLogOptions) => Promise<string>

const reports: Readonly<Record<Mode, Report>> = {
  ablate: ablationReport,
  secrets: secretReport,
  agents: agentReport,
  brief: briefReport,
  planted: plantedReport,
  reading: readingReport,
  judge: judgeReport,
  gold: goldReport,
  commands: commandReport,
  retention: retentionReport,
}

async function main(args: string[]): Promise<void> {
  const given = readArguments(args)
  const { maxRatio } = given
  const sized = maxRatio === undefined ? {} : { maxRatio, minRatio: maxRatio / 2 }
  const options = { ...compress, counter: tiktokenCounter(), ...sized }
  const report = await reports[given.mode](given, options)
  progress('')
  process.stdout.write(`${report}\n`)
}

/** The numbers as JSON, or the text for people. */
function shown({ json }: Arguments, numbers: unknown, text: () => string): string {
  return json ? JSON.stringify(numbers, null, 2) : text()
}

/** The labelled sessions, if any are given. */
function labelledOf({ given: { gold, logs }, limit }: Arguments): Promise<LabelledLog[]> {
  if (gold === undefined) return Promise.resolve([])
  return asUsageError(loadGold(gold, logs).then((labelled) => labelled.slice(0, limit)))
}

/** The files below the folders. */
async function filesOf({ folders, limit }: Arguments): Promise<NamedFile[]> {
  return (await asUsageError(Promise.all(folders.map(filesBelow)))).flat().slice(0, limit)
}

/** The cases below the folders. */
async function casesOf({ folders, limit }: Arguments): Promise<EvalCase[]> {
  return (await asUsageError(Promise.all(folders.map(loadCases)))).flat().slice(0, limit)
}

async function secretReport(given: Arguments): Promise<string> {
  const cases = await asUsageError(loadLabelledCases(given.given.secrets ?? ''))
  const { seed, values, fit } = given
  const report = measureSecrets(cases, { seed, values, progress, fit })
  return shown(given, secretsJson(report), () => renderSecrets(report, given.worst))
}

async function ablationReport(given: Arguments): Promise<string> {
  const { ablate: only = '', gold, logs, agents } = given.given
  const { folders, limit } = given
  const results = await ablate({ gold, logs, agents, folders, limit, only }, progress)
  return shown(given, results, () => renderAblation(results))
}

async function agentReport(given: Arguments): Promise<string> {
  const truths = await asUsageError(loadTruth(given.given.agents ?? ''))
  const results = await measureAgents(truths.slice(0, given.limit))
  return shown(given, results, () => renderAgents(results, given.worst))
}

async function plantedReport(given: Arguments, options: CompressLogOptions): Promise<string> {
  const texts = await asUsageError(loadPlanted(given.given.planted ?? ''))
  const { summarizer: _, ...rest } = options
  const results = await measurePlanted(texts.slice(0, given.limit), rest, progress)
  return shown(given, results, () => renderPlanted(results, given.worst))
}

async function goldReport(given: Arguments, options: CompressLogOptions): Promise<string> {
  const results = await measureGold(await labelledOf(given), options, progress)
  const details = () => (given.worst === 0 ? [] : [renderGoldDetails(results, given.worst)])
  return shown(given, { totals: totalGold(results), sessions: results }, () =>
    [...details(), renderGold(results)].join('\n\n'),
  )
}

async function judgeReport(given: Arguments): Promise<string> {
  const judge = given.judge as JudgeArguments
  const labelled = await labelledOf(given)
  const models = await asUsageError(judgeModels(judge))
  const results = keptResults(judge.folder)
  const methods = models.summarizers.map(({ name, summarizer }) => ({
    name: `Tenfold, ${name}`,
    compress: { ...compress, summarizer },
  }))
  const documents = await documentsOf(labelled, methods, { counter: tiktokenCounter(), results })
  const judged = await runJudge(documents, {
    answerer: models.answerer,
    judges: models.judges,
    results,
    signal: new AbortController().signal,
    seed: given.seed,
    onProgress: (done, of) => progress(`${done} of ${of} answers judged`),
  })
  const scorecard = scorecardOf(judged)
  return shown(given, { ...scorecard, ...judged }, () => renderScorecard(scorecard))
}

/** Async, so that a wrong name rejects. */
async function judgeModels({ summarizers, answerer, judges }: JudgeArguments) {
  return {
    summarizers: summarizers.map((name) => ({ name, summarizer: namedSummarizer(name) })),
    answerer: namedModel(answerer),
    judges: judges.map(namedModel),
  }
}

async function readingReport(given: Arguments): Promise<string> {
  const plan = { counter: tiktokenCounter(), maxReadRatio: given.maxReadRatio }
  const results = await measureReading(await filesOf(given), plan, progress)
  const evidence = await measureEvidence(await labelledOf(given), plan)
  const shares = given.folders.length > 0 ? results : evidence.map(({ reading }) => reading)
  return shown(given, { results: shares, evidence }, () => renderReading(shares, evidence, given.worst))
}

async function briefReport(given: Arguments): Promise<string> {
  const options = { compress, counter: tiktokenCounter(), maxTokens: given.brief }
  const labelled = await measureLabelledBriefs(await labelledOf(given), options, progress)
  const cases = await measureCaseBriefs(await casesOf(given), options, progress)
  return shown(given, { labelled, cases }, () => renderBriefs(labelled, cases, given.brief, given.worst))
}

async function commandReport(given: Arguments, options: CompressLogOptions): Promise<string> {
  const check = await checkCommands(await filesOf(given), options, progress)
  return shown(given, check, () => renderCommands(check))
}

async function retentionReport(given: Arguments): Promise<string> {
  const cases = await casesOf(given)
  if (given.folders.length > 0 && cases.length === 0)
    throw new UsageError(`no logs below ${given.folders.join(', ')}`)
  const options: MeasureOptions = {
    counter: tiktokenCounter(),
    compress,
    maxRatio: given.maxRatio ?? 0.1,
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
  return shown(given, numbersOf(results, needles), () => asText(results, needles, given.worst))
}

/** Converts errors of reading the given folders to usage errors. */
async function asUsageError<T>(loading: Promise<T>): Promise<T> {
  try {
    return await loading
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function asText(results: readonly CaseResult[], needles: NeedleReport | undefined, worst: number): string {
  const parts = [
    ...(results.length > 0 ? [renderReport(results)] : []),
    ...(results.length > 0 && worst > 0 ? [renderWorst(results, worst)] : []),
    ...(needles === undefined ? [] : [renderNeedles(needles)]),
  ]
  return parts.join('\n\n')
}

function numbersOf(cases: readonly CaseResult[], needles: NeedleReport | undefined): object {
  const methods = summarizeMethods(cases)
  if (needles === undefined) return { methods, cases }
  const { byKind, byPlace, recalled } = needles
  const tables = Object.entries({ byKind, byPlace, recalled })
  const fields = Object.fromEntries(tables.map(([name, table]) => [name, Object.fromEntries(table)]))
  return { methods, cases, needles: { ...needles, ...fields } }
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  process.stderr.write(`${error.message}\n\n${usage}\n`)
  process.exitCode = 2
}
