// Measures once, in a process of its own, with the module of TENFOLD_SWITCH_OFF switched off:
//   node figures.js '{"gold": FOLDER, "folders": [FOLDER]}'
import { createHash } from 'node:crypto'
import { register } from 'node:module'
import type { Arguments } from '../arguments.ts'
import { neutralCounts } from './neutral.ts'

/** What one run measured. */
export interface Figures {
  /** Right answers by figure: a smaller number is worse. */
  readonly kept: Readonly<Record<string, number>>
  /** Digest of each bundle. */
  readonly bundles: readonly string[]
  readonly counts: ReturnType<typeof neutralCounts>
}

/** The arguments that matter to a run. */
export type FigureArguments = Pick<Arguments, 'folders' | 'limit'> & {
  readonly [name in 'gold' | 'logs' | 'agents']: string | undefined
}

register('./hooks.js', import.meta.url, { data: process.env.TENFOLD_SWITCH_OFF ?? '' })
const given: FigureArguments = JSON.parse(process.argv[2] ?? '{}')

// Loaded after the hooks are registered.
const { compressLog, tiktokenCounter } = await import('@tenfold/core')
const { extractiveSummarizer } = await import('@tenfold/summarizers/extractive')
const { compareLabels, goldMetrics } = await import('../gold/compare-labels.ts')
const { loadGold } = await import('../gold/load-gold.ts')
const { loadCases } = await import('../load-cases.ts')
const { measureCase } = await import('../measure-case.ts')
const { loadTruth } = await import('../agents/load-truth.ts')
const { measureAgents } = await import('../agents/measure-agents.ts')

const counter = tiktokenCounter()
const now = new Date(Date.UTC(2026, 0, 1))
const compress = { summarizer: extractiveSummarizer(), now, random: () => 0.5 }
const kept: Record<string, number> = {}
const bundles: string[] = []
const add = (figure: string, right: number): void => {
  kept[figure] = (kept[figure] ?? 0) + right
}

for (const { gold, path } of given.gold === undefined ? [] : await loadGold(given.gold, given.logs)) {
  const { bundle } = await compressLog(path, { ...compress, counter })
  bundles.push(createHash('sha256').update(JSON.stringify(bundle)).digest('hex'))
  const { scores, solvedShown } = compareLabels(bundle, gold)
  for (const metric of goldMetrics) {
    add(metric, scores[metric].kept)
    // What is said beside the labels counts against the figures of precision.
    if (/strict|lenient|precision|by$/.test(metric)) add(metric, -scores[metric].of)
  }
  add('solved problems shown as open', -solvedShown.length)
}
for (const folder of given.folders)
  for (const one of (await loadCases(folder)).slice(0, given.limit ?? undefined)) {
    const options = { counter, compress, maxRatio: 0.1, shippedBudget: false, baselines: false }
    const result = await measureCase(one, options)
    for (const [metric, score] of Object.entries(result?.methods[0]?.scores ?? {})) add(metric, score.kept)
  }
if (given.agents !== undefined)
  for (const result of await measureAgents(await loadTruth(given.agents)))
    add('faults of agents', -result.faults.length)

const figures: Figures = { kept, bundles, counts: neutralCounts() }
process.stdout.write(`${JSON.stringify(figures)}\n`)
