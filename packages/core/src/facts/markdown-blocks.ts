/** A line of prose of a Markdown text. */
export interface ProseLine {
  readonly text: string
  /** The nearest heading above it, or line above it that ends in a colon. */
  readonly under: string
}

/** A fenced block of a Markdown text. */
export interface FencedBlock {
  /** The word after the opening fence, in lower case; empty if there is none. */
  readonly language: string
  readonly code: string
  /** The nearest line of prose above it, with its own `under`. */
  readonly lead: ProseLine
}

/** The parts of a Markdown text: lines of prose without headings, quotes and tables, and fenced blocks. */
export interface MarkdownParts {
  readonly prose: readonly ProseLine[]
  readonly blocks: readonly FencedBlock[]
}

/** Splits a Markdown text in one pass by lines. A fence that is never closed reaches to the end. */
export function markdownParts(text: string): MarkdownParts {
  const prose: ProseLine[] = []
  const blocks: FencedBlock[] = []
  let under = ''
  let lead: ProseLine = { text: '', under }
  let open: { fence: string; language: string; code: string[] } | undefined
  const close = () => {
    if (open !== undefined) blocks.push({ language: open.language, code: open.code.join('\n'), lead })
    open = undefined
  }
  for (const line of text.split('\n')) {
    const trimmed = line.trim()
    const [, fence = '', language = ''] = /^(`{3,}|~{3,})\s*([\w+.-]*)/.exec(trimmed) ?? []
    const heading = /^#{1,6}\s+(.*)/.exec(trimmed)?.[1] ?? /^\*\*([^*]{2,80})\*\*:?$/.exec(trimmed)?.[1]
    if (open !== undefined) {
      if (fence !== '' && fence.startsWith(open.fence) && language === '') close()
      else open.code.push(line)
    } else if (fence !== '') open = { fence, language: language.toLowerCase(), code: [] }
    else if (heading !== undefined && !/[?？]$/.test(heading)) {
      under = heading
      lead = { text: '', under }
    } else if (trimmed !== '' && !/^[>|]/.test(trimmed)) {
      lead = { text: line, under }
      prose.push(lead)
      if (/[:：]$/.test(trimmed) && trimmed.length < 120) under = trimmed
    }
  }
  close()
  return { prose, blocks }
}
