import { known } from '../session/known.ts'
import type { Recipe } from '../session/recipe.ts'
import type { Summarizer, SummarizerCall, SummaryControl, SummaryRequest } from '../summarize/summarizer.ts'
import { makeFrom } from './make-from.ts'
import type { Handlers, PortCalls } from './port-calls.ts'

/** What a thread must know about a summarizer in order to make it again, or to call it. */
export interface SummarizerOutline extends Pick<Summarizer, 'name'> {
  readonly model?: string
  readonly promptVersion?: string
  readonly settings?: string
  readonly contextWindow?: number
  readonly incremental?: boolean
  readonly readsWhole?: boolean
  readonly estimates: boolean
  readonly recipe?: Recipe
}

export function outlineOfSummarizer(summarizer: Summarizer): SummarizerOutline {
  const { name, model, promptVersion, settings, estimate, recipe } = summarizer
  const { contextWindow, incremental, readsWhole } = summarizer
  return {
    name,
    estimates: estimate !== undefined,
    ...known({ model, promptVersion, settings, contextWindow, incremental, readsWhole, recipe }),
  }
}

/** Answers the calls of summarizers in another thread. `ask` makes a request in its turn. */
export function summarizerHandlers(
  summarizers: readonly Summarizer[],
  signal: AbortSignal,
  ask: (
    summarizer: Summarizer,
    request: SummaryRequest,
    control: Pick<SummaryControl, 'signal' | 'onCall'>,
  ) => ReturnType<Summarizer['summarize']>,
  onCall: (request: number, call: SummarizerCall) => void,
): Handlers {
  const requests = new Map<number, AbortController>()
  const at = (index: number): Summarizer => {
    const summarizer = summarizers[index]
    if (summarizer === undefined) throw new RangeError(`there is no summarizer ${index}`)
    return summarizer
  }
  return {
    estimate: (index: number, request: SummaryRequest) => at(index).estimate?.(request),
    async summarize(index: number, number: number, request: SummaryRequest) {
      const stopped = new AbortController()
      requests.set(number, stopped)
      try {
        return await ask(at(index), request, {
          signal: AbortSignal.any([signal, stopped.signal]),
          onCall: (call) => onCall(number, call),
        })
      } finally {
        requests.delete(number)
      }
    },
    stop: (number: number) => requests.get(number)?.abort(new Error('the request is no longer needed')),
  }
}

/** The summarizers of the main thread, as seen from another one. Those with a recipe are made here. */
export async function summarizersOfPort(
  outlines: readonly SummarizerOutline[],
  port: PortCalls,
): Promise<{ readonly summarizers: Summarizer[]; readonly handlers: Handlers }> {
  const listeners = new Map<number, SummaryControl['onCall']>()
  let requests = 0
  const remote = ({ estimates, recipe: _, ...fields }: SummarizerOutline, index: number): Summarizer => ({
    ...fields,
    ...(estimates && { estimate: (request) => port.callAndWait('estimate', index, request) }),
    async summarize(request, { signal, onCall }) {
      const number = ++requests
      listeners.set(number, onCall)
      const stop = () => port.send('stop', number)
      signal.addEventListener('abort', stop, { once: true })
      try {
        return await port.call('summarize', index, number, request)
      } finally {
        signal.removeEventListener('abort', stop)
        listeners.delete(number)
      }
    },
  })
  return {
    summarizers: await Promise.all(
      outlines.map(async (outline, index) =>
        outline.recipe === undefined ? remote(outline, index) : await makeFrom<Summarizer>(outline.recipe),
      ),
    ),
    handlers: { called: (number: number, call: SummarizerCall) => listeners.get(number)?.(call) },
  }
}
