import { codecOf, decodeLog } from './decode-log.ts'
import type { LogFile } from './log-file.ts'
import { defaultMaxLogBytes, logTooLarge, maxUnpackedBytes } from './unpack-limit.ts'

/**
 * Throws `LogReadError` `log-too-large` if the files have more text than their limit, before any of it is held in
 * memory. Streams cannot be measured in advance; they are measured while they are read.
 */
export async function checkLogSize(files: readonly LogFile[]): Promise<void> {
  const maxBytes = maxBytesOf(files)
  const packed = new Set<LogFile>()
  for (const file of files) if (file.bytes !== undefined && (await isPacked(file))) packed.add(file)
  const most = sum(files, (file) =>
    packed.has(file) ? maxUnpackedBytes(file.bytes ?? 0) : (file.bytes ?? 0),
  )
  if (most <= maxBytes) return
  let total = 0
  for (const file of files) {
    if (packed.has(file)) for await (const block of decodeLog(file, () => {})) total += block.byteLength
    else total += file.bytes ?? 0
    if (total > maxBytes) throw logTooLarge(file.name, maxBytes)
  }
}

function sum<T>(items: readonly T[], sizeOf: (item: T) => number): number {
  return items.reduce((total, item) => total + sizeOf(item), 0)
}

/** The limit for the text of all files of a log together. */
export function maxBytesOf([main]: readonly LogFile[]): number {
  return main?.maxBytes ?? defaultMaxLogBytes
}

async function isPacked(file: LogFile): Promise<boolean> {
  for await (const block of file.blocks()) return codecOf(block) !== undefined
  return false
}
