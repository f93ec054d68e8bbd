// What a report or a history consists of, whatever form it is written in.

/** A text of a log, with its most characters where room is short. Other texts are the report's own. */
export type Cell = string | { readonly log: string; readonly most?: number }

/** A list or a table under a title; one without entries is left out. */
export interface Block {
  readonly title: string | readonly Cell[]
  /** Comes before the entries. */
  readonly about?: string
  /** Shown only on request. */
  readonly folded?: boolean
  /** Name of its looks. */
  readonly name?: string
  /** Titles of the columns of a table. */
  readonly head?: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
}

/** Writes blocks as Markdown in which no text of a log is more than text; of each at most so many entries. */
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

/** In a code span nothing is a link, a mention, an image or HTML; it also fits a cell of a table. */
function codeSpan(text: string, most = 120): string {
  const plain = text.replace(/\s+/g, ' ').replaceAll('`', "'").replaceAll('|', '¦').trim()
  const cut = plain.length > most ? `${plain.slice(0, most - 1)}…` : plain
  return cut === '' ? '' : `\`${cut}\``
}
