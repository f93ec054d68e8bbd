import { Transform } from 'node:stream'

/** Most bytes of a message: a line of the protocol. */
const maxBytes = 10 * 1024 * 1024

/** Bytes of a longer message in which its id is looked for: clients write it at the beginning or at the end. */
const lookBytes = 4096

/**
 * Passes the messages of a client on, but answers one that is too long with an error instead, so that the server
 * neither holds it in memory nor ends. `answer` gets the line to send.
 */
export function boundMessages(answer: (line: string) => void): Transform {
  let line: Buffer[] = []
  let size = 0
  let tail = Buffer.alloc(0)

  function add(piece: Buffer): void {
    size += piece.length
    tail = Buffer.concat([tail, piece]).subarray(-lookBytes)
    if (size <= maxBytes) line.push(piece)
    else if (line.length > 1 || line[0]?.length !== lookBytes)
      line = [Buffer.concat(line).subarray(0, lookBytes)]
  }

  function end(): Buffer | undefined {
    const whole = Buffer.concat(line)
    if (size > maxBytes) answer(tooLong(whole.toString(), tail.toString()))
    const passed = size > maxBytes ? undefined : whole
    line = []
    size = 0
    tail = Buffer.alloc(0)
    return passed
  }

  return new Transform({
    transform(chunk: Buffer, _, done) {
      let start = 0
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, start)) {
        add(chunk.subarray(start, at + 1))
        start = at + 1
        const passed = end()
        if (passed !== undefined) this.push(passed)
      }
      if (start < chunk.length) add(chunk.subarray(start))
      done()
    },
  })
}

function tooLong(head: string, tail: string): string {
  const atEnd = /[,{]\s*"id"\s*:\s*(\d{1,15}|"[\w-]{1,100}")\s*\}\s*$/.exec(tail)
  const atBegin = /^\s*\{(?:\s*"jsonrpc"\s*:\s*"2\.0"\s*,)?\s*"id"\s*:\s*(\d{1,15}|"[\w-]{1,100}")\s*,/.exec(
    head,
  )
  const id: unknown = JSON.parse((atEnd ?? atBegin)?.[1] ?? 'null')
  const message = `The message is longer than ${maxBytes} bytes; send less text in one call.`
  return `${JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32600, message } })}\n`
}
