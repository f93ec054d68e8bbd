import { stripEscapes } from '../../session/clean-text.ts'
import type { EventId, SessionEvent } from '../../session/event.ts'
import { isHarnessText } from '../../session/harness-text.ts'
import type { Steps } from '../../session/pauses.ts'
import type { Identifier, IdentifierKind } from '../facts.ts'
import { classifyIdentifier, scanIdentifiers } from './find-identifiers.ts'

const maxIdentifiers = 200_000

/**
 * Builds the index of the identifiers in all event text except copied history and text of the harness, in order of
 * first appearance. Keeps at most the first 200,000.
 */
export function* identifierSteps(events: readonly SessionEvent[]): Steps<ReadonlyMap<string, Identifier>> {
  const index = new Map<
    string,
    { kind: IdentifierKind; text: string; count: number; own: number; first: EventId; last: EventId }
  >()
  let event: EventId = 'e1'
  let own = 0
  const visit = (text: string) => {
    const known = index.get(text)
    if (known !== undefined) {
      known.count += 1
      known.own += own
      known.last = event
      return
    }
    if (index.size >= maxIdentifiers) return
    const kind = classifyIdentifier(text)
    if (kind !== undefined) index.set(text, { kind, text, count: 1, own, first: event, last: event })
  }
  for (const item of events) {
    if (item.copied === true || isHarnessText(item)) continue
    event = item.id
    own = item.type === 'tool_call' || item.type === 'user' || item.type === 'assistant' ? 1 : 0
    if (item.type === 'tool_call') {
      visit(item.name)
      scanValue(item.input, visit)
    } else if ('text' in item) scanIdentifiers(plainText(item.text), visit)
    yield
  }
  return index
}

/** Removes a terminal's color codes, which would become part of adjacent names. */
function plainText(text: string): string {
  return text.includes('\u001b') ? stripEscapes(text) : text
}

/** Visits all texts in a JSON value, at any depth, without recursion, including keys, which name options. */
function scanValue(value: unknown, visit: (token: string) => void): void {
  const open: unknown[] = [value]
  while (open.length > 0) {
    const item = open.pop()
    if (typeof item === 'string') scanIdentifiers(item, visit)
    else if (Array.isArray(item)) for (let at = item.length - 1; at >= 0; at -= 1) open.push(item[at])
    else if (typeof item === 'object' && item !== null) {
      for (const [key, inner] of Object.entries(item).reverse()) {
        open.push(inner)
        open.push(key)
      }
    }
  }
}
