import { cutHead } from '../session/cut-text.ts'
import { shortLine } from '../session/short-line.ts'
import { decision as decisionForm } from './item-forms.ts'
import { formatItem } from './markdown-items.ts'
import type { ContextBundle } from './schema.ts'

// The sorts of items that a list of a bundle has, the shorter forms of items that do not all fit, and lines of a brief.

type File = ContextBundle['files'][number]
type BundleError = ContextBundle['errors'][number]
type Decision = ContextBundle['decisions'][number]

// Scratch folders of Linux, macOS and Windows: their content is gone by the next session.
export const isScratch = ({ path }: File) =>
  /^(?:\/private)?\/(?:tmp|var\/folders)\/|\/AppData\/Local\/Temp\//.test(path)
export const isTouched = ({ status }: File) => status !== 'read' && status !== 'named'
export const withoutReason = ({ reason, sections, defines, ...file }: File) => file
export const ofUser = ({ by }: Decision) => by === 'user'
export const ofAgent = ({ by }: Decision) => by === 'agent'
export const isOpen = (error: BundleError) => error.resolution === undefined
export const shortError = (error: BundleError) => ({
  ...error,
  message: shortLine(error.message, isOpen(error) ? 110 : 90),
})
// What was chosen stays whole before when and why: the events say that too.
export const shortDecision = ({ topic, choice, rationale, at: _, ...decision }: Decision) => ({
  ...decision,
  ...(topic === undefined ? {} : { topic: shortLine(topic, 100) }),
  choice: shortLine(choice, 200),
  ...(rationale === undefined || choice.length + rationale.length > 240 ? {} : { rationale }),
  alternatives: [],
})

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

/** The events of a decision say when it was made. */
export function untimedDecision({ at: _, ...decision }: ContextBundle['decisions'][number]): string {
  return formatItem(decisionForm.write(decision))
}

/** Returns the line of the last check for a brief. */
export function validationLine({
  status,
  result,
  command,
  evidence,
}: NonNullable<ContextBundle['validation']>): string {
  const was = result === undefined ? '' : ` (was ${result}; the work changed since)`
  return `- ${status}${was}${command === undefined ? '' : `: ${command}`}${evidence.length === 0 ? '' : ` [${evidence.join(' ')}]`}`
}
