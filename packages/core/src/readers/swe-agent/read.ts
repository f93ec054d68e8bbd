import { asObject } from '../../session/json-values.ts'
import type { LogRecord, SessionWriter } from '../reader/reader.ts'
import { isMini } from './is-mini.ts'
import { readMini } from './mini.ts'
import { readTrajectory } from './trajectory.ts'

export async function readSweAgent(documents: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  for await (const { value } of documents) {
    const object = asObject(value)
    if (isMini(value)) readMini(out, value)
    else if (object !== undefined && (Array.isArray(object.trajectory) || Array.isArray(object.history)))
      readTrajectory(out, object)
    else out.event({ type: 'other', name: 'no-trajectory', raw: value })
  }
}
