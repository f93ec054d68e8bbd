import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import { type ErrorWire, errorFromWire, errorToWire } from './thread-errors.ts'

/** Functions that the other end of a port can call. */
export type Handlers = Readonly<Record<string, (...args: never[]) => unknown>>

interface Call {
  /** Absent if no answer is wanted. */
  readonly id?: number
  readonly name: string
  readonly args: readonly unknown[]
  /** Set if the caller's thread is stopped until the answer is there. */
  readonly waiting?: Int32Array
}

interface Answer {
  readonly id: number
  readonly value?: unknown
  readonly error?: ErrorWire
}

/** Calls functions of the other end of a port. */
export interface PortCalls {
  call<T>(name: string, ...args: readonly unknown[]): Promise<T>
  /** Stops this thread until the answer is there. */
  callAndWait<T>(name: string, ...args: readonly unknown[]): T
  /** Calls a function without waiting for an answer. */
  send(name: string, ...args: readonly unknown[]): void
}

/**
 * Connects both directions of a port: what this end may call, and `handlers` for the calls of the other end. `onFault`
 * gets what a handler throws if the caller wants no answer.
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
      // Answers to earlier calls may come first.
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
  const answer = await answerOf(handlers, name, args)
  if (id === undefined) {
    if ('error' in answer) onFault(errorFromWire(answer.error))
    return
  }
  port.postMessage({ id, ...answer } satisfies Answer)
  if (waiting === undefined) return
  Atomics.store(waiting, 0, 1)
  Atomics.notify(waiting, 0)
}

async function answerOf(
  handlers: Handlers,
  name: string,
  args: readonly unknown[],
): Promise<{ readonly value: unknown } | { readonly error: ErrorWire }> {
  try {
    return { value: await handlers[name]?.(...(args as never[])) }
  } catch (error) {
    return { error: errorToWire(error) }
  }
}
