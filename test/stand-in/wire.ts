import type { IncomingHttpHeaders } from 'node:http'
import type { Json, StandInCall } from './call.ts'
import type { Outcome } from './outcome.ts'
import type { ProviderError } from './provider-error.ts'
import type { Frame } from './reply.ts'

/** One wire format of model calls: how to read a request and write an outcome. */
export interface Wire {
  readonly streamType: string
  /** Checks the request like the provider. */
  read(body: Json, headers: IncomingHttpHeaders): StandInCall | ProviderError
  /** The whole reply as one object. */
  body(call: StandInCall, outcome: Outcome, tier: 'standard' | 'batch'): object
  /** The reply as a stream. */
  frames(call: StandInCall, outcome: Outcome): Frame[]
  /** The content of the stream at a failure in the middle. */
  errorFrame(error: ProviderError, requestId: string): string
  /** Something in a stream that is not part of the answer. */
  readonly ping: string
}

export function isError(read: StandInCall | ProviderError): read is ProviderError {
  return 'status' in read
}
