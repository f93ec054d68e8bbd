import { cutHead } from '../session/cut-text.ts'
import { shortLine } from '../session/short-line.ts'

/** What only shortens the output of a command. */
const outputFilter = /(?:\s+2>&1)?(?:\s*\|\s*(?:tail|head)(?:\s+-{0,2}[\w=+]+){0,2})*$/

/** Characters at the end that are searched for it. */
const reach = 80

const maxLength = 140

/**
 * A command without what only shortens its output; whole if it is not a script. Of a long text that is given to it, the
 * beginning says what it is about.
 */
export function shortCommand(command: string): string {
  const end = command.slice(-reach).replace(outputFilter, '')
  const own = `${command.slice(0, -reach)}${end}` || command
  if (own.length <= maxLength || !/<<-?\s*['"]?\w/.test(own)) return shortLine(own, maxLength)
  const head = cutHead(own, maxLength)
  return `${head} […${own.length - head.length} chars]`
}
