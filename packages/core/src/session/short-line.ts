import { cleanLine } from './clean-text.ts'
import { cutHead, cutTail } from './cut-text.ts'

/** One clean line of about `length` characters: the middle of a longer one is cut out, with a mark that counts it. */
export function shortLine(text: string, length: number): string {
  const line = cleanLine(text)
  if (line.length <= length + leastCut) return line
  const most = Math.floor(length / 4)
  const head = cutHead(line, length - most)
  const tail = cutTail(line, most)
  return cleanLine(`${head} […${line.length - head.length - tail.length} chars] ${tail}`)
}

/** Fewer characters than that are not worth a mark, which takes more. */
const leastCut = 5
