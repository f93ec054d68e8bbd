import { cutHead, cutTail } from '../session/cut-text.ts'

/** Maximum length of one text: ranking its lines takes time, and most could never be shown. */
const longest = 60_000

/** Minimum share of a half that a cut at a line break leaves. */
const nearby = 0.8

/**
 * Cuts the middle out of a very long text, between lines if their breaks are near, never inside a name or a number.
 * `omitted` makes the mark for what was left out.
 */
export function cutMiddle(text: string, omitted: (text: string) => string): string {
  if (text.length <= longest) return text
  const half = longest / 2
  const lineEnd = text.lastIndexOf('\n', half)
  const head = lineEnd > half * nearby ? text.slice(0, lineEnd) : cutHead(text, half)
  const lineStart = text.indexOf('\n', text.length - half) + 1
  const hasLine = lineStart > 0 && text.length - lineStart > half * nearby
  const tail = hasLine ? text.slice(lineStart) : cutTail(text, half)
  return `${head}\n${omitted(text.slice(head.length, text.length - tail.length))}\n${tail}`
}
