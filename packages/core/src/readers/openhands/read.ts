import * as json from '../../session/json.ts'
import { known } from '../../session/known.ts'
import { chooseSession } from '../reader/choose-session.ts'
import type { LogRecord, SessionListing, SessionWriter } from '../reader/reader.ts'
import { isConversationState, isRow, isV1Event } from './shapes.ts'
import { createOpenHandsState, type OpenHandsState, readAccumulated, writeRest } from './state.ts'
import { readV0Event } from './v0.ts'
import { readConversationState, readV1Event } from './v1.ts'

export async function listRows(records: AsyncIterable<LogRecord>): Promise<readonly SessionListing[]> {
  const nameRow = createRowNames()
  const listings: SessionListing[] = []
  for await (const { value } of records)
    for (const row of Array.isArray(value) ? value : [value]) if (isRow(row)) listings.push(nameRow(row))
  return listings
}

export async function readOpenHands(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  const state = createOpenHandsState(out)
  const nameRow = createRowNames()
  const listings: SessionListing[] = []
  let last: { row: json.Fields; listing: SessionListing } | undefined
  for await (const { value } of records) {
    for (const item of Array.isArray(value) && value.length > 0 ? value.flat() : [value]) {
      if (!isRow(item)) {
        const event = json.fields(item)
        if (isConversationState(event)) readConversationState(state, event)
        else if (!isV1Event(event)) readV0Value(state, item)
        else if (!readV1Event(state, event)) state.other(event, json.text(event.kind))
        continue
      }
      const listing = nameRow(item)
      listings.push(listing)
      out.absorb('another session')
      if (out.sessionId === undefined) last = { row: item, listing }
      else if (listing.id === out.sessionId) readRow(out, item, listing)
    }
  }
  state.time = undefined
  writeRest(state)
  if (listings.length > 0 || out.sessionId !== undefined) chooseSession(listings, out)
  if (last !== undefined) readRow(out, last.row, last.listing)
}

function readV0Value(state: OpenHandsState, item: unknown): void {
  const { action, observation } = json.fields(item)
  if (json.object(item) === undefined || !readV0Event(state, json.fields(item)))
    state.other(item, json.text(action) ?? json.text(observation) ?? 'unknown')
}

/** Names rows by their task; further attempts get a number. */
function createRowNames(): (row: json.Fields) => SessionListing {
  const seen = new Map<string, number>()
  return ({ instance_id, issue }) => {
    const { number, repo, title } = json.fields(issue)
    const ofIssue = `${json.text(repo) ?? 'session'}${typeof number === 'number' ? `-${number}` : ''}`
    const name = json.text(instance_id) ?? ofIssue
    const times = (seen.get(name) ?? 0) + 1
    seen.set(name, times)
    return known<SessionListing>({ id: times === 1 ? name : `${name}~${times}`, title: json.text(title) })
  }
}

function readRow(out: SessionWriter, row: json.Fields, { id, title }: SessionListing): void {
  const state = createOpenHandsState(out)
  state.settingsModel = json.text(row.metadata, 'llm_config', 'model')
  out.meta({ id, title, models: [state.settingsModel] })
  const events = json.list(row.history).flat()
  if (!events.some((item) => json.fields(item).action === 'message')) state.ask(row.instruction)
  for (const item of events) readV0Value(state, item)
  Object.assign(state, { time: undefined, agent: 'main', parents: [] })
  readAccumulated(state, row.metrics)
  // Additions of the harness after the end: an error, the summary, the resulting patch.
  state.contextOnce('harness', 'error', row.error)
  state.contextOnce('harness', 'result', row.result_explanation)
  state.contextOnce('output', 'patch', json.text(row.test_result, 'git_patch') ?? json.text(row.git_patch))
  if (events.length === 0) out.absorb('session without events')
  writeRest(state)
}
