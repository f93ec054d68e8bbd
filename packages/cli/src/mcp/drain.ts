import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'

/**
 * Counts the requests that pass through a transport, so that a client that closes its end early still gets all answers.
 */
export function drainable(inner: Transport) {
  const open = new Set<string | number>()
  const waiting = new Set<() => void>()
  const settle = (id: string | number | undefined): void => {
    if (id !== undefined) open.delete(id)
    if (open.size > 0) return
    for (const done of waiting) done()
    waiting.clear()
  }
  const transport: Transport = {
    start: async () => {
      inner.onmessage = (message) => {
        if ('method' in message && 'id' in message) open.add(message.id)
        else if ('method' in message) settle(cancelled(message))
        transport.onmessage?.(message)
      }
      inner.onclose = () => transport.onclose?.()
      inner.onerror = (error) => transport.onerror?.(error)
      await inner.start()
    },
    send: async (message, options) => {
      await inner.send(message, options)
      if (!('method' in message)) settle(message.id)
    },
    close: () => inner.close(),
  }
  return {
    transport,
    /** Resolves when every request received so far has been answered or cancelled. */
    drained: async (): Promise<void> => {
      if (open.size > 0) await new Promise<void>((done) => waiting.add(done))
    },
  }
}

/** A request that is cancelled gets no answer. */
function cancelled(message: JSONRPCMessage): string | number | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined
  const id: unknown = message.params?.requestId
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}
