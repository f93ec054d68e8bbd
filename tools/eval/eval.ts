import { type CompressLogOptions, TenfoldError, tiktokenCounter } from '@tenfold/core'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import { ablate, renderAblation } from './ablate/ablate.ts'
import { loadTruth } from './agents/load-truth.ts'
import { measureAgents } from './agents/measure-agents.ts'
import { renderAgents } from './agents/report-agents.ts'
import { type Arguments, type JudgeArguments, readArguments, UsageError, usage } from './arguments.ts'
import { measureCaseBriefs, measureLabelledBriefs } from './brief/measure-brief.ts'
import { renderBriefs } from './brief/report-brief.ts'
import { checkCommands, filesBelow, renderCommands } from './commands/check-commands.ts'
import { loadGold } from './gold/load-gold.ts'
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

async function main(args: string[]): Promise<void> {
  const given = readArguments(args)
  process.stdout.write(`${await reportOf(given)}\n`)
}

function reportOf(given: Arguments): Promise<string> {
  const { gold } = given
  const sized = given.maxRatio === undefined ? {} : { maxRatio: given.maxRatio, minRatio: given.maxRatio / 2 }
  const options = { ...compress, counter: tiktokenCounter(), ...sized }
  if (given.ablate !== undefined) return ablationReport(given, given.ablate)
  if (given.secrets !== undefined) return secretReport(given, given.secrets)
  if (given.agents !== undefined) return agentReport(given, given.agents)
  if (given.brief !== undefined) return briefReport(given, given.brief)
  if (given.planted !== undefined) return plantedReport(given, given.planted, options)
  if (given.reading) return readingReport(given)
  if (gold !== undefined && given.judge !== undefined) return judgeReport(given, gold, given.judge)
  if (gold !== undefined) return goldReport(given, gold, options)
  return given.commands ? commandReport(given, options) : retentionReport(given)
}

async function secretReport(given: Arguments, file: string): Promise<string> {
  const cases = await asUsageError(loadLabelledCases(file))
  const { seed, values, fit } = given
  const report = measureSecrets(cases, { seed, values, progress, fit })
  progress('')
  return given.json ? JSON.stringify(secretsJson(report), null, 2) : renderSecrets(report, given.worst)
}

async function ablationReport(given: Arguments, only: string): Promise<string> {
  const results = await ablate({ ...given, only }, progress)
  progress('')
  return given.json ? JSON.stringify(results, null, 2) : renderAblation(results)
}

async function agentReport(given: Arguments, folder: string): Promise<string> {
  const truths = await asUsageError(loadTruth(folder))
  const results = await measureAgents(truths.slice(0, given.limit))
  return given.json ? JSON.stringify(results, null, 2) : renderAgents(results, given.worst)
}

async function plantedReport(
  given: Arguments,
  folder: string,
  { summarizer: _, ...options }: CompressLogOptions,
): Promise<string> {
  const texts = await asUsageError(loadPlanted(folder))
  const results = await measurePlanted(texts.slice(0, given.limit), options, progress)
  progress('')
  return given.json ? JSON.stringify(results, null, 2) : renderPlanted(results, given.worst)
}

async function goldReport(given: Arguments, gold: string, options: CompressLogOptions): Promise<string> {
  const labelled = await asUsageError(loadGold(gold, given.logs))
  const results = await measureGold(labelled.slice(0, given.limit), options, progress)
  progress('')
  if (given.json) return JSON.stringify({ totals: totalGold(results), sessions: results }, null, 2)
  const details = given.worst === 0 ? [] : [renderGoldDetails(results, given.worst)]
  return [...details, renderGold(results)].join('\n\n')
}

async function judgeReport(given: Arguments, gold: string, judge: JudgeArguments): Promise<string> {
  const labelled = await asUsageError(loadGold(gold, given.logs))
  const models = await asUsageError(judgeModels(judge))
  const results = keptResults(judge.folder)
  const methods = models.summarizers.map(({ name, summarizer }) => ({
    name: `Tenfold, ${name}`,
    compress: { ...compress, summarizer },
  }))
  const chosen = labelled.slice(0, given.limit)
  const documents = await documentsOf(chosen, methods, { counter: tiktokenCounter(), results })
  const judged = await runJudge(documents, {
    answerer: models.answerer,
    judges: models.judges,
    results,
    signal: new AbortController().signal,
    seed: given.seed,
    onProgress: (done, of) => progress(`${done} of ${of} answers judged`),
  })
  progress('')
  const scorecard = scorecardOf(judged)
  return given.json ? JSON.stringify({ ...scorecard, ...judged }, null, 2) : renderScorecard(scorecard)
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
  const { gold, logs, maxReadRatio, worst } = given
  const plan = { counter: tiktokenCounter(), maxReadRatio }
  const files = await asUsageError(Promise.all(given.folders.map(filesBelow)))
  const results = await measureReading(files.flat().slice(0, given.limit), plan, progress)
  progress('')
  const labelled = gold === undefined ? [] : await asUsageError(loadGold(gold, logs))
  const evidence = await measureEvidence(labelled.slice(0, given.limit), plan)
  const shares = given.folders.length > 0 ? results : evidence.map(({ reading }) => reading)
  return given.json
    ? JSON.stringify({ results: shares, evidence }, null, 2)
    : renderReading(shares, evidence, worst)
}

async function briefReport(given: Arguments, maxTokens: number): Promise<string> {
  const { gold, logs, limit, worst } = given
  const labelled = gold === undefined ? [] : await asUsageError(loadGold(gold, logs))
  const cases = (await asUsageError(Promise.all(given.folders.map(loadCases)))).flat()
  const options = { compress, counter: tiktokenCounter(), maxTokens }
  const labels = await measureLabelledBriefs(labelled.slice(0, limit), options, progress)
  const results = await measureCaseBriefs(cases.slice(0, limit), options, progress)
  progress('')
  return given.json
    ? JSON.stringify({ labelled: labels, cases: results }, null, 2)
    : renderBriefs(labels, results, maxTokens, worst)
}

async function commandReport(given: Arguments, options: CompressLogOptions): Promise<string> {
  const files = await asUsageError(Promise.all(given.folders.map(filesBelow)))
  const check = await checkCommands(files.flat().slice(0, given.limit), options, progress)
  progress('')
  return given.json ? JSON.stringify(check, null, 2) : renderCommands(check)
}

async function retentionReport(given: Arguments): Promise<string> {
  const found = await asUsageError(Promise.all(given.folders.map(loadCases)))
  const cases = found.flat().slice(0, given.limit)
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
  progress('')
  return given.json ? asJson(results, needles) : asText(results, needles, given.worst)
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
            recalled: Object.fromEntries(needles.recalled),
          },
        }),
  }
  return JSON.stringify(report, null, 2)
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  process.stderr.write(`${error.message}\n\n${usage}\n`)
  process.exitCode = 2
}
