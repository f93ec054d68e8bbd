/** A Markdown table whose columns line up in a terminal. Cells must be Markdown: see {@link codeSpan}. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, at) =>
    Math.max(3, title.length, ...rows.map((row) => row[at]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, at) => (cells[at] ?? '').padEnd(width)).join(' | ')} |`.trimEnd()
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows.map(line)].join(
    '\n',
  )
}

/**
 * A text of a log as Markdown: in a code span nothing is a link, a mention, an image or HTML. Also fits a cell of a
 * table.
 */
export function codeSpan(text: string, most = 120): string {
  const plain = text.replace(/\s+/g, ' ').replaceAll('`', "'").replaceAll('|', '¦').trim()
  const cut = plain.length > most ? `${plain.slice(0, most - 1)}…` : plain
  return cut === '' ? '' : `\`${cut}\``
}
