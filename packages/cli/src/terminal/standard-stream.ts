import { fstatSync, read, statSync, writeSync } from 'node:fs'
import { devNull } from 'node:os'
import { isatty } from 'node:tty'
import { errorCode } from './thrown.ts'

interface StandardStream {
  /** Writes synchronously, as Node does to files and pipes. */
  write(text: string | Uint8Array): void
  readonly isTTY: boolean
  readonly columns: number | undefined
  onError(handle: (error: NodeJS.ErrnoException) => void): void
}

export interface StandardStreams {
  readonly stdout: StandardStream
  readonly stderr: StandardStream
  /** Can be read only once. */
  readonly stdin: AsyncIterable<Uint8Array> & { readonly isTTY?: boolean }
}

export function standardStreams(): StandardStreams {
  const stdin = {
    [Symbol.asyncIterator]: stdinBlocks,
    get isTTY() {
      return isDevice(0) && isatty(0)
    },
  }
  return { stdout: standardStream(1), stderr: standardStream(2), stdin }
}

/** Reads stdin without Node's stream if the system allows it. */
async function* stdinBlocks(): AsyncGenerator<Uint8Array> {
  const block = Buffer.alloc(64 * 1024)
  for (;;) {
    const got = await new Promise<number | undefined>((done) =>
      read(0, block, 0, block.length, null, (error, bytes) => done(error === null ? bytes : undefined)),
    )
    if (got === 0) return
    // Windows reports the end as an error, and another process may have made the pipe non-blocking.
    if (got === undefined) return yield* process.stdin
    yield Buffer.from(block.subarray(0, got))
  }
}

/** Writes without Node's stream, whose loading takes as long as a small command. */
function standardStream(file: 1 | 2): StandardStream {
  // Windows consoles show text correctly only through Node's stream.
  let useStream = process.platform === 'win32'
  let listens = false
  let isTTY: boolean | undefined
  let onError: (error: NodeJS.ErrnoException) => void = () => undefined
  const streamOf = (): NodeJS.WriteStream => (file === 1 ? process.stdout : process.stderr)

  function writeToStream(text: string | Uint8Array): void {
    const stream = streamOf()
    if (!listens) stream.on('error', (error) => onError(error))
    listens = true
    stream.write(text)
  }

  return {
    write(text) {
      if (useStream) return writeToStream(text)
      const bytes = typeof text === 'string' ? Buffer.from(text) : text
      let written = 0
      try {
        while (written < bytes.byteLength) written += writeSync(file, bytes, written)
      } catch (error) {
        if (!(error instanceof Error) || errorCode(error) === undefined) throw error
        // EAGAIN: another process made the pipe or terminal non-blocking, and it is full. Node's stream waits.
        useStream = errorCode(error) === 'EAGAIN'
        if (useStream) writeToStream(bytes.subarray(written))
        else onError(error)
      }
    },
    get isTTY() {
      isTTY ??= isDevice(file) && isatty(file)
      return isTTY
    },
    get columns() {
      return this.isTTY ? streamOf().columns : undefined
    },
    onError(handle) {
      onError = handle
    },
  }
}

/** False for files, pipes and the null device. Asking `tty.isatty` instead would load Node's network modules. */
function isDevice(file: number): boolean {
  if (process.platform === 'win32') return true
  const info = fstatSync(file)
  return info.isCharacterDevice() && info.rdev !== statSync(devNull).rdev
}
