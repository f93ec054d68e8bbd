import { lastFirst } from '../bundle/carried-section.ts'
import { isWritten } from '../bundle/is-written.ts'
import { formatTrailEntry } from '../bundle/markdown-trail.ts'
import { formatUsage } from '../bundle/markdown-usage.ts'
import type { ContextBundle } from '../bundle/schema.ts'
import { type BriefPart, itemsAt } from '../bundle/section.ts'
import { lineOf, sectionEntries } from '../bundle/sections.ts'
import { unaskedQuestions, withoutAsked } from './asked-once.ts'
import { type Block, block } from './block.ts'
import { lastWords } from './last-words.ts'
import { wordsOf } from './quoted-texts.ts'

/** Current knowledge about the files of a bundle: marks that follow the line of a path. */
export type FileMarks = ReadonlyMap<string, string>

/** A block of a bundle's brief, and its purpose. */
export interface BundleBlock extends Block {
  readonly part: BriefPart
}

/**
 * Returns the blocks of a bundle's brief in the order in which a smaller limit keeps them: state, steps and summary, the last words of
 * the user, the check, what binds, what is open, then the rest. `point` is where to continue, if another block says it.
 */
export function bundleBlocks(
  bundle: ContextBundle,
  marks: FileMarks = new Map(),
  point?: string,
): BundleBlock[] {
  const steps = [...(point === undefined ? [] : [point]), ...bundle.nextSteps.map(({ action }) => action)]
  const unasked = { ...bundle, openQuestions: unaskedQuestions(bundle, steps) }
  const ranked: (BundleBlock & { readonly rank: number })[] = [
    {
      rank: 0,
      part: 'guide',
      ...block('State', 0.05, bundle.state === undefined ? [] : [`- ${stateWords[bundle.state]}`]),
    },
    {
      rank: 20,
      part: 'binding',
      ...block(
        'Last words of the user',
        0.9,
        lastWords(bundle.trail).map((entry) => formatTrailEntry(entry).join('\n')),
        250,
      ),
    },
    { rank: 200, part: 'history', ...block('Usage', 0.02, usageLines(bundle), 0) },
    ...sectionEntries.flatMap(([key, section]) =>
      section.brief.map(
        ({
          rank,
          part = 'history',
          title = section.title,
          share,
          first,
          only,
          newestFirst,
          ranked,
          line,
        }) => {
          const found = itemsAt(unasked, section.path).filter((item) => only?.(item as never) ?? true)
          const items = key === 'summary' ? [withoutAsked(ownSummary(bundle), bundle, steps)] : found
          const reversed = newestFirst && !(ranked && isWritten(bundle))
          const lines = (reversed ? lastFirst(items) : items).map((item) => {
            const mark =
              key === 'files' ? marks.get((item as ContextBundle['files'][number]).path) : undefined
            return `${line?.(item as never) ?? lineOf(section, item)}${mark ?? ''}`
          })
          return { rank, part, ...block(title, share, lines, first) }
        },
      ),
    ),
  ]
  const blocks = new Map<string, BundleBlock>()
  const said = new Set<string>()
  for (const { rank: _, ...next } of ranked.sort((a, b) => a.rank - b.rank)) {
    const before = blocks.get(next.title)
    // A next step is often a remaining task too.
    const lines = next.lines.filter((line) => !said.has(line))
    for (const line of lines) said.add(line)
    blocks.set(
      next.title,
      before === undefined ? { ...next, lines } : { ...before, lines: [...before.lines, ...lines] },
    )
  }
  return [...blocks.values()]
}

function usageLines({ usage }: ContextBundle): string[] {
  const total = formatUsage(usage.total)
  return total === '' ? [] : [`- tokens: ${total}`]
}

/** The summary without the lines that list what the user said, except for the first: the trail says that in full. */
function ownSummary({ summary, trail }: ContextBundle): string {
  const spoken = wordsOf(
    trail
      .filter(({ label, agent }) => agent === 'main' && (label === 'user' || label === 'plan'))
      .map(({ text }) => text)
      .join(' '),
  )
  const runs = new Set(runsOf(spoken))
  return summary
    .split('\n')
    .filter((line, index) => {
      const own = runsOf(wordsOf(line))
      return index === 0 || own.filter((run) => runs.has(run)).length < own.length * quotedShare
    })
    .join('\n')
}

/** A line that lists words of the user has event ids and marks between them. */
const quotedShare = 0.6

/** Each two words of a text that follow each other. */
function runsOf(words: readonly string[]): string[] {
  return words.slice(1).map((word, at) => `${words[at]} ${word}`)
}

/** The state of a session at the end of its log, for a person or an agent that continues it. */
export const stateWords: Readonly<Record<NonNullable<ContextBundle['state']>, string>> = {
  finished: 'finished: the last request was answered',
  waiting: 'waiting for the user',
  'in-progress': 'in progress: open work remains',
  interrupted: 'interrupted before the last request was answered',
  failed: 'failed: it ended with an error, or the agent gave up',
}
