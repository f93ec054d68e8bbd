import { asList, asObject } from '../../session/json-values.ts'
import type { LogRecord, SessionWriter } from '../reader/reader.ts'
import { documentKind } from './detect.ts'
import { readDescription, readSdkSession } from './sdk.ts'
import { createClineState, write } from './state.ts'
import { readTask, type TaskPart } from './task.ts'

/** The files of a task are read together, after the last of them. */
export async function readCline(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  const state = createClineState(out)
  const seen = new Set<string>()
  const parts: { history?: TaskPart; ui?: TaskPart } = {}
  let done = false
  const finish = (): void => {
    if (done) return
    done = true
    readTask(state, parts.history, parts.ui)
    state.place = undefined
  }
  for await (const { value, file } of records) {
    const kind = documentKind(value)
    const part: TaskPart = { items: asList(value), file }
    if (kind === 'sdk') readSdkSession(state, asObject(value) ?? {}, seen, file)
    else if (kind === 'description') readDescription(state, asObject(value) ?? {})
    else if (kind === 'metadata') out.absorb('files and models of the task')
    else if (kind === 'ui' && parts.ui === undefined) parts.ui = part
    else if (kind === 'history' && parts.history === undefined) parts.history = part
    else {
      write(state, { type: 'other', name: 'document', raw: value })
      if (part.items.length === 0) out.note('no-records', 'the document holds no messages')
    }
    if (kind === 'ui' || kind === 'history') out.absorb('read with the last file of the task')
    if (file === out.files.length - 1) finish()
  }
  finish()
}
