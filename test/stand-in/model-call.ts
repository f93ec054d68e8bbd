import type { BillEntry } from './bill.ts'
import { broken } from './break-reply.ts'
import type { StandInCall } from './call.ts'
import { newId } from './ids.ts'
import { outcomeOf } from './outcome.ts'
import { errorReply, requestIdHeader } from './provider-error.ts'
import { jsonReply, type Reply } from './reply.ts'
import type { Scenario } from './scenarios.ts'
import type { State } from './state.ts'
import type { Wire } from './wire.ts'

/** Answers a call and puts it on the bill. `lost`: the client will never see the reply. */
export function callModel(
  state: State,
  wire: Wire,
  call: StandInCall,
  scenario: Scenario,
  own: string | object | undefined,
  lost: boolean,
): Reply {
  const failure = { status: 500, message: 'The model failed to answer.' }
  if (scenario.scenario === 'failed' && call.api !== 'responses') return errorReply(call.provider, failure)
  if (scenario.scenario === 'stream_error' && !call.stream)
    return broken(jsonReply(200, {}), scenario, undefined, call.provider)
  const outcome = outcomeOf(call, scenario, own)
  const requestId = newId('req_')
  const headers = requestIdHeader(call.provider, requestId)
  const whole: Reply = call.stream
    ? {
        status: 200,
        headers: { 'content-type': wire.streamType, ...headers },
        frames: wire.frames(call, outcome),
      }
    : jsonReply(200, wire.body(call, outcome, 'standard'), headers)
  const reply = broken(whole, scenario, call.stream ? wire : undefined, call.provider)
  const cut = reply.frames.length < whole.frames.length || /^(?:stream_\w+|stall)$/.test(scenario.scenario)
  // A cut stream is billed as far as the model wrote; a cut body was written whole.
  const chars = reply.frames.reduce((sum, frame) => sum + (frame.chars ?? 0), 0)
  const output =
    cut && call.stream
      ? Math.max(1, Math.min(outcome.usage.output, outcome.usage.reasoning + Math.ceil(chars / 4)))
      : outcome.usage.output
  const entry: BillEntry = {
    provider: call.provider,
    model: call.model,
    requestId,
    kind: 'call',
    usage: { ...outcome.usage, output },
    sent: lost ? 'none' : cut && !(scenario.scenario === 'stream_no_stop' && !call.stream) ? 'part' : 'whole',
  }
  state.bill.push(entry)
  return reply
}
