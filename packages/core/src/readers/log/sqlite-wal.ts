const headerBytes = 32
const frameHeaderBytes = 24
const bigEndianMagic = 0x377f0683
const littleEndianMagic = 0x377f0682

/**
 * Merges the committed pages of a write-ahead log into its database, so that it can be opened from memory, where SQLite
 * has no such log. Ignores frames after the last commit or with a wrong checksum, like SQLite
 * (https://sqlite.org/fileformat2.html#walformat). Changes `database` instead of copying it, since it may be large.
 */
export function applyWal(database: Buffer, wal: Buffer = Buffer.alloc(0)): Buffer {
  const { pages, size } = committed(wal)
  const [first] = pages.values()
  const pageSize = first?.length ?? 0
  const length = size === undefined ? database.length : size * pageSize
  const merged = length <= database.length ? database.subarray(0, length) : Buffer.concat([database], length)
  for (const [number, page] of pages) {
    if (number * pageSize <= merged.length) page.copy(merged, (number - 1) * pageSize)
  }
  // Read and write version 2 require a write-ahead log.
  if (merged[18] === 2) merged[18] = 1
  if (merged[19] === 2) merged[19] = 1
  return merged
}

function committed(wal: Buffer): { pages: Map<number, Buffer>; size: number | undefined } {
  const pages = new Map<number, Buffer>()
  let size: number | undefined
  const magic = wal.length < headerBytes ? 0 : wal.readUInt32BE(0)
  if (magic !== bigEndianMagic && magic !== littleEndianMagic) return { pages, size }
  const bigEndian = magic === bigEndianMagic
  const pageSize = wal.readUInt32BE(8)
  const salt = wal.subarray(16, 24)
  let sum = checksum(wal.subarray(0, 24), [0, 0], bigEndian)
  if (!holds(wal, 24, sum)) return { pages, size }
  let open = new Map<number, Buffer>()
  const frameBytes = frameHeaderBytes + pageSize
  for (let at = headerBytes; at + frameBytes <= wal.length; at += frameBytes) {
    const page = wal.subarray(at + frameHeaderBytes, at + frameBytes)
    sum = checksum(page, checksum(wal.subarray(at, at + 8), sum, bigEndian), bigEndian)
    if (!wal.subarray(at + 8, at + 16).equals(salt) || !holds(wal, at + 16, sum)) break
    open.set(wal.readUInt32BE(at), page)
    const commit = wal.readUInt32BE(at + 4)
    if (commit === 0) continue
    for (const [number, bytes] of open) pages.set(number, bytes)
    open = new Map()
    size = commit
  }
  return { pages, size }
}

function checksum(bytes: Buffer, start: readonly number[], bigEndian: boolean) {
  let [sum1 = 0, sum2 = 0] = start
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    sum1 = (sum1 + (bigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)) + sum2) >>> 0
    sum2 = (sum2 + (bigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4)) + sum1) >>> 0
  }
  return [sum1, sum2]
}

function holds(wal: Buffer, at: number, [sum1, sum2]: readonly number[]): boolean {
  return wal.readUInt32BE(at) === sum1 && wal.readUInt32BE(at + 4) === sum2
}
