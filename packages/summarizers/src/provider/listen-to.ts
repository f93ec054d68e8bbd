import { ModelError } from './model.ts'

/** No summary is this long. */
const maxBytes = 64 * 1024 * 1024

const lineFeed = 10

/** Counts the bytes of an answer and of its lines. Throws ModelError `inflated` for one that would fill the memory. */
export function answerLimit(maxLineBytes = maxBytes): (chunk: Uint8Array) => void {
  let total = 0
  let line = 0
  return (chunk) => {
    const end = chunk.lastIndexOf(lineFeed)
    total += chunk.byteLength
    line = end === -1 ? line + chunk.byteLength : chunk.byteLength - end - 1
    if (total > maxBytes) throw inflated(`the answer is longer than ${maxBytes} bytes`)
    if (line > maxLineBytes) throw inflated(`a line of the answer is longer than ${maxLineBytes} bytes`)
  }
}

function inflated(message: string): ModelError {
  return new ModelError(message, { reason: 'inflated' })
}

/** Longest line of a stream: clients search the whole unfinished line again with each piece that arrives. */
const maxLineBytes = 4 * 1024 * 1024

/** A copy of the response that reports every piece of its body as it arrives. Reading it fails with {@link ModelError} `inflated` if it never ends. */
export function listenTo(response: Response, heard: () => void): Response {
  heard()
  if (response.body === null) return response
  const limit = answerLimit(maxLineBytes)
  const ear = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      heard()
      limit(chunk)
      controller.enqueue(chunk)
    },
  })
  return new Response(response.body.pipeThrough(ear), response)
}
