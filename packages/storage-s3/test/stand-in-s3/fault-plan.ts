import { errorReply, type Reply, type Request } from './message.ts'

export const faults = [
  'lost-reply',
  'conflict-409',
  'own-412',
  'error-500',
  'error-500-after',
  'slow-down',
  'time-out',
  'time-out-after',
  'late',
  'cut-body',
] as const

/**
 * The fault of one request. With `after` the request took effect; with `late` it does so after the client has given up;
 * with `own-412` it took effect, was repeated on its way, and the second answer is the one that is sent.
 */
export type Fault = (typeof faults)[number]

/** Decides by a seed what goes wrong with each request. */
export interface FaultPlan {
  next(request: Request): Fault | undefined
  /** A number from 0 to `below` - 1, from the same seed. */
  pick(below: number): number
  /** How often each fault occurred. */
  readonly given: Map<Fault, number>
}

/** `rate` is the share of requests that fail. Equal seeds give equal plans for equal requests. */
export function faultPlan(seed: number, rate: number, kinds: readonly Fault[] = faults): FaultPlan {
  const given = new Map<Fault, number>()
  let state = (seed * 2_654_435_761 + 1) >>> 0
  // Mulberry32: https://gist.github.com/tommyettinger/46a874533244883189143505d203312c
  const random = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const pick = (below: number): number => Math.floor(random() * below)
  return {
    given,
    pick,
    next(request) {
      if (random() >= rate) return undefined
      const conditional = (request.headers['if-none-match'] ?? request.headers['if-match']) !== undefined
      const possible = kinds.filter((kind) => conditional || (kind !== 'conflict-409' && kind !== 'own-412'))
      const times = (kind: Fault): number => given.get(kind) ?? 0
      // The rarest so far: a run of a few requests has all of them.
      const fewest = Math.min(...possible.map(times))
      const rarest = possible.filter((kind) => times(kind) === fewest)
      const fault = rarest[pick(rarest.length)]
      if (fault !== undefined) given.set(fault, times(fault) + 1)
      return fault
    },
  }
}

/** How a request with a fault ends: with an answer, whole or cut in its body; or with none, at once or never. */
export type Outcome = { readonly reply: Reply; readonly cut?: true } | 'reset' | 'silence'

/** Runs a request with a fault. Calls `later` with what happens after the client is gone. */
export function runFault(
  fault: Fault,
  request: Request,
  respond: (request: Request) => Reply,
  later: (run: () => void) => void,
): Outcome {
  switch (fault) {
    case 'lost-reply':
      respond(request)
      return 'reset'
    case 'conflict-409':
      return { reply: errorReply(409, 'ConditionalRequestConflict', 'Please retry.') }
    case 'own-412':
      respond(request)
      return { reply: respond(request) }
    case 'error-500':
      return {
        reply: errorReply(500, 'InternalError', 'We encountered an internal error. Please try again.'),
      }
    case 'error-500-after':
      respond(request)
      return {
        reply: errorReply(500, 'InternalError', 'We encountered an internal error. Please try again.'),
      }
    case 'slow-down':
      return { reply: errorReply(503, 'SlowDown', 'Please reduce your request rate.') }
    case 'time-out':
      return 'silence'
    case 'time-out-after':
      respond(request)
      return 'silence'
    case 'late':
      later(() => respond(request))
      return 'silence'
    case 'cut-body':
      return { reply: respond(request), cut: true }
  }
}
