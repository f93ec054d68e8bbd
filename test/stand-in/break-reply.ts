import type { Provider } from './call.ts'
import { errorReply, type ProviderError } from './provider-error.ts'
import type { Frame, Reply } from './reply.ts'
import type { Scenario } from './scenarios.ts'
import type { Wire } from './wire.ts'

/** Applies a scenario to a reply: pings, drips, a stream that breaks. */
export function broken(
  reply: Reply,
  scenario: Scenario,
  stream: Wire | undefined,
  provider: Provider,
): Reply {
  const { frames } = reply
  switch (scenario.scenario) {
    case 'no_content_type': {
      const { 'content-type': _, ...headers } = reply.headers
      return { ...reply, headers }
    }
    case 'drip':
      return { ...reply, frames: frames.map((frame) => ({ ...frame, delayMs: scenario.everyMs })) }
    case 'pings': {
      const first = frames.findIndex((frame) => frame.part !== 'head')
      const ping: Frame = { text: stream?.ping ?? '', part: 'head', delayMs: scenario.everyMs }
      const pings = Array.from({ length: scenario.n }, () => ping)
      return { ...reply, frames: [...frames.slice(0, first), ...pings, ...frames.slice(first)] }
    }
    case 'stream_no_stop':
      return stream === undefined
        ? reply
        : { ...reply, frames: frames.filter((frame) => frame.part !== 'close') }
    case 'stream_cut':
      return { ...reply, frames: begun(frames, scenario.after) }
    case 'stream_reset':
      return { ...reply, frames: begun(frames, scenario.after), after: 'destroy' }
    case 'stall':
      return { ...reply, frames: begun(frames, scenario.after), after: 'hang' }
    case 'stream_error': {
      const error = streamError(provider, scenario.type)
      if (stream === undefined) return errorReply(provider, error)
      const requestId = reply.headers['request-id'] ?? reply.headers['x-request-id'] ?? ''
      const last: Frame = { text: stream.errorFrame(error, requestId), part: 'close' }
      return { ...reply, frames: [...begun(frames, scenario.after), last] }
    }
    default:
      return reply
  }
}

function streamError(provider: Provider, type: string | undefined): ProviderError {
  if (provider === 'anthropic')
    return { status: 529, message: 'Overloaded', type: type ?? 'overloaded_error' }
  const message = 'The server had an error while processing your request.'
  return { status: 500, message, type: type ?? 'server_error', code: 'server_error' }
}

/** Everything before the break: the head and `after` pieces of the answer; half of a body that is one piece. */
function begun(frames: readonly Frame[], after: number | undefined): Frame[] {
  const [only] = frames
  if (frames.length === 1 && only !== undefined)
    return [{ ...only, text: only.text.slice(0, Math.ceil(only.text.length / 2)) }]
  const deltas = frames.filter((frame) => frame.part === 'delta')
  const kept = new Set(deltas.slice(0, after ?? Math.ceil(deltas.length / 2)))
  return frames.filter((frame) => frame.part === 'head' || kept.has(frame))
}
