import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import { patternRedactor, secretRedactor, valueRedactor } from '@tenfold/redact'
import { known } from '../session/known.ts'
import type { Recipe } from '../session/recipe.ts'
import type { Storage, StoredObject } from '../storage/storage.ts'
import type { Summarizer, SummarizerCall, SummaryControl, SummaryRequest } from '../summarize/summarizer.ts'
import { tiktokenCounter } from '../tokens/tiktoken-counter.ts'
import { type ErrorWire, errorFromWire, errorToWire } from './thread-errors.ts'

/** Functions that the other end of a port can call. */
export type Handlers = Readonly<Record<string, (...args: never[]) => unknown>>

interface Call {
  /** Absent if no answer is expected. */
  readonly id?: number
  readonly name: string
  readonly args: readonly unknown[]
  /** Set if the caller's thread is stopped until the answer arrives. */
  readonly waiting?: Int32Array
}

interface Answer {
  readonly id: number
  readonly value?: unknown
  readonly error?: ErrorWire
}

export interface PortCalls {
  call<T>(name: string, ...args: readonly unknown[]): Promise<T>
  /** Stops this thread until the answer arrives. */
  callAndWait<T>(name: string, ...args: readonly unknown[]): T
  send(name: string, ...args: readonly unknown[]): void
}

/**
 * Connects both directions of a port: returns calls of the other end, and answers its calls with `handlers`. `onFault`
 * receives errors of handlers for calls that expect no answer.
 */
export function connectPort(
  port: MessagePort,
  handlers: Handlers,
  onFault: (error: Error) => void,
): PortCalls {
  const waiting = new Map<number, (answer: Answer) => void>()
  let calls = 0

  const take = (message: Call | Answer): void => {
    if ('name' in message) void answerCall(port, handlers, message, onFault)
    else {
      waiting.get(message.id)?.(message)
      waiting.delete(message.id)
    }
  }
  port.on('message', take)

  return {
    call: (name, ...args) =>
      new Promise((resolve, reject) => {
        const id = ++calls
        waiting.set(id, ({ value, error }) => {
          if (error === undefined) resolve(value as never)
          else reject(errorFromWire(error))
        })
        port.postMessage({ id, name, args } satisfies Call)
      }),
    callAndWait(name, ...args) {
      const id = ++calls
      const signal = new Int32Array(new SharedArrayBuffer(4))
      let answer: Answer | undefined
      waiting.set(id, (given) => {
        answer = given
      })
      port.postMessage({ id, name, args, waiting: signal } satisfies Call)
      Atomics.wait(signal, 0, 0)
      // Answers to earlier calls may arrive first.
      while (answer === undefined) {
        const received = receiveMessageOnPort(port)
        if (received === undefined) throw new Error(`no answer to ${name}`)
        take(received.message as Call | Answer)
      }
      if (answer.error !== undefined) throw errorFromWire(answer.error)
      return answer.value as never
    },
    send: (name, ...args) => port.postMessage({ name, args } satisfies Call),
  }
}

async function answerCall(
  port: MessagePort,
  handlers: Handlers,
  { id, name, args, waiting }: Call,
  onFault: (error: Error) => void,
): Promise<void> {
  const answer: { value?: unknown; error?: ErrorWire } = {}
  try {
    answer.value = await handlers[name]?.(...(args as never[]))
  } catch (error) {
    answer.error = errorToWire(error)
  }
  if (id === undefined) {
    if (answer.error !== undefined) onFault(errorFromWire(answer.error))
    return
  }
  port.postMessage({ id, ...answer } satisfies Answer)
  if (waiting === undefined) return
  Atomics.store(waiting, 0, 1)
  Atomics.notify(waiting, 0)
}

export interface StorageOutline {
  /** Equal for all calls with this storage. */
  readonly id: number
  readonly name: string
  readonly assertsWritable: boolean
  readonly remote?: boolean | undefined
}

const ids = new WeakMap<Storage, number>()
let lastId = 0

export function outlineOfStorage(storage: Storage): StorageOutline {
  const { name, assertWritable, remote } = storage
  const id = ids.get(storage) ?? ++lastId
  ids.set(storage, id)
  return { id, name, assertsWritable: assertWritable !== undefined, remote }
}

export function storageHandlers(storage: Storage): Handlers {
  return {
    get: (key: string) => storage.get(key),
    put: (...args: Parameters<Storage['put']>) => storage.put(...args),
    delete: (key: string) => storage.delete(key),
    assertWritable: (key: string) => storage.assertWritable?.(key),
    async list(...args: Parameters<Storage['list']>) {
      const objects: StoredObject[] = []
      for await (const object of storage.list(...args)) objects.push(object)
      return objects
    },
  }
}

/** A storage of the main thread for another thread. A put that has begun completes even if this thread is killed. */
export function storageOfPort(
  { name, assertsWritable, remote }: Omit<StorageOutline, 'id'>,
  { call }: PortCalls,
): Storage {
  return {
    name,
    get: (key) => call('get', key),
    put: (...args) => call('put', ...args),
    delete: (key) => call('delete', key),
    async *list(...args) {
      yield* await call<StoredObject[]>('list', ...args)
    },
    ...known({
      assertWritable: assertsWritable ? (key: string) => call<void>('assertWritable', key) : undefined,
      remote,
    }),
  }
}

// A bundler may rename the exports of this package, so they cannot be looked up by name.
const own = { patternRedactor, secretRedactor, tiktokenCounter, valueRedactor }

export async function makeFrom<T>({ module, name, args = [] }: Recipe): Promise<T> {
  const exports: object = module === undefined ? own : await import(module)
  const made: unknown = Reflect.get(exports, name)
  if (made === undefined) throw new TypeError(`${module ?? 'this package'} has no export ${name}`)
  return (typeof made === 'function' ? made(...args) : made) as T
}

export interface SummarizerOutline
  extends Omit<Summarizer, 'estimate' | 'summarize' | 'assertReady' | 'promptTokens'> {
  readonly estimates: boolean
}

export function outlineOfSummarizer(summarizer: Summarizer): SummarizerOutline {
  const { name, model, promptVersion, settings, estimate, recipe } = summarizer
  const { contextWindow, incremental, readsWhole } = summarizer
  const fields = known({ model, promptVersion, settings, contextWindow, incremental, readsWhole, recipe })
  return { name, estimates: estimate !== undefined, ...fields }
}

/** Handles the calls of summarizers from another thread. `ask` makes a request when its turn comes. */
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

/** Represents summarizers of the main thread in another thread. Those with a recipe are made here. */
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
