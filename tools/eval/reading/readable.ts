import type { Score } from '@tenfold/measure'
import { scoreOf } from '@tenfold/measure/internal'
import type { Gold } from '../gold/load-gold.ts'
import { isLike } from '../gold/words.ts'

/** Kinds of labels whose evidence a model must be able to read. */
export const evidenceKinds = [
  'constraints',
  'project rules',
  'decisions',
  'open problems',
  'resume point',
  'files',
] as const
export type EvidenceKind = (typeof evidenceKinds)[number]

/**
 * Counts the labels whose evidence is in a text: the quote itself, or a line with at least 60 % of its words; the path
 * of a file; the command of the resume point.
 */
export function readableEvidence(text: string, gold: Gold): Record<EvidenceKind, Score> {
  const lines = text.split('\n')
  const plain = oneLine(text)
  const isReadable = (quote: string) => {
    const wanted = oneLine(quote)
    return wanted !== '' && (plain.includes(wanted) || lines.some((line) => isLike(quote, line)))
  }
  const ofQuotes = (labels: readonly { readonly quote: string }[]) =>
    scoreOf(
      labels,
      ({ quote }) => isReadable(quote),
      ({ quote }) => quote,
    )
  const commands = gold.resume.command === '' ? [] : [gold.resume.command]
  return {
    constraints: ofQuotes(gold.constraints.filter(({ status }) => status.startsWith('holds'))),
    'project rules': ofQuotes(gold.projectRules),
    decisions: ofQuotes(gold.decisions),
    'open problems': ofQuotes(gold.openProblems),
    'resume point': scoreOf(commands, isReadable, (command) => command),
    files: scoreOf(
      gold.files,
      ({ path }) => plain.includes(path) || plain.includes(path.split('/').at(-1) ?? path),
      ({ path }) => path,
    ),
  }
}

/** Without the differences between a text and a quote of it: white space and the signs of a diff. */
function oneLine(text: string): string {
  return text.replace(/^[+-]/gm, ' ').replace(/\s+/g, ' ').trim()
}
