import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { bundleToMarkdown, type CompressLogOptions, compressLog, type TokenCounter } from '@tenfold/core'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import { baselines } from '../baselines.ts'
import type { LabelledLog } from '../gold/load-gold.ts'
import { sessionUnits } from '../units.ts'
import type { KeptResults } from './kept-results.ts'
import { probesOf } from './probes.ts'
import type { JudgedDocument } from './run-judge.ts'

/** A way to compress a log. */
export interface Method {
  /** Also the name that its documents are kept under: it names the summarizer and the model. */
  readonly name: string
  readonly compress: CompressLogOptions
}

/** The baselines that are judged too, at the size of the first method's bundle. */
const judgedBaselines: ReadonlySet<string> = new Set(['head+tail', 'SumBasic'])

/** Makes the document of each method for each labelled session; a bundle that was kept is not made again. */
export async function documentsOf(
  labelled: readonly LabelledLog[],
  methods: readonly Method[],
  { counter, results }: { readonly counter: TokenCounter; readonly results: KeptResults },
): Promise<JudgedDocument[]> {
  const documents: JudgedDocument[] = []
  for (const [at, { gold, path }] of labelled.entries()) {
    const probes = probesOf(gold, labelled[(at + 1) % labelled.length]?.gold)
    const log = createHash('sha256')
      .update(await readFile(path))
      .digest('hex')
    const add = (method: string, text: string) =>
      documents.push({ session: gold.name, method, text, tokens: counter.count(text), probes })
    let budget = 0
    for (const { name, compress } of methods) {
      const text = await results.once('bundles', { method: name, log }, async () => {
        const { bundle } = await compressLog(path, { ...compress, counter })
        return bundleToMarkdown(bundle)
      })
      add(name, text)
      budget ||= counter.count(text)
    }
    const simple = await results.once('baselines', { log, budget }, async () => {
      const { session } = await compressLog(path, { summarizer: extractiveSummarizer(), counter })
      const units = sessionUnits(session)
      return baselines
        .filter(([name]) => judgedBaselines.has(name))
        .map(([name, method]) => [name, method(units, budget, counter)] as const)
    })
    for (const [name, text] of simple) add(name, text)
  }
  return documents
}
