import { cutHead } from '../session/cut-text.ts'
import { checkHint, rerunHint } from './session-summary.ts'

/** The parts of a resume point: the task, what was asked for or made since, what the agent did last. */
export const pointParts = (action: string): string[] => action.split(/ (?=(?:Asked for|Since then|Last): )/)

/** A resume point in a short line: the task, or what it waits for, and the call that has no result. */
export function pointLine(action: string): string {
  const [task = ''] = pointParts(action.replace(/^Delivered: .*?(?=Waits for )/s, ''))
  const at = Math.max(action.lastIndexOf(rerunHint), action.lastIndexOf(checkHint))
  return at < 0 ? shortened(task, 160) : `${shortened(task, 70)} ${shortened(action.slice(at), 90)}`
}

const shortened = (text: string, most: number): string =>
  text.length <= most ? text : `${cutHead(text, most - 2)} …`
