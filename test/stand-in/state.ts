import type { IncomingHttpHeaders } from 'node:http'
import type { BillEntry } from './bill.ts'
import type { Provider, StandInCall } from './call.ts'
import type { Scenario } from './scenarios.ts'

/** A request as it came. */
export interface StandInRequest {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: IncomingHttpHeaders
  /** JSON, the fields of a multipart form, or undefined. */
  readonly body: unknown
  /** The body as it came, as UTF-8. */
  readonly text: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** The answer; undefined until then, and if there was none. */
  readonly status: number | undefined
  /** True if the client went away before the reply was complete. */
  readonly aborted: boolean
}

/** A batch that was created. */
export interface StandInBatch {
  readonly id: string
  readonly provider: Provider
  readonly customIds: readonly string[]
  readonly createdAt: string
  readonly ended: boolean
  /** Rows that are on the bill. */
  readonly billed: number
  /** OpenAI only. */
  readonly metadata?: unknown
}

export type RowOutcome = 'succeeded' | 'errored' | 'expired' | 'canceled' | 'missing' | Scenario

export interface StandInOptions {
  /** Keys that are accepted. @default any that is not empty */
  readonly keys?: readonly string[]
  /** How many status requests report a running batch; it ends at the next. @default 1 */
  readonly batchPolls?: number
}

export interface StoredFile {
  readonly id: string
  readonly filename: string
  readonly purpose: string
  readonly text: string
  readonly createdAt: number
}

/** State that the endpoints share. */
export interface State {
  readonly url: () => string
  readonly batchPolls: number
  readonly bill: BillEntry[]
  readonly requests: StandInRequest[]
  readonly files: Map<string, StoredFile>
  answer: ((call: StandInCall) => Scenario | string | object | undefined) | undefined
  batchRow: ((customId: string) => RowOutcome) | undefined
}
