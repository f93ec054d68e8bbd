import type { ContextBundle } from '@tenfold/core'
import { cleanText } from '@tenfold/core/internal'
import { type History, historyOf, historyToMarkdown } from '@tenfold/measure'
import { decisionText, historyTitle, openText, partCells, partHead } from '@tenfold/measure/internal'
import { readPrices } from '../options/model-options.ts'
import { openStore } from '../store/open-store.ts'
import { type ExitCode, exitCodes } from '../terminal/exit-codes.ts'
import { failureOf } from '../terminal/failure.ts'
import { toSafeJson } from '../terminal/json-output.ts'
import { headedTable } from '../terminal/table.ts'
import { type CommandContext, inFile, type Screen } from '../terminal/terminal.ts'
import type { ReportFormat, ReportOptions } from './report-options.ts'
import { writeOutputs } from './write-report.ts'

/** Shows the weeks and projects of a store. Bundles that cannot be read are named, and the exit code is 1. */
export async function runHistory(
  names: readonly string[],
  since: Date,
  { store: place, format, output = [], prices }: ReportOptions,
  { terminal, signal }: CommandContext,
): Promise<ExitCode> {
  const store = await openStore(names[0] ?? place, terminal)
  const bundles: ContextBundle[] = []
  let failed = 0
  for (const { id } of await store.list({ since })) {
    signal.throwIfAborted()
    try {
      bundles.push(await store.load(id))
    } catch (error) {
      failed += 1
      terminal.fail(cleanText(failureOf(error).message))
    }
  }
  const history = historyOf(bundles, { since, prices: await readPrices(prices) })
  await writeOutputs(output, format, (each) => renderHistory(history, each, inFile))
  if (output.length === 0 || !terminal.quiet)
    terminal.write(await renderHistory(history, output.length > 0 ? 'text' : format, terminal))
  return failed > 0 ? exitCodes.failed : exitCodes.done
}

async function renderHistory(history: History, format: ReportFormat, screen: Screen): Promise<string> {
  switch (format) {
    case 'json':
      return `${toSafeJson(history, 2)}\n`
    case 'md':
      return historyToMarkdown(history)
    case 'html':
      return (await import('@tenfold/measure/html')).historyToHtml(history)
    default:
      return `${historyText(history, screen)}\n`
  }
}

const shown = 8

function historyText(history: History, screen: Screen): string {
  const { style } = screen
  const table = (name: string, parts: History['weeks']): string[] => {
    const columns = [name, ...partHead].map((title, at) => ({
      title: title.toUpperCase(),
      ...(at > 0 && at < 4 ? { align: 'right' as const } : { max: 60 }),
    }))
    const rows = parts.map((part) => [part.name, ...partCells(part)])
    return ['', ...headedTable(columns, rows, screen)]
  }
  const list = (title: string, items: readonly string[]): string[] =>
    items.length === 0
      ? []
      : [
          `  ${title}`,
          ...items.slice(0, shown).map((item) => `    ${item}`),
          ...(items.length > shown ? [style.dim(`    … and ${items.length - shown} more`)] : []),
        ]
  return [
    style.bold(historyTitle(history)),
    ...table('week of', history.weeks),
    ...table('project', history.projects),
    ...history.projects.flatMap(({ name, open, decisions }) =>
      open.length + decisions.length === 0
        ? []
        : [
            '',
            style.bold(name),
            ...list('open', open.map(openText)),
            ...list('decided', decisions.map(decisionText)),
          ],
    ),
  ].join('\n')
}
