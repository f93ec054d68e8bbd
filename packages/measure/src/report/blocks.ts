// The content of a report or a history, independent of the format.

/** A text from a log, with its maximum length if room is short. A plain string is the report's own text. */
export type Cell = string | { readonly log: string; readonly most?: number }

/** A list or a table under a title. Left out if it has no entries. */
export interface Block {
  readonly title: string | readonly Cell[]
  /** Text before the entries. */
  readonly about?: string
  /** Shown only on request. */
  readonly folded?: boolean
  /** Style of the block. */
  readonly name?: string
  /** Column titles, for a table. */
  readonly head?: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
}

/** Renders blocks as Markdown in which text from logs has no effect, with at most `most` entries each. */
export function blocksToMarkdown(blocks: readonly Block[], most: number): string[] {
  return blocks.flatMap(({ title, about, folded, head, rows }) => {
    const shown = rows.slice(0, most).map((row) => row.map(cellText))
    const more = rows.length > most && head === undefined ? [`- … and ${rows.length - most} more`] : []
    const entries =
      head === undefined
        ? [...shown.map((row) => `- ${row.join(' ')}`), ...more].join('\n')
        : markdownTable(head, shown)
    const body = [about, rows.length > 0 ? entries : ''].filter(Boolean).join('\n\n')
    const name = typeof title === 'string' ? title : title.map(cellText).join('')
    if (body === '') return []
    return [folded ? `<details><summary>${name}</summary>\n\n${body}\n\n</details>` : `## ${name}\n\n${body}`]
  })
}

function cellText(cell: Cell): string {
  return typeof cell === 'string' ? cell : codeSpan(cell.log, cell.most)
}

/** A Markdown table whose columns line up in a terminal. Cells must be Markdown. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, at) =>
    Math.max(3, title.length, ...rows.map((row) => row[at]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, at) => (cells[at] ?? '').padEnd(width)).join(' | ')} |`.trimEnd()
  const rule = widths.map((width) => '-'.repeat(width))
  return [head, rule, ...rows].map(line).join('\n')
}

/** A code span, in which text cannot be a link, a mention, an image or HTML, and which fits a table cell. */
function codeSpan(text: string, most = 120): string {
  const plain = text.replace(/\s+/g, ' ').replaceAll('`', "'").replaceAll('|', '¦').trim()
  const cut = plain.length > most ? `${plain.slice(0, most - 1)}…` : plain
  return cut === '' ? '' : `\`${cut}\``
}
