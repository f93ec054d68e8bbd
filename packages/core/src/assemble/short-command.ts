import { cutHead } from '../session/cut-text.ts'
import { shortLine } from '../session/short-line.ts'

/** The parts of a command that only shorten its output. */
const outputFilter = /(?:\s+2>&1)?(?:\s*\|\s*(?:tail|head)(?:\s+-{0,2}[\w=+]+){0,2})*$/

/** Number of characters at the end in which it is searched. */
const reach = 80

const maxLength = 140

/**
 * Returns a command without parts that only shorten its output; whole if it is not a script. Of a long text given to
 * it, the beginning is kept.
 */
export function shortCommand(command: string): string {
  const end = command.slice(-reach).replace(outputFilter, '')
  const own = `${command.slice(0, -reach)}${end}` || command
  if (own.length <= maxLength || !/<<-?\s*['"]?\w/.test(own)) return shortLine(own, maxLength)
  const head = cutHead(own, maxLength)
  return `${head} […${own.length - head.length} chars]`
}
