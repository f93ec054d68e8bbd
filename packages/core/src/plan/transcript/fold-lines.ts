import { cutHead, cutTail } from '../../session/cut-text.ts'
import { decisiveness, isPassed } from '../decisive-lines.ts'

/** Shorter runs of similar lines are kept whole. */
const minRun = 8
const shownOfRun = 3

/** Longer lines are data: minified code, JSON in one line, base64. */
const longLine = 600
const lineHead = 240
const lineTail = 80

/**
 * Shortens repetitive output. Of a run of similar lines (a listing, passed tests, a download, log entries), the first
 * ones, those about failures, and the last one stay; a very long line keeps its beginning and end. `omitted` makes the
 * mark for omitted text. Linear time.
 */
export function foldLines(output: string, omitted: (text: string) => string): string {
  const lines = output.split('\n').map((line) => cutLine(line, omitted))
  const kept: string[] = []
  for (let start = 0; start < lines.length; ) {
    const shape = shapeOf(lines[start] as string)
    let end = start + 1
    while (end < lines.length && shapeOf(lines[end] as string) === shape) end++
    if (shape === '' || end - start < minRun) kept.push(...lines.slice(start, end))
    else kept.push(...foldRun(lines.slice(start, end), omitted))
    start = end
  }
  return kept.join('\n')
}

function foldRun(run: readonly string[], omitted: (text: string) => string): string[] {
  const kept: string[] = []
  let gap: string[] = []
  const close = () => {
    if (gap.length > 0) kept.push(omitted(gap.join('\n')))
    gap = []
  }
  run.forEach((line, index) => {
    if (index >= shownOfRun && index < run.length - 1 && decisiveness(line) === 0) gap.push(line)
    else {
      close()
      kept.push(line)
    }
  })
  return kept
}

const progress = /^\s*(?:=== (?:RUN|PAUSE|CONT|NAME)\b|\.{4,})|\bPASSED\b/

/** Returns what similar lines have in common: their punctuation, with a letter for each word. Empty for prose. */
function shapeOf(line: string): string {
  const text = line.slice(0, 200).trim()
  if (text === '') return ''
  if (isPassed(text) || progress.test(text)) return 'passed'
  const shape = text.replace(/[\p{L}\p{N}_./\\:@%+-]+/gu, 'w').replace(/\s+/g, ' ')
  // One to twelve words; longer lines are sentences.
  return /^[^\w\s]{0,8} ?(?:w[^\w\s]{0,4} ?){1,12}$/.test(shape) ? shape : ''
}

function cutLine(line: string, omitted: (text: string) => string): string {
  if (line.length <= longLine || isProse(line)) return line
  const head = cutHead(line, lineHead)
  const tail = cutTail(line, lineTail)
  return `${head} ${omitted(line.slice(head.length, line.length - tail.length))} ${tail}`
}

/** Whether a long line is a paragraph: it has spaces between words of ordinary length, and little punctuation of data. */
function isProse(line: string): boolean {
  const start = line.slice(0, 4000)
  const spaces = start.split(' ').length - 1
  const signs = start.length - start.replace(/["{}[\]\\<>=;]/g, '').length
  return spaces * 12 > start.length && signs * 25 < start.length
}
