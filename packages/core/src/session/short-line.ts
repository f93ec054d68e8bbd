import { cleanLine } from './clean-text.ts'
import { cutHead, cutTail } from './cut-text.ts'

/** One clean line of at most `length` characters, with a mark in its middle for what was cut. */
export function shortLine(text: string, length: number): string {
  const line = cleanLine(text)
  if (line.length <= length) return line
  const tail = Math.floor(length / 4)
  return cleanLine(`${cutHead(line, length - tail)} […${line.length - length} chars] ${cutTail(line, tail)}`)
}
