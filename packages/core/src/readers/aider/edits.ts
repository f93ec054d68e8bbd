interface EditBlock {
  readonly start: number
  readonly end: number
  readonly path: string
  readonly before: string
  readonly after: string
}

const fence = /^(?:`{3,}|~{3,}|<source>|<code>|<pre>)/

/**
 * The blocks in the lines of an answer that have a path: in the line above the fence or, in aider's `diff-fenced`
 * format, below it. Several blocks in one fence share its path.
 */
export function findEdits(lines: readonly string[]): EditBlock[] {
  const edits: EditBlock[] = []
  const find = (from: number, mark: RegExp): number => {
    for (let index = from + 1; index < lines.length; index++) if (mark.test(lines[index] ?? '')) return index
    return -1
  }
  for (let index = find(-1, /^<{5,9} SEARCH/); index !== -1; ) {
    const middle = find(index, /^={5,9}\s*$/)
    const last = middle === -1 ? -1 : find(middle, /^>{5,9} REPLACE/)
    if (last === -1) break
    const found = pathBefore(lines, index)
    const previous = edits.at(-1)
    const path = found?.path ?? previous?.path
    if (path !== undefined)
      edits.push({
        start: Math.max(found?.start ?? index, (previous?.end ?? -1) + 1),
        end: fence.test(lines[last + 1] ?? '') ? last + 1 : last,
        path,
        before: lines.slice(index + 1, middle).join('\n'),
        after: lines.slice(middle + 1, last).join('\n'),
      })
    index = find(last, /^<{5,9} SEARCH/)
  }
  return edits
}

/** The path in one of the three lines before a block, without the marks that models put around it. */
function pathBefore(lines: readonly string[], block: number) {
  let start = block
  for (let index = block - 1; index >= Math.max(0, block - 3); index--) {
    const line = lines[index] ?? ''
    if (/^>{5,9} REPLACE/.test(line)) return undefined
    if (fence.test(line)) start = index
    else {
      const path = line
        .trim()
        .replace(/^[#*` ]+/, '')
        .replace(/[*`: ]+$/, '')
      const isPath = /[./\\]/.test(path) ? !/\s{2}|[.:] \S/.test(path) : !/^$|\s/.test(path)
      return isPath && line.length <= 300 ? { path, start: Math.min(start, index) } : undefined
    }
  }
  return undefined
}
