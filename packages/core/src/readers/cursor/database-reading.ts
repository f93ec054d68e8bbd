import type { SourcePosition } from '../../session/event.ts'
import type { LogRow } from '../reader/reader.ts'

/** Reads the rows of one of Cursor's databases, in the order of `cursorRanges`. */
export interface DatabaseReading {
  row(row: LogRow, at: SourcePosition): void
  finish(): void
}
