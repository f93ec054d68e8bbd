import type { EventDraft } from '../../session/event.ts'
import { asList, asObject, type JsonObject } from '../../session/json-values.ts'
import { eventFromJson } from '../tenfold/event.ts'

const userOrigins = new Set<unknown>(['typed', 'queued', 'command'])

/** The fields that Tenfold's own export adds to a step's `extra`; `undefined` in other exports. */
export function ownFields(step: JsonObject): JsonObject | undefined {
  const extra = asObject(step.extra)
  const events = asList(extra?.events)
  return events.length > 0 && events.every((id) => /^e\d+$/.test(String(id))) ? extra : undefined
}

/** The event that a step of the user or the system was; `undefined` if the step holds only results. */
export function ownEvent(step: JsonObject, own: JsonObject, text: string): EventDraft | undefined {
  const { event, origin, name, images, trigger, tokens_before: tokensBefore, turns, raw } = own
  const said = step.source === 'user' && userOrigins.has(origin) ? 'user' : 'context'
  const type = typeof event === 'string' ? event : said
  return eventFromJson({ type, text, origin, name, images, trigger, tokensBefore, turns, raw })
}
