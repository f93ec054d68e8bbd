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
