/** A fenced block of a Markdown text. */
export interface FencedBlock {
  /** The word behind the opening fence, in lower case; empty if there is none. */
  readonly language: string
  readonly code: string
  /** The nearest line of prose above it, and the heading that it stands under. */
  readonly lead: string
  readonly heading: string
}

/** A Markdown text taken apart: lines of prose without headings, quotes and tables, and fenced blocks. */
export interface MarkdownParts {
  readonly prose: readonly string[]
  readonly blocks: readonly FencedBlock[]
}

/** Splits a Markdown text in one pass. A fence that is never closed reaches to the end. */
export function markdownParts(text: string): MarkdownParts {
  const prose: string[] = []
  const blocks: FencedBlock[] = []
  let lead = ''
  let heading = ''
  let open: { fence: string; language: string; code: string[] } | undefined
  const close = () => {
    if (open !== undefined)
      blocks.push({ language: open.language, code: open.code.join('\n'), lead, heading })
    open = undefined
  }
  for (const line of text.split('\n')) {
    const trimmed = line.trim()
    const [, fence = '', language = ''] = /^(`{3,}|~{3,})\s*([\w+.-]*)/.exec(trimmed) ?? []
    if (open !== undefined) {
      if (fence !== '' && fence.startsWith(open.fence) && language === '') close()
      else open.code.push(line)
    } else if (fence !== '') open = { fence, language: language.toLowerCase(), code: [] }
    else if (/^#{1,6}\s/.test(trimmed)) heading = trimmed.replace(/^#+\s+/, '')
    else if (trimmed !== '' && !/^[>|]/.test(trimmed)) {
      prose.push(line)
      lead = trimmed
    }
  }
  close()
  return { prose, blocks }
}
