import { asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { chooseSession } from '../reader/choose-session.ts'
import type { LogRecord, SessionListing, SessionWriter } from '../reader/reader.ts'
import { isConversationState, isRow, isV1Event } from './detect.ts'
import { createRowNames, readRow, readV0Value } from './rows.ts'
import { createOpenHandsState, type OpenHandsState, write } from './state.ts'
import { writeRest } from './usage.ts'
import { readConversationState, readV1Event } from './v1.ts'

/** The rows of `output.jsonl`, which are sessions. */
export async function listRows(records: AsyncIterable<LogRecord>): Promise<readonly SessionListing[]> {
  const nameRow = createRowNames()
  const listings: SessionListing[] = []
  for await (const { value } of records)
    for (const row of Array.isArray(value) ? value : [value]) if (isRow(row)) listings.push(nameRow(row))
  return listings
}

/** Reads one of the rows, which are separate sessions; all other records belong to one session. */
export async function readOpenHands(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  const state = createOpenHandsState(out)
  const rows = createRowPicker(out)
  for await (const { value } of records) {
    for (const item of listOf(value)) {
      if (isRow(item)) rows.take(item)
      else readItem(state, item)
    }
    if (Array.isArray(value) && value.length === 0) out.note('no-records', 'the document holds no events')
  }
  state.time = undefined
  writeRest(state)
  rows.finish()
}

/** The events or rows of a list, except for lines that are lists: pairs of an action and its observation. */
function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.flatMap((item) => (Array.isArray(item) ? item : [item])) : [value]
}

function readItem(state: OpenHandsState, item: unknown): void {
  const event = asObject(item)
  if (event === undefined) write(state, { type: 'other', name: 'no-object', raw: item })
  else if (isConversationState(event)) readConversationState(state, event)
  else if (isV1Event(event)) readV1Item(state, event)
  else readV0Value(state, event)
}

function readV1Item(state: OpenHandsState, event: JsonObject): void {
  if (!readV1Event(state, event))
    write(state, { type: 'other', name: asText(event.kind) ?? 'unknown', raw: event })
}

/** Reads the requested row when it arrives, or otherwise the last one at the end. */
function createRowPicker(out: SessionWriter): {
  take(row: JsonObject): void
  finish(): void
} {
  const nameRow = createRowNames()
  const listings: SessionListing[] = []
  let last: { row: JsonObject; listing: SessionListing } | undefined
  return {
    take(row) {
      const listing = nameRow(row)
      listings.push(listing)
      out.absorb('another session')
      if (out.sessionId === undefined) last = { row, listing }
      else if (listing.id === out.sessionId) readRow(out, row, listing)
    },
    finish() {
      if (listings.length === 0 && out.sessionId === undefined) return
      chooseSession(listings, out)
      if (last !== undefined) readRow(out, last.row, last.listing)
    },
  }
}
