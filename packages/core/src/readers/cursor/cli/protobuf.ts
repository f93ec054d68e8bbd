/**
 * The values of one field of bytes in a message of Protocol Buffers, in order; none if it is damaged.
 * https://protobuf.dev/programming-guides/encoding
 */
export function bytesInField(message: Uint8Array, field: number): Uint8Array[] {
  const found: Uint8Array[] = []
  let at = 0

  function varint(): number {
    let value = 0
    for (let scale = 1; at < message.length && scale < 2 ** 53; scale *= 128) {
      const byte = message[at++] ?? 0
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
    return Number.NaN
  }

  while (at < message.length) {
    const tag = varint()
    const wireType = tag % 8
    if (wireType === 0) varint()
    else if (wireType === 1) at += 8
    else if (wireType === 5) at += 4
    else if (wireType === 2) {
      const length = varint()
      // Also if it is not a number.
      if (!(at + length <= message.length)) return []
      if (Math.floor(tag / 8) === field) found.push(message.subarray(at, at + length))
      at += length
    } else return []
  }
  return found
}
