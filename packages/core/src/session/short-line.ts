import { cleanLine } from './clean-text.ts'
import { cutHead, cutTail } from './cut-text.ts'

/**
 * One clean line of about `length` characters: the middle of a longer one is cut out, with a mark that counts it. A
 * value that would leave almost nothing beside the mark stays whole instead.
 */
export function shortLine(text: string, length: number): string {
  const line = cleanLine(text)
  if (line.length <= length + leastCut) return line
  const most = Math.floor(length / 4)
  const head = headOf(line, length - most)
  const tail = cutTail(line.slice(head.length), most)
  const left = line.length - head.length - tail.length
  if (left <= leastCut) return line
  return cleanLine(`${head} […${left} chars] ${tail}`)
}

/** A mark takes about as many characters. */
const leastCut = 12

/** Longest value that may exceed the length of a line. */
const longestValue = 200

function headOf(line: string, length: number): string {
  const head = cutHead(line, length)
  if (head.length >= length / 2) return head
  const rest = line.slice(head.length)
  const value = /^\s*\S+/.exec(rest.slice(0, longestValue))?.[0] ?? ''
  return value.length < longestValue ? head + value : head
}
