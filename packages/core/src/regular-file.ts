import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/** Options for reading a file that someone else may have put there. */
export interface ReadRegularOptions {
  /** Follow a link at the end of the path. @default true */
  readonly links?: boolean | undefined
  /** Bytes of a block. @default 65_536 */
  readonly blockBytes?: number | undefined
  /** The byte to begin with. @default 0 */
  readonly start?: number | undefined
  /** Milliseconds that one call of the system may take, such as on a network drive. @default 30_000 */
  readonly timeout?: number | undefined
}

// Neither the opening of a pipe nor the reading of a file of the kernel waits then. Absent on Windows.
const readOnly = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/**
 * The blocks of a regular file. Anything else, such as a pipe that nobody writes to or a device without an end, is
 * refused with the error `EINVAL` of a system call, and a call that takes too long with `ETIMEDOUT`.
 */
export async function* regularFileBlocks(
  path: string | Buffer,
  { links = true, blockBytes = 64 * 1024, start = 0, timeout = 30_000 }: ReadRegularOptions = {},
): AsyncGenerator<Buffer> {
  const inTime = <T>(call: Promise<T>) => within(timeout, call, path)
  const file = await inTime(open(path, links ? readOnly : readOnly | (constants.O_NOFOLLOW ?? 0)))
  // Closing waits for a call that is under way.
  const close = () => within(timeout, file.close(), path)
  try {
    await assertRegular(file, path)
    for (let position = start; ; ) {
      // Small enough that V8 frees a block before it promotes it to the old generation.
      const block = Buffer.allocUnsafeSlow(blockBytes)
      const { buffer, bytesRead } = await inTime(file.read(block, 0, blockBytes, position))
      if (bytesRead === 0) return
      position += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await close()
  }
}

/** The bytes of a regular file of at most `maxBytes`; a larger one is refused with the error `EFBIG`. */
export async function readRegularFile(
  path: string | Buffer,
  { maxBytes = defaultMaxBytes, ...options }: ReadRegularOptions & { readonly maxBytes?: number } = {},
): Promise<Buffer> {
  const blocks: Buffer[] = []
  let size = 0
  for await (const block of regularFileBlocks(path, options)) {
    size += block.length
    if (size > maxBytes) throw refusal('EFBIG', `is larger than ${maxBytes} bytes`, path)
    blocks.push(block)
  }
  return Buffer.concat(blocks)
}

/** Larger than any file that is read whole and is not a log. */
const defaultMaxBytes = 128 * 1024 * 1024

/** The first bytes of a regular file, at most `bytes`. */
export async function startOfRegularFile(path: string, bytes: number): Promise<Buffer> {
  const blocks: Buffer[] = []
  let left = bytes
  for await (const block of regularFileBlocks(path, { blockBytes: Math.min(bytes, 64 * 1024) })) {
    blocks.push(block)
    left -= block.length
    if (left <= 0) break
  }
  return Buffer.concat(blocks).subarray(0, bytes)
}

async function assertRegular(file: FileHandle, path: string | Buffer): Promise<void> {
  const found = await file.stat()
  if (!found.isFile()) throw refusal('EINVAL', `is no regular file but ${kindOf(found)}`, path)
}

function kindOf(found: Awaited<ReturnType<FileHandle['stat']>>): string {
  if (found.isDirectory()) return 'a folder'
  return found.isFIFO() ? 'a pipe' : 'a device'
}

async function within<T>(timeout: number, call: Promise<T>, path: string | Buffer): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(refusal('ETIMEDOUT', `gave no answer within ${timeout} ms`, path)),
      timeout,
    )
  })
  try {
    return await Promise.race([call, late])
  } finally {
    clearTimeout(timer)
  }
}

/** An error as the system gives them, so that it is handled as one. */
function refusal(code: string, what: string, path: string | Buffer): NodeJS.ErrnoException {
  const message = `${code}: ${path.toString()} ${what}`
  return Object.assign(new Error(message), { code, syscall: 'open', path: path.toString() })
}
