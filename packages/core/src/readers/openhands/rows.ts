import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import type { SessionListing, SessionWriter } from '../reader/reader.ts'
import { createOpenHandsState, type OpenHandsState, write, writeContext } from './state.ts'
import { readAccumulated, writeRest } from './usage.ts'
import { readV0Event } from './v0.ts'

/** Names rows by their task; another attempt at a task gets a number. */
export function createRowNames(): (row: JsonObject) => SessionListing {
  const seen = new Map<string, number>()
  return (row) => {
    const issue = asObject(row.issue)
    const number = typeof issue?.number === 'number' ? `-${issue.number}` : ''
    const name = asText(row.instance_id) ?? `${asText(issue?.repo) ?? 'session'}${number}`
    const times = (seen.get(name) ?? 0) + 1
    seen.set(name, times)
    const title = asText(issue?.title)
    return { id: times === 1 ? name : `${name}~${times}`, ...(title !== undefined && { title }) }
  }
}

/** Reads the session of a row. */
export function readRow(out: SessionWriter, row: JsonObject, listing: SessionListing): void {
  const state = createOpenHandsState(out)
  const settings = asObject(asObject(row.metadata)?.llm_config)
  const model = asText(settings?.model)
  state.settingsModel = model
  out.meta({
    id: listing.id,
    title: listing.title,
    ...(model !== undefined && { models: [model] }),
  })
  const events = asList(row.history).flatMap((item) => (Array.isArray(item) ? item : [item]))
  const instruction = asText(row.instruction)
  if (instruction !== undefined && !events.some((item) => asObject(item)?.action === 'message'))
    write(state, { type: 'user', origin: 'typed', text: instruction })
  for (const item of events) readV0Value(state, item)
  state.time = undefined
  state.agents.length = 1
  readAccumulated(state, row.metrics)
  readEnd(state, row)
  writeRest(state)
}

/** Reads one item of a trajectory; keeps what is not known. */
export function readV0Value(state: OpenHandsState, item: unknown): void {
  const event = asObject(item)
  if (event !== undefined && readV0Event(state, event)) return
  const name = asText(event?.action) ?? asText(event?.observation) ?? 'unknown'
  write(state, { type: 'other', name, raw: item })
}

/** Reads what the harness adds after the end: an error, the summary, the resulting patch. */
function readEnd(state: OpenHandsState, row: JsonObject): void {
  writeContext(state, 'harness', 'error', asText(row.error))
  writeContext(state, 'harness', 'result', asText(row.result_explanation))
  const patch = asText(asObject(row.test_result)?.git_patch) ?? asText(row.git_patch)
  writeContext(state, 'output', 'patch', patch)
  if (asList(row.history).length === 0) state.out.absorb('session without events')
}
