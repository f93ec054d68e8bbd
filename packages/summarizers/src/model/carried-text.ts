import type { ShownItem } from '@tenfold/core/summarizer'
import { quoted } from './transcript.ts'

const sorts: Readonly<Record<ShownItem['as'], string>> = {
  constraint: 'demand of the user',
  rule: 'project rule',
  step: 'open step',
  decision: 'decision',
}

/** What earlier sessions left as a model reads it, a line for each item. All lines are quoted. */
export function carriedText(carried: readonly ShownItem[]): string {
  return carried
    .map(({ id, as, text }) => quoted(`${id} ${sorts[as]}: ${text.replace(/\s+/g, ' ')}`))
    .join('\n')
}
