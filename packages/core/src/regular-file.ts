import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/** Options for reading a file that someone else may have created. */
export interface ReadRegularOptions {
  /** Follow a link at the end of the path. @default true */
  readonly links?: boolean | undefined
  readonly blockBytes?: number | undefined
  readonly start?: number | undefined
  /** Maximum milliseconds for one system call, which a network drive may keep waiting. @default 30_000 */
  readonly timeout?: number | undefined
}

// With O_NONBLOCK, opening a pipe and reading a kernel file do not wait. Absent on Windows.
const readOnly = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/**
 * Yields the blocks of a regular file. Refuses anything else, such as a pipe without a writer or an endless device,
 * with the system error `EINVAL`, and a call that takes too long with `ETIMEDOUT`.
 */
export async function* regularFileBlocks(
  path: string | Buffer,
  { links = true, blockBytes = 64 * 1024, start = 0, timeout = 30_000 }: ReadRegularOptions = {},
): AsyncGenerator<Buffer> {
  const inTime = <T>(call: Promise<T>) => within(timeout, call, path)
  const file = await inTime(open(path, links ? readOnly : readOnly | (constants.O_NOFOLLOW ?? 0)))
  // Closing waits for a pending read.
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

/** Returns the bytes of a regular file of at most `maxBytes`; refuses a larger one with the system error `EFBIG`. */
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

/** Larger than any file, other than a log, that is read whole. */
const defaultMaxBytes = 128 * 1024 * 1024

/** Returns at most the first `bytes` bytes of a regular file. */
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

/** An error in the form of a system error, so that callers handle both the same way. */
function refusal(code: string, what: string, path: string | Buffer): NodeJS.ErrnoException {
  const message = `${code}: ${path.toString()} ${what}`
  return Object.assign(new Error(message), { code, syscall: 'open', path: path.toString() })
}
