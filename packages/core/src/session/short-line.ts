import { cleanLine } from './clean-text.ts'
import { cutHead, cutTail } from './cut-text.ts'

/**
 * Returns one clean line of about `length` characters. The middle of a longer one is replaced by a mark with the number
 * of characters removed, unless that would leave too little of a value.
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

/** Approximate characters of the mark. */
const leastCut = 12

/** Maximum characters of a value that may exceed the length of a line. */
const longestValue = 200

function headOf(line: string, length: number): string {
  const head = cutHead(line, length)
  if (head.length >= length / 2) return head
  const rest = line.slice(head.length)
  const value = /^\s*\S+/.exec(rest.slice(0, longestValue))?.[0] ?? ''
  return value.length < longestValue ? head + value : head
}
