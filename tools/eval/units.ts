import { stripVTControlCharacters } from 'node:util'
import type { Session, SessionEvent } from '@tenfold/core'
import { eventLines } from '@tenfold/measure/internal'

/** A piece of a rendered log: up to some 300 characters of one event. */
export interface Unit {
  readonly text: string
  readonly type: SessionEvent['type']
}

/**
 * Most characters of a tool's call or result in the units: whole files would fill any budget and weaken the baselines.
 */
const toolLength = 200

/** A session cut into units in order; long sessions get longer units, so that there are a few thousand at most. */
export function sessionUnits(session: Session): Unit[] {
  const texts = session.events.flatMap((event) => {
    const text = event.copied ? '' : stripVTControlCharacters(eventLines(event)).trim()
    if (text === '') return []
    const isTool = event.type === 'tool_call' || event.type === 'tool_result'
    return [{ text: isTool ? cut(text.replace(/\s+/g, ' '), toolLength) : text, type: event.type }]
  })
  const total = texts.reduce((sum, { text }) => sum + text.length, 0)
  const size = Math.max(300, Math.ceil(total / 2500))
  return texts.flatMap(({ text, type }) => blocks(text, size).map((block) => ({ text: block, type })))
}

function blocks(text: string, size: number): string[] {
  const found: string[] = []
  let block = ''
  for (const line of text.split('\n')) {
    if (block !== '' && block.length + line.length > size) {
      found.push(block)
      block = ''
    }
    let rest = line
    while (rest.length > size) {
      const start = cut(rest, size)
      found.push(start)
      rest = rest.slice(start.length)
    }
    block = block === '' ? rest : `${block}\n${rest}`
  }
  if (block !== '') found.push(block)
  return found
}

/** The start of a text, at most so long, cut between words if possible. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text
  const start = text.slice(0, length + 1)
  const space = start.search(/\s\S*$/)
  return space > 0 ? start.slice(0, space) : start.slice(0, length)
}
