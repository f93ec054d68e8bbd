import { codeSpan, markdownTable } from '../report/markdown-table.ts'
import type { History } from './history.ts'
import { decisionText, historyTitle, openText, partCells, partHead } from './history-figures.ts'

/** Most entries of each list; a longer one says how many more there are. */
const mostEntries = 30

/** The history as Markdown; no text of a log is more than text. */
export function historyToMarkdown(history: History): string {
  const { weeks, projects } = history
  const table = (name: string, parts: History['weeks']) =>
    markdownTable(
      [name, ...partHead],
      parts.map((part) => [codeSpan(part.name, 60), ...partCells(part)]),
    )
  const list = (title: string, items: readonly string[]) =>
    items.length === 0 ? [] : [`### ${title}`, listed(items)]
  return `${[
    `# ${historyTitle(history)}`,
    '## Weeks',
    table('week of', weeks),
    '## Projects',
    table('project', projects),
    ...projects.flatMap(({ name, decisions, open }) =>
      decisions.length + open.length === 0
        ? []
        : [
            `## ${codeSpan(name, 60)}`,
            ...list('Open', open.map(openText)),
            ...list('Decided', decisions.map(decisionText)),
          ],
    ),
  ].join('\n\n')}\n`
}

function listed(items: readonly string[]): string {
  const left = items.length - mostEntries
  return [
    ...items.slice(0, mostEntries).map((item) => `- ${codeSpan(item, 300)}`),
    ...(left > 0 ? [`- … and ${left} more`] : []),
  ].join('\n')
}
