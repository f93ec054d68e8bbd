import { parseJson } from '../../terminal/json-input.ts'

/** Payloads are small; even one that carries a whole file as tool input stays below this. */
const maxBytes = 16 * 1024 * 1024
const maxWait = 5_000

/**
 * Reads what the agent writes to stdin, or returns a text that says why there is nothing. Excess input is read and
 * dropped, so that the agent does not fail on a broken pipe. Does not wait for the end of stdin once the JSON is
 * complete.
 */
export async function readHookInput(
  stdin: NodeJS.ReadStream,
): Promise<{ readonly text: string } | { readonly fault: string }> {
  if (stdin.isTTY) return { fault: 'expected the JSON of a hook on stdin, got a terminal' }
  const blocks: Buffer[] = []
  let bytes = 0
  const timer = setTimeout(() => stdin.destroy(), maxWait)
  try {
    for await (const block of stdin) {
      const buffer = Buffer.isBuffer(block) ? block : Buffer.from(String(block))
      bytes += buffer.byteLength
      if (bytes <= maxBytes) blocks.push(buffer)
      else blocks.length = 0
      if (isWhole(blocks)) break
    }
  } catch (error) {
    // The timer gave up; what came until then may be complete.
    if (blocks.length === 0) return { fault: `stdin cannot be read: ${String(error)}` }
  } finally {
    clearTimeout(timer)
  }
  if (bytes > maxBytes) return { fault: `stdin held ${bytes} bytes, more than the ${maxBytes} that are read` }
  return { text: Buffer.concat(blocks).toString('utf8') }
}

/** Whether the JSON is complete: it ends as an object does, and parses. */
function isWhole(blocks: readonly Buffer[]): boolean {
  if (!/\}\s*$/.test(blocks.at(-1)?.toString('latin1').slice(-100) ?? '')) return false
  return parseJson(Buffer.concat(blocks).toString('utf8')) !== undefined
}
