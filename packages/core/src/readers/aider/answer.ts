import type { AiderRun } from './status.ts'

/** Writes the model's text; its SEARCH/REPLACE blocks become calls, which aider answers further down. */
export function readAnswer(run: AiderRun): void {
  const { conversation, answer } = run
  run.inEdit = false
  run.inFence = false
  if (answer.lines.length === 0) return
  const lines = answer.lines.splice(0)
  let from = 0
  for (const edit of findEdits(lines)) {
    writeLines(run, lines, from, edit.start)
    conversation.at = { file: answer.at.file, line: answer.at.line + edit.start }
    readEdit(run, edit)
    from = edit.end + 1
  }
  writeLines(run, lines, from, lines.length)
}

function writeLines(run: AiderRun, lines: readonly string[], from: number, to: number): void {
  const { conversation, answer } = run
  let first = from
  while (first < to && lines[first]?.trim() === '') first++
  if (first >= to) return
  conversation.at = { file: answer.at.file, line: answer.at.line + first }
  conversation.say(lines.slice(first, to).join('\n').trim())
}

function readEdit(run: AiderRun, { path, before, after }: EditBlock): void {
  const input = { path, old_string: before, new_string: after }
  const call = run.conversation.call({ name: 'search_replace', input, kind: 'edit' })
  const action = before.trim() === '' ? 'created' : 'modified'
  const change = { path, action, added: linesIn(after), removed: linesIn(before) } as const
  run.pending.push({ call, change })
}

function linesIn(text: string): number {
  return text === '' ? 0 : text.split('\n').length
}

/** A SEARCH/REPLACE block, from the line of its path or fence to its last line. */
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
function findEdits(lines: readonly string[]): EditBlock[] {
  const edits: EditBlock[] = []
  for (let index = 0; index < lines.length; index++) {
    if (!/^<{5,9} SEARCH/.test(lines[index] ?? '')) continue
    const middle = findLine(lines, index, /^={5,9}\s*$/)
    const last = findLine(lines, middle, /^>{5,9} REPLACE/)
    if (middle === -1 || last === -1) break
    const found = pathBefore(lines, index)
    const previous = edits.at(-1)
    const path = found?.path ?? previous?.path
    if (path !== undefined) {
      const closes = fence.test(lines[last + 1] ?? '') ? last + 1 : last
      edits.push({
        start: Math.max(found?.start ?? index, (previous?.end ?? -1) + 1),
        end: closes,
        path,
        before: lines.slice(index + 1, middle).join('\n'),
        after: lines.slice(middle + 1, last).join('\n'),
      })
    }
    index = last
  }
  return edits
}

function findLine(lines: readonly string[], from: number, mark: RegExp): number {
  if (from === -1) return -1
  for (let index = from + 1; index < lines.length; index++) if (mark.test(lines[index] ?? '')) return index
  return -1
}

/** The path in one of the three lines before a block, without the marks that models put around it. */
function pathBefore(
  lines: readonly string[],
  block: number,
): { readonly path: string; readonly start: number } | undefined {
  let start = block
  for (let index = block - 1; index >= Math.max(0, block - 3); index--) {
    const line = lines[index] ?? ''
    if (/^>{5,9} REPLACE/.test(line)) return undefined
    if (fence.test(line)) start = index
    else {
      const path =
        line.length > 300
          ? ''
          : line
              .trim()
              .replace(/^[#*` ]+/, '')
              .replace(/[*`: ]+$/, '')
      const isPath = path !== '' && (/[./\\]/.test(path) ? !/\s{2}|[.:] \S/.test(path) : !/\s/.test(path))
      return isPath ? { path, start: Math.min(start, index) } : undefined
    }
  }
  return undefined
}
