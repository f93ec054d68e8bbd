import { markdownTable } from '@tenfold/measure/internal'
import { isBelow } from '../report.ts'
import { type EvidenceResult, type ReadingResult, totalEvidence } from './measure-reading.ts'
import { evidenceKinds } from './readable.ts'

/** Most of the source tokens that a model reads, in the median and at the 90th percentile. */
const gates = { median: 0.35, p90: 0.5, update: 2, evidence: 0.97 }

/** The tables of what a model reads; `worst` lists as many logs and missed labels. */
export function renderReading(
  results: readonly ReadingResult[],
  evidence: readonly EvidenceResult[],
  worst: number,
): string {
  return [
    ...(results.length === 0 ? [] : [sharesTable(results)]),
    ...(worst === 0 || results.length === 0 ? [] : [longest(results, worst)]),
    ...(results.some(({ updates }) => updates.length > 0) ? [updatesTable(results, worst)] : []),
    ...(evidence.length === 0 ? [] : [evidenceTable(evidence)]),
    ...(worst === 0 || evidence.length === 0 ? [] : [missed(evidence, worst)]),
  ].join('\n\n')
}

function sharesTable(results: readonly ReadingResult[]): string {
  const row = (name: string, shares: readonly number[], gated: boolean) => {
    const [median, p90, most] = [percentile(shares, 0.5), percentile(shares, 0.9), percentile(shares, 1)]
    const ok = median <= gates.median && p90 <= gates.p90
    return [name, ...[median, p90, most].map((share) => share.toFixed(3)), gated ? (ok ? 'ok' : 'above') : '']
  }
  return [
    markdownTable(
      ['read, of the source tokens', 'median', 'p90', 'most', `gate ${gates.median}, ${gates.p90}`],
      [
        row(
          'transcript',
          results.map(({ transcript }) => transcript),
          true,
        ),
        row(
          'whole prompt',
          results.map(({ prompt }) => prompt),
          false,
        ),
      ],
    ),
    `${results.length} logs of at least 4,000 source tokens`,
  ].join('\n\n')
}

function updatesTable(results: readonly ReadingResult[], worst: number): string {
  const updates = results.flatMap((result) => result.updates)
  const shares = updates.map(({ prompt }) => prompt)
  const [median, p90, most] = [percentile(shares, 0.5), percentile(shares, 0.9), percentile(shares, 1)]
  return [
    markdownTable(
      ['read of an update, of what is new', 'median', 'p90', 'most', `gate ${gates.update} at p90`],
      [
        [
          'whole prompt',
          ...[median, p90, most].map((share) => share.toFixed(3)),
          p90 <= gates.update ? 'ok' : 'above',
        ],
      ],
    ),
    `${updates.length} updates, after 50, 70 and 90 % of each log`,
    ...(worst === 0
      ? []
      : [
          updates
            .toSorted((a, b) => b.prompt - a.prompt)
            .slice(0, worst)
            .map(({ name, newTokens, prompt }) => `- ${name}: ${newTokens} new tokens, ${prompt.toFixed(2)}`)
            .join('\n'),
        ]),
  ].join('\n\n')
}

/** The value that so much of the numbers does not exceed. */
function percentile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0
}

function longest(results: readonly ReadingResult[], count: number): string {
  return [...results]
    .sort((a, b) => b.prompt - a.prompt)
    .slice(0, count)
    .map(
      ({ name, sourceTokens, transcript, prompt }) =>
        `- ${name}: ${sourceTokens} source tokens, transcript ${transcript.toFixed(2)}, prompt ${prompt.toFixed(2)}`,
    )
    .join('\n')
}

function evidenceTable(evidence: readonly EvidenceResult[]): string {
  const share = (kept: number, of: number) => (of === 0 ? '-' : (kept / of).toFixed(3))
  return markdownTable(
    ['evidence of', 'labels', 'readable', 'share', 'with everything', 'gate', ''],
    totalEvidence(evidence).map(({ kind, of, read, whole }) => [
      kind,
      String(of),
      String(read),
      share(read, of),
      share(whole, of),
      ...(kind === 'all'
        ? [String(gates.evidence), isBelow(read / of, gates.evidence) ? 'below' : 'ok']
        : ['', '']),
    ]),
  )
}

function missed(evidence: readonly EvidenceResult[], count: number): string {
  return evidence
    .flatMap(({ name, read }) => {
      const lines = evidenceKinds.flatMap((kind) =>
        read[kind].missed.slice(0, count).map((label) => `    - ${kind}: ${label}`),
      )
      return lines.length === 0 ? [] : [`### ${name}`, ...lines]
    })
    .join('\n')
}
