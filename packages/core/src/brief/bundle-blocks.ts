import { formatTrailEntry } from '../bundle/markdown-trail.ts'
import type { ContextBundle } from '../bundle/schema.ts'
import { itemsAt } from '../bundle/section.ts'
import { decisions, files, findings, lineOf, resumeInstructions, summary } from '../bundle/sections.ts'
import { isWritten } from '../bundle/sorts.ts'
import { type Block, block } from './block.ts'
import { afterLastWords, type BriefPart, beforeLastWords, type SectionRule } from './brief-rules.ts'
import { inContext, isCutOff, lastAnswers, lastWords } from './last-words.ts'

/** Current knowledge about the files of a bundle: marks that follow the line of a path. */
export type FileMarks = ReadonlyMap<string, string>

/** A block of a bundle's brief, and its purpose. */
export interface BundleBlock extends Block {
  readonly part: BriefPart
}

/**
 * Returns the blocks of a bundle's brief in the order in which a smaller limit keeps them: state, steps and summary, the last words of
 * the user, the check, what binds, what is open, then the rest.
 */
export function bundleBlocks(bundle: ContextBundle, marks: FileMarks = new Map()): BundleBlock[] {
  const answers = lastAnswers(bundle).map((entry) => formatTrailEntry(entry).join('\n'))
  const blockOf = ({
    section,
    part = 'history',
    title = section.title,
    share = 0.1,
    ...rule
  }: SectionRule): BundleBlock => {
    const found = itemsAt(bundle, section.path).filter((item) => rule.only?.(item as never) ?? true)
    const items = section === summary ? [ownSummary(bundle)] : found
    const isReversed = rule.newestFirst === 'ranked' ? !isWritten(bundle) : rule.newestFirst
    const lines = (isReversed ? lastFirst(items) : items).map((item) => {
      const line = rule.line?.(item as never, bundle) ?? lineOf(section, item)
      if (section === resumeInstructions && answers.length > 0)
        return line.replace(/ ?\bLast answer: .*?(?= Last call: |$)/m, '')
      const mark = section === files ? marks.get((item as FileEntry).path) : undefined
      return mark === undefined ? line : line.replace(/$/m, mark)
    })
    const factor = isWritten(bundle) && toldByModel.has(section) ? 2.5 : 1
    return {
      part,
      ...block(title, share * factor, lines, rule.first),
      inOrder: rule.inOrder,
      kept: rule.kept,
    }
  }
  const state = bundle.state === undefined ? [] : [`- ${stateWords[bundle.state]}`]
  const words = lastWords(bundle.trail).map((entry) => formatTrailEntry(inContext(entry, bundle)).join('\n'))
  const isCut = isCutOff(bundle)
  const told = block(isCut ? 'Said since the last request' : 'Last answer', 0.4, answers, 100)
  const ordered: BundleBlock[] = [
    { part: 'guide', ...block('State', 0.05, state) },
    { part: 'guide', ...told, inOrder: true, newestLast: isCut },
    ...beforeLastWords.map(blockOf),
    { part: 'binding', ...block('Last words of the user', 0.9, words, 120) },
    ...afterLastWords.map(blockOf),
  ]
  const blocks = new Map<string, BundleBlock>()
  for (const next of ordered) {
    const before = blocks.get(next.title)
    blocks.set(
      next.title,
      before === undefined ? next : { ...before, lines: [...before.lines, ...next.lines] },
    )
  }
  return [...blocks.values()]
}

type FileEntry = ContextBundle['files'][number]

/** Reverses the items; those carried from one session keep their order. */
function lastFirst(items: readonly unknown[]): unknown[] {
  const from = (item: unknown) => (item as { readonly from?: string } | undefined)?.from ?? ''
  return from(items[0]) === ''
    ? items.toReversed()
    : items.toSorted((a, b) => (from(a) < from(b) ? 1 : from(a) > from(b) ? -1 : 0))
}

/** Sections in which a model is denser than the trail. */
const toldByModel: ReadonlySet<SectionRule['section']> = new Set([summary, findings, decisions])

/** Returns the summary without lines that quote the last words and answer, or later requests in the trail. */
function ownSummary(bundle: ContextBundle): string {
  const { summary, trail } = bundle
  const last = [...lastWords(trail), ...lastAnswers(bundle)]
  const isTold = (line: string): boolean => {
    const events = quotes.test(line) ? line.match(/\(e\d+\)/g) : null
    const shown = /^(?:Then|Last asked)/.test(line) ? trail : last
    return events?.every((event) => shown.some((entry) => `(${entry.event})` === event)) === true
  }
  return summary
    .split('\n')
    .filter((line) => !isTold(line))
    .join('\n')
}

const quotes = /^(?:Asked|Then|Last asked|Outcome|Last said)\b/

/** State of a session at the end of its log, for whoever continues it. */
export const stateWords: Readonly<Record<NonNullable<ContextBundle['state']>, string>> = {
  finished: 'finished: the last request was answered',
  waiting: 'waiting for the user',
  'in-progress': 'in progress: open work remains',
  interrupted: 'interrupted before the last request was answered',
  failed: 'failed: it ended with an error, or the agent gave up',
}
