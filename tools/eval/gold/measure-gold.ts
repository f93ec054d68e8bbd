import { type CompressLogOptions, compressLog } from '@tenfold/core'
import { atOnce } from '@tenfold/core/internal'
import { type NextCommand, nextCommands } from '@tenfold/measure/internal'
import { compareLabels, type GoldResult } from './compare-labels.ts'
import type { LabelledLog } from './load-gold.ts'

/** The results for one labelled session. */
export interface LabelledResult extends GoldResult {
  readonly commands: readonly NextCommand[]
}

/** Compresses each labelled log and measures its bundle. */
export async function measureGold(
  labelled: readonly LabelledLog[],
  options: CompressLogOptions,
  onProgress: (text: string) => void,
): Promise<LabelledResult[]> {
  const results: LabelledResult[] = []
  for (const [at, { gold, path }] of labelled.entries()) {
    onProgress(`${at + 1} of ${labelled.length} ${gold.name}`)
    const { bundle, session } = await compressLog(path, options)
    results.push({ ...compareLabels(bundle, gold), commands: atOnce(nextCommands(bundle, session)) })
  }
  return results
}
