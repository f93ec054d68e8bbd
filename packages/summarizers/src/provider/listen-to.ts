import { answerLimit } from './answer-limit.ts'

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
