import { codecOf, decodeLog } from './decode-log.ts'
import type { LogFile } from './log-file.ts'
import { defaultMaxLogBytes, logTooLarge, mostUnpackedBytes } from './unpack-limit.ts'

/**
 * Throws `LogReadError` `log-too-large` if the files have more text than their limit, before any of it is held in memory.
 * Streams cannot be measured ahead; they are measured while they are read.
 */
export async function checkLogSize(files: readonly LogFile[]): Promise<void> {
  const maxBytes = maxBytesOf(files)
  let total = 0
  for (const file of files) {
    if (file.bytes === undefined) continue
    total += await textBytes(file, maxBytes - total)
    if (total > maxBytes) throw logTooLarge(file.name, maxBytes)
  }
}

/** The limit of the text of all files of a log together. */
export function maxBytesOf([main]: readonly LogFile[]): number {
  return main?.maxBytes ?? defaultMaxLogBytes
}

/** Bytes of text in a file, or no more than what it can have if that is no more than `enough`. */
async function textBytes(file: LogFile, enough: number): Promise<number> {
  const { bytes = 0 } = file
  if (bytes > enough || !(await isPacked(file))) return bytes
  const most = mostUnpackedBytes(bytes)
  if (most <= enough) return most
  let count = 0
  for await (const block of decodeLog(file, () => {})) count += block.byteLength
  return count
}

async function isPacked(file: LogFile): Promise<boolean> {
  for await (const block of file.blocks()) return codecOf(block) !== undefined
  return false
}
